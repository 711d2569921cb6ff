/* The two rows under the chart: what the owner was doing, and when. */
#include <stdio.h>
#include <string.h>

#include "profiler/view/chart.h"

static struct chart_span span_of(const struct chart_area *area)
{
	return (struct chart_span){area->start_ns, area->end_ns, area->width};
}

/* Phases that began before the area begin at its edge. */
static int column_at(const struct chart_area *area, int64_t t_ns)
{
	const struct chart_span span = span_of(area);
	int column = chart_column(&span, t_ns);

	return column < 0 ? 0 : column;
}

const char *chart_stage_brief(enum model_stage stage)
{
	static const char *const brief[MODEL_STAGES] = {
		[MODEL_STAGE_OTHER] = "",     [MODEL_STAGE_TRAIN] = "train",
		[MODEL_STAGE_SANITY] = "san", [MODEL_STAGE_VALIDATE] = "val",
		[MODEL_STAGE_TEST] = "test",  [MODEL_STAGE_PREDICT] = "pred",
	};

	return brief[stage];
}

/* A phase's name as it fits: " validate e0 ", "validate e0", "val e0", "val0", "val", "v", "". */
static void shorten(char *out, size_t size, const struct model_phase *phase, int room)
{
	const char *brief = chart_stage_brief(phase->stage), *name = *brief ? brief : phase->name;
	char epoch[24] = "";

	if (phase->epoch != MODEL_NONE)
		snprintf(epoch, sizeof(epoch), "%lld", (long long)phase->epoch);
	if ((int)strlen(phase->name) + 2 <= room)
		snprintf(out, size, " %s ", phase->name);
	else if ((int)strlen(phase->name) <= room)
		snprintf(out, size, "%s", phase->name);
	else if (epoch[0] && (int)(strlen(name) + strlen(epoch)) + 2 <= room)
		snprintf(out, size, "%s e%s", name, epoch);
	else if ((int)(strlen(name) + strlen(epoch)) <= room)
		snprintf(out, size, "%s%s", name, epoch);
	else if ((int)strlen(name) <= room)
		snprintf(out, size, "%s", name);
	else
		snprintf(out, size, "%.*s", room > 0 && room < 3 ? 1 : room > 0 ? room : 0, name);
}

/* The first column after the phase's own: where the next one begins, or where it ends. A gap of about a column is drawn over. */
static int end_column(const struct chart_area *area, size_t index)
{
	const struct model *m = area->m;
	int end = column_at(area, m->phases[index].end_ns) + 1;

	for (size_t i = index + 1; i < m->phase_count; i++)
		if (m->phases[i].owner == m->phases[index].owner && !m->phases[i].between) {
			int next = column_at(area, m->phases[i].start_ns);

			end = next < end ? next : end;
			break;
		}
	return end < area->width ? end : area->width;
}

static void draw_phase(struct chart_grid *grid, const struct chart_area *area, int row,
		       size_t index)
{
	const struct model_phase *phase = &area->m->phases[index];
	const char *fill = phase->stage == MODEL_STAGE_TRAIN ? area->glyphs->train_fill
							     : area->glyphs->other_fill;
	int start = column_at(area, phase->start_ns), end = end_column(area, index);
	char name[64];

	if (phase->start_ns >= area->end_ns || phase->end_ns <= area->start_ns)
		return;
	chart_put(grid, area->left + start, row, area->glyphs->inks[CHART_PHASE], CHART_PHASE);
	for (int i = start + 1; i < end; i++)
		chart_put(grid, area->left + i, row, fill, CHART_PHASE);
	shorten(name, sizeof(name), phase, end - start - 1);
	chart_write(grid, area->left + start + 1, row, name, CHART_PHASE);
}

void chart_phases(struct chart_grid *grid, const struct chart_area *area, int row, int owner)
{
	const struct model *m = area->m;

	for (size_t i = 0; i < m->phase_count; i++)
		if (m->phases[i].owner == (owner < 0 ? m->phases[0].owner : owner) &&
		    !m->phases[i].between)
			draw_phase(grid, area, row, i);
}

void chart_times(struct chart_grid *grid, const struct chart_area *area, int row)
{
	const struct chart_span span = span_of(area);
	int64_t tick_ns = chart_tick_ns(&span);

	for (int64_t t = area->start_ns - area->start_ns % tick_ns; t < area->end_ns;
	     t += tick_ns) {
		int column = chart_column(&span, t);
		char text[FORMAT_MAX];

		format_moment(text, t);
		if (t >= area->start_ns && column + (int)strlen(text) <= area->width)
			chart_write(grid, area->left + column, row, text, CHART_TIME);
	}
}
