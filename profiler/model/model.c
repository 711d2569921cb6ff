/* Opening a session, reading what is new, closing: the steps of a refresh in their order. */
#include "profiler/model/model.h"

#include <errno.h>
#include <stdlib.h>

#include "profiler/model/private.h"

/* About 50 MiB. */
enum { RELOAD_ROWS = 2000000 };

static int out_of_memory(const struct model *m, struct error *e)
{
	return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot read %s", m->file);
}

static int rebuild(struct model *m, int64_t dirty_ns)
{
	if (run_read(m) || scratch_reserve(m) || subjects_build(m) || spans_build(m, &dirty_ns))
		return -1;
	if (rounds_build(m, dirty_ns) || phases_build(m) || retention_build(m))
		return -1;
	overlap_build(m);
	reconcile_build(m);
	return capacity_build(m) || sites_build(m) || in_owner_build(m) || findings_build(m) ? -1
											     : 0;
}

/* A run of days is thinned in its file, not in memory: when that has much more than was read at first, all is read anew. */
static void keep_small(struct model *m)
{
	struct tables *t = &m->priv->tables;
	int64_t thinned_ns = session_int(m->priv->reader, "thinned_before_ns");

	if (thinned_ns == m->priv->thinned_ns ||
	    t->sample_rows - t->sample_rows_known < m->priv->reload_rows)
		return;
	tables_forget_rows(t);
	m->priv->thinned_ns = thinned_ns;
}

int model_refresh(struct model *m, struct error *e)
{
	struct tables *t = &m->priv->tables;
	int was_complete = m->complete, anew, failed;

	if (session_begin_read(m->priv->reader, e))
		return e->kind;
	keep_small(m);
	anew = !t->sample_rows;
	failed = tables_refresh(t, m->priv->reader);
	if (anew)
		t->sample_rows_known = t->sample_rows;
	if (!failed && (t->changed || !m->command ||
			was_complete != (session_int(m->priv->reader, "complete") == 1)))
		failed = rebuild(m, t->dirty_ns);
	else if (!failed) {
		session_end_read(m->priv->reader);
		return 0;
	}
	session_end_read(m->priv->reader);
	return failed ? out_of_memory(m, e) : 1;
}

int model_abandon(struct model *m, struct error *e)
{
	m->abandoned = 1;
	if (m->end != MODEL_RUNNING)
		return 0;
	if (session_begin_read(m->priv->reader, e))
		return e->kind;
	if (rebuild(m, INT64_MAX)) {
		session_end_read(m->priv->reader);
		return out_of_memory(m, e);
	}
	session_end_read(m->priv->reader);
	return 0;
}

int model_open(struct model **out, const char *file, struct error *e)
{
	struct model *m = calloc(1, sizeof(*m));

	*out = NULL;
	if (!m || !(m->priv = calloc(1, sizeof(*m->priv)))) {
		free(m);
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot read %s", file);
	}
	m->priv->reload_rows = RELOAD_ROWS;
	m->priv->thinned_ns = MODEL_NONE;
	m->file = strings_keep(&m->priv->tables.strings, file);
	if (session_open(&m->priv->reader, file, e) || model_refresh(m, e) < 0) {
		int kind = e->kind;

		model_close(m);
		return kind;
	}
	*out = m;
	return 0;
}

static void release_private(struct model_private *priv)
{
	session_reader_close(priv->reader);
	for (size_t i = 0; i < priv->stores.count; i++) {
		array_release(&priv->stores.items[i].spans);
		array_release(&priv->stores.items[i].members);
		array_release(&priv->stores.items[i].points);
	}
	for (size_t i = 0; i < priv->blocks.count; i++)
		free(priv->blocks.items[i]);
	array_release(&priv->stores);
	array_release(&priv->processes);
	array_release(&priv->pools);
	array_release(&priv->phases);
	array_release(&priv->rounds);
	array_release(&priv->findings);
	array_release(&priv->notes);
	array_release(&priv->blocks);
	array_release(&priv->argv);
	array_release(&priv->facts);
	free(priv->figures);
	free(priv->cursors);
	free(priv->counts);
	free(priv->alive);
	tables_release(&priv->tables);
	free(priv);
}

void model_close(struct model *m)
{
	if (!m)
		return;
	sites_drop(m);
	release_private(m->priv);
	free(m);
}
