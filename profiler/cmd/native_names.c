/* Joins the collector's questions with profiler/symbols. */
#include "profiler/cmd/native_names.h"

#include "profiler/symbols/symbols.h"

struct asker {
	sites_answer_fn *answer;
	void *arg;
};

static void pass_on(void *arg, size_t index, const struct symbols_line *line)
{
	const struct asker *asker = arg;

	asker->answer(asker->arg, index,
		      &(struct sites_symbol){line->function, line->file, line->line});
}

void native_names(const struct sites_question *question, sites_answer_fn *answer, void *arg)
{
	struct symbols *symbols =
		symbols_open(question->path, question->build_id, question->build_id_bytes);

	if (symbols)
		symbols_find(symbols, question->addresses, question->count, pass_on,
			     &(struct asker){answer, arg});
	symbols_close(symbols);
}
