/* Joins the collector's questions with profiler/symbols. */
#include "profiler/cmd/native_names.h"

#include "profiler/symbols/symbols.h"

struct pending {
	sites_answer_fn *answer;
	void *arg;
	size_t index;
};

static void pass_on(void *arg, const struct symbols_line *line)
{
	const struct pending *pending = arg;

	pending->answer(pending->arg, pending->index,
			&(struct sites_symbol){line->function, line->file, line->line});
}

void native_names(const struct sites_question *question, sites_answer_fn *answer, void *arg)
{
	struct symbols *symbols =
		symbols_open(question->path, question->build_id, question->build_id_bytes);

	for (size_t i = 0; symbols && i < question->count; i++) {
		struct pending pending = {answer, arg, i};

		symbols_find(symbols, question->addresses[i], pass_on, &pending);
	}
	symbols_close(symbols);
}
