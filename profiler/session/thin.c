/*
 * Thinning of old rows, so that a run of days stays small. Chunk by chunk, each one transaction:
 * the totals of its rounds are computed here, as the model does it (Pss of the last rollup + growth
 * since + unmapped shared memory); thin.sql then chooses and deletes. Invariant: a round that is
 * kept has the same total before and after.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/array.h"
#include "profiler/session/thin_sql.h"
#include "profiler/session/writer.h"

enum {
	CHUNK_SPANS_MAX = 16,
	EDGES_IN_SPAN = 16,
	PROCESS_ID_MAX = 1 << 22,
};
#define CHUNK_NS INT64_C(600000000000) /* ten minutes, or one span when that is longer */

static const char temp_tables[] =
	"CREATE TEMP TABLE IF NOT EXISTS round(t_ns INTEGER PRIMARY KEY, total_bytes, n, edge DEFAULT 0);"
	"CREATE TEMP TABLE IF NOT EXISTS keep(t_ns INTEGER PRIMARY KEY, n);"
	"CREATE TEMP TABLE IF NOT EXISTS keep_system(t_ns INTEGER PRIMARY KEY, n);"
	"CREATE TEMP TABLE IF NOT EXISTS gone(kind, t_ns, process,"
	" PRIMARY KEY(kind, t_ns, process)) WITHOUT ROWID;"
	"DELETE FROM temp.round; DELETE FROM temp.keep; DELETE FROM temp.keep_system;"
	"DELETE FROM temp.gone";

/* Everything that makes up a total, by time; kind 0 = sample, 1 = rollup, 2 = shared memory. */
static const char figures[] =
	"SELECT t_ns, 0 AS kind, process, anon_bytes, n FROM sample WHERE t_ns >= ?1 AND t_ns < ?2"
	" UNION ALL SELECT t_ns, 1, process, pss_bytes, 0 FROM rollup WHERE t_ns >= ?1 AND t_ns < ?2"
	" UNION ALL SELECT t_ns, 2, 0, sum(unmapped_bytes), 0 FROM shm"
	"  WHERE t_ns >= ?1 AND t_ns < ?2 GROUP BY t_ns"
	" ORDER BY t_ns, kind";

struct chunk {
	int64_t first_ns, end_ns, span_ns;
};

/* The round that is being summed up: all figures of one t_ns. */
struct round {
	int64_t t_ns, n;
	ARRAY(int64_t) members; /* processes with a sample */
};

static struct session_thinning_process *process_of(struct session_thinning *t, int64_t id)
{
	struct session_thinning_process *grown;
	size_t count = (size_t)id + 1;

	if (id < 0 || id > PROCESS_ID_MAX)
		return NULL;
	if (count <= t->process_count)
		return &t->processes[id];
	count += count / 2;
	grown = realloc(t->processes, count * sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + t->process_count, 0, (count - t->process_count) * sizeof(*grown));
	t->processes = grown;
	t->process_count = count;
	return &grown[id];
}

static int add_member(struct round *round, int64_t process)
{
	int64_t *member = array_add(&round->members);

	if (!member)
		return SQLITE_NOMEM;
	*member = process;
	return SQLITE_OK;
}

static int finish_round(struct session_thinning *t, struct round *round, sqlite3_stmt *insert)
{
	int64_t total = t->unmapped_bytes;

	if (!round->members.count)
		return SQLITE_OK;
	for (size_t i = 0; i < round->members.count; i++) {
		const struct session_thinning_process *p = &t->processes[round->members.items[i]];

		total += p->anon_bytes + p->beyond_anon_bytes;
	}
	sqlite3_bind_int64(insert, 1, round->t_ns);
	sqlite3_bind_int64(insert, 2, total);
	sqlite3_bind_int64(insert, 3, round->n);
	sqlite3_step(insert);
	round->members.count = 0;
	round->n = 0;
	return sqlite3_reset(insert);
}

