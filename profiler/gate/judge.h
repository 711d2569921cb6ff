/* judge.h: runs against a budget: what a row says is decided here and nowhere else. */
#ifndef PROFILER_GATE_JUDGE_H
#define PROFILER_GATE_JUDGE_H

#include "profiler/gate/result.h"

/* Judges the runs; everything given must outlive the result. 0 or a negative error_kind; result_release in any case. */
int judge(struct result *result, const struct budget *budget, const struct run *runs,
	  size_t run_count, const struct baseline *baseline, const struct judge_options *options,
	  struct error *e);

#endif
