/* loopmem diff as JSON; docs/diff-json.md is the contract. */
#include <math.h>

#include "profiler/view/diff.h"
#include "profiler/view/json.h"
#include "profiler/view/json_values.h"

static json_t *figure_value(const struct difference_figure *f, double value)
{
	if (isnan(value))
		return json_null();
	if (f->unit == DIFFERENCE_SECONDS)
		return json_real(value);
	return json_integer((json_int_t)value);
}

static json_t *figures(const struct difference *d)
{
	json_t *object = json_object();

	for (size_t i = 0; i < d->figure_count; i++) {
		const struct difference_figure *f = &d->figures[i];

		json_object_set_new(object, f->key,
				    json_pack("{s:o, s:o, s:o, s:o, s:b}", "base",
					      figure_value(f, f->base), "head",
					      figure_value(f, f->head), "change",
					      figure_value(f, f->head - f->base), "noise",
					      figure_value(f, f->noise), "counted", f->counted));
	}
	return object;
}

static json_t *pool(const struct model *m, int index)
{
	const struct model_pool *p;

	if (index < 0)
		return json_null();
	p = &m->pools[index];
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "id", (json_int_t)p->number,
			 "memory_bytes_max", json_count(p->memory_max), "private_bytes_max",
			 json_count(p->private_max), "idle_retained_bytes_max",
			 json_count(p->idle_max_bytes), "idle_retained_seconds",
			 json_seconds(p->idle_ns), "start_s", json_seconds(p->start_ns), "stall_s",
			 json_seconds(p->stall_ns));
}

static json_t *pools(const struct difference *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->pair_count; i++) {
		const struct difference_pair *pair = &d->pairs[i];
		const struct model_pool *p = pair->base >= 0 ? &d->base->pools[pair->base]
							     : &d->head->pools[pair->head];

		json_array_append_new(list,
				      json_pack("{s:s, s:o, s:o, s:o, s:o}", "stage",
						model_stage_name(p->stage), "epoch",
						json_count(p->epoch), "label", json_text(p->label),
						"base", pool(d->base, pair->base), "head",
						pool(d->head, pair->head)));
	}
	return list;
}

/* Ids of the findings of one run that the other has too, or has not. */
static json_t *findings(const struct model *of, const struct model *other, int both)
{
	json_t *list = json_array();

	for (size_t i = 0; i < of->finding_count; i++)
		if (difference_has_finding(other, of->findings[i].id) == both)
			json_array_append_new(list, json_text(of->findings[i].id));
	return list;
}

static json_t *reasons(const struct difference *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->reason_count; i++)
		json_array_append_new(list, json_text(d->reasons[i]));
	return list;
}

int diff_json(FILE *out, const struct difference *d, const struct report_options *options)
{
	json_t *root = json_pack("{s:i, s:o, s:o, s:s, s:b, s:o, s:o, s:o, s:{s:o, s:o, s:o}}",
				 "schema", JSON_SCHEMA, "base", json_text(d->base->file), "head",
				 json_text(d->head->file), "verdict",
				 difference_verdict_name(d->verdict), "comparable", !d->grave,
				 "not_alike", reasons(d), "figures", figures(d), "pools", pools(d),
				 "findings", "gone", findings(d->base, d->head, 0), "new",
				 findings(d->head, d->base, 0), "still",
				 findings(d->head, d->base, 1));

	(void)options; /* of text */
	if (!root)
		return -1;
	json_dumpf(root, out, JSON_INDENT(2));
	fputc('\n', out);
	json_decref(root);
	return 0;
}