static int take_figure(struct session_thinning *t, struct round *round, sqlite3_stmt *figure)
{
	int64_t process = sqlite3_column_int64(figure, 2), bytes = sqlite3_column_int64(figure, 3);
	int64_t n = sqlite3_column_int64(figure, 4);
	struct session_thinning_process *p = process_of(t, process);

	if (!p)
		return SQLITE_NOMEM;
	switch (sqlite3_column_int(figure, 1)) {
	case 0:
		p->anon_bytes = bytes;
		if (!n) /* kept for a rollup only */
			return SQLITE_OK;
		round->n = n;
		return add_member(round, process);
	case 1:
		if (sqlite3_column_type(figure, 3) != SQLITE_NULL)
			p->beyond_anon_bytes = bytes - p->anon_bytes;
		return SQLITE_OK;
	default:
		t->unmapped_bytes = bytes;
		return SQLITE_OK;
	}
}

/* Fills temp.round. */
static int sum_rounds(sqlite3 *db, struct session_thinning *t, const struct chunk *chunk)
{
	sqlite3_stmt *figure = NULL, *insert = NULL;
	struct round round = {0};
	int rc = sqlite3_prepare_v2(db, figures, -1, &figure, NULL);

	if (!rc)
		rc = sqlite3_prepare_v2(db,
					"INSERT INTO temp.round(t_ns,total_bytes,n) VALUES(?,?,?)",
					-1, &insert, NULL);
	sqlite3_bind_int64(figure, 1, chunk->first_ns);
	sqlite3_bind_int64(figure, 2, chunk->end_ns);
	while (!rc && (rc = sqlite3_step(figure)) == SQLITE_ROW) {
		int64_t t_ns = sqlite3_column_int64(figure, 0);

		rc = t_ns == round.t_ns ? SQLITE_OK : finish_round(t, &round, insert);
		round.t_ns = t_ns;
		if (!rc)
			rc = take_figure(t, &round, figure);
	}
	if (rc == SQLITE_DONE)
		rc = finish_round(t, &round, insert);
	sqlite3_finalize(figure);
	sqlite3_finalize(insert);
	array_release(&round.members);
	return rc;
}

static void bind(sqlite3_stmt *statement, const char *name, int64_t value)
{
	int index = sqlite3_bind_parameter_index(statement, name);

	if (index)
		sqlite3_bind_int64(statement, index, value);
}

/* Runs every statement of thin.sql. */
static int choose_and_delete(sqlite3 *db, const struct chunk *chunk)
{
	const char *next = thin_sql;
	int rc = SQLITE_OK;

	while (!rc && *next) {
		sqlite3_stmt *statement;

		rc = sqlite3_prepare_v2(db, next, -1, &statement, &next);
		if (rc || !statement) /* nothing but a comment */
			continue;
		bind(statement, ":first_ns", chunk->first_ns);
		bind(statement, ":end_ns", chunk->end_ns);
		bind(statement, ":span_ns", chunk->span_ns);
		bind(statement, ":edges_in_span", EDGES_IN_SPAN);
		sqlite3_step(statement);
		rc = sqlite3_finalize(statement);
	}
	return rc;
}

/* Rows after the chunk's last round are left for the next one: they are carried to rounds still to
 * come. */
static int end_at_last_round(sqlite3 *db, struct chunk *chunk)
{
	sqlite3_stmt *statement;
	int rc = sqlite3_prepare_v2(db, "SELECT max(t_ns) FROM temp.round", -1, &statement, NULL);

	if (rc)
		return rc;
	if (sqlite3_step(statement) == SQLITE_ROW &&
	    sqlite3_column_type(statement, 0) != SQLITE_NULL)
		chunk->end_ns = sqlite3_column_int64(statement, 0) + 1;
	else
		chunk->end_ns = chunk->first_ns; /* no round, nothing to choose among */
	return sqlite3_finalize(statement);
}

static int thin_chunk(sqlite3 *db, struct session_thinning *t, struct chunk chunk)
{
	int rc = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);

	if (rc)
		return rc;
	rc = sqlite3_exec(db, temp_tables, NULL, NULL, NULL);
	if (!rc)
		rc = sum_rounds(db, t, &chunk);
	if (!rc)
		rc = end_at_last_round(db, &chunk);
	if (!rc && chunk.end_ns > chunk.first_ns)
		rc = choose_and_delete(db, &chunk);
	if (!rc)
		rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	return rc;
}

void session_thinnings_free(struct session_writer *w)
{
	for (size_t i = 0; i < w->thinning_count; i++)
		free(w->thinnings[i].processes);
	free(w->thinnings);
}

static struct session_thinning *thinning_of(struct session_writer *w, int64_t span_ns)
{
	struct session_thinning *grown;

	for (size_t i = 0; i < w->thinning_count; i++)
		if (w->thinnings[i].span_ns == span_ns)
			return &w->thinnings[i];
	grown = realloc(w->thinnings, (w->thinning_count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	w->thinnings = grown;
	grown[w->thinning_count] = (struct session_thinning){.span_ns = span_ns};
	return &grown[w->thinning_count++];
}

static int continue_from(struct session_thinning *t, const struct session_thinning *coarser)
{
	size_t bytes = coarser->process_count * sizeof(*coarser->processes);
	struct session_thinning_process *copy = malloc(bytes + 1);

	if (!copy)
		return SQLITE_NOMEM;
	if (bytes)
		memcpy(copy, coarser->processes, bytes);
	free(t->processes);
	t->processes = copy;
	t->process_count = coarser->process_count;
	t->until_ns = coarser->until_ns;
	t->unmapped_bytes = coarser->unmapped_bytes;
	return SQLITE_OK;
}

/* What is thinned to longer spans already needs no finer ones. */
static int pass_coarser(struct session_writer *w, struct session_thinning *t)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < w->thinning_count && !rc; i++)
		if (w->thinnings[i].span_ns > t->span_ns && w->thinnings[i].until_ns > t->until_ns)
			rc = continue_from(t, &w->thinnings[i]);
	return rc;
}

static int thin_until(struct session_writer *w, struct session_thinning *t, int64_t before_ns)
{
	int64_t chunk_ns = t->span_ns < CHUNK_NS / CHUNK_SPANS_MAX ? t->span_ns * CHUNK_SPANS_MAX
								   : CHUNK_NS;
	int64_t all_ns = before_ns - before_ns % t->span_ns;
	int rc = SQLITE_OK;

	if (chunk_ns < t->span_ns)
		chunk_ns = t->span_ns;
	while (!rc && t->until_ns < all_ns) {
		int64_t end_ns = t->until_ns + chunk_ns;

		end_ns -= end_ns % t->span_ns; /* a coarser one may have ended in the middle */
		if (end_ns > all_ns)
			end_ns = all_ns;
		rc = thin_chunk(w->db, t, (struct chunk){t->until_ns, end_ns, t->span_ns});
		if (!rc)
			t->until_ns = end_ns;
	}
	return rc;
}

/* After a failure the carried figures are of the middle of a chunk: start over. */
static int give_up(struct session_writer *w, struct session_thinning *t, int rc, struct error *e)
{
	session_writer_error(w, rc, e);
	if (!sqlite3_get_autocommit(w->db))
		sqlite3_exec(w->db, "ROLLBACK", NULL, NULL, NULL);
	free(t->processes);
	*t = (struct session_thinning){.span_ns = t->span_ns};
	return e->kind;
}

static void put_extent(struct session_writer *w)
{
	int64_t until_ns = 0, span_ns = 0;

	for (size_t i = 0; i < w->thinning_count; i++) {
		if (w->thinnings[i].until_ns > until_ns)
			until_ns = w->thinnings[i].until_ns;
		if (w->thinnings[i].until_ns && w->thinnings[i].span_ns > span_ns)
			span_ns = w->thinnings[i].span_ns;
	}
	if (!until_ns)
		return;
	session_put_int(w, "thinned_before_ns", until_ns);
	session_put_int(w, "thinned_span_ns", span_ns);
}

int session_thin(struct session_writer *w, int64_t before_ns, int64_t span_ns, struct error *e)
{
	struct session_thinning *t;
	int rc;

	if (session_flush(w, e))
		return e->kind;
	t = thinning_of(w, span_ns);
	if (!t)
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot write %s", w->place.name);
	rc = pass_coarser(w, t);
	if (!rc)
		rc = thin_until(w, t, before_ns);
	if (rc)
		return give_up(w, t, rc, e);
	put_extent(w);
	return session_flush(w, e);
}
