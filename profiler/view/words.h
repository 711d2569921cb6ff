/*
 * words.h: the words that several outputs share: when something was, what a pool does, the command as it can be typed. Texts that come out of a
 * session are made safe for a terminal here.
 */
#ifndef PROFILER_VIEW_WORDS_H
#define PROFILER_VIEW_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/model/model.h"

enum { WORDS_MAX = 512 };

/* Columns that a UTF-8 text takes. */
int words_columns(const char *text);

/* The bytes of the longest beginning that takes `columns` at most, of whole characters. */
int words_fit(const char *text, int columns);

/* Control characters become "?"; when not `utf8` everything that is no ASCII as well. Cut at `size`. Returns out. */
char *words_safe(char *out, size_t size, const char *text, int utf8);

/* "between validate e1 and train e2", "during train e1", "before train e0", "after validate e2"; "" when no phase is known. */
char *words_when(char *out, size_t size, const struct model *m, int64_t t_ns);

/* What a pool does at a moment, as put in brackets after its figure: "idle", "starting", "parked", "delivering"; "likely idle"
 * of a guessed one. */
const char *words_doing(const struct model_pool *pool, enum model_state state);

/* ", rank 0"; "" where there is one rank only (MODEL_NONE). Fills and returns `out` of WORDS_RANK bytes. */
enum { WORDS_RANK = 32 };
char *words_rank(char *out, int64_t rank);

/* A process that is no worker, as every view names it: "owner 41021", "owner 41021, rank 2", "process 41021". Returns `out`. */
char *words_process(char *out, size_t size, const struct model *m, int process);

/* It owns a pool, or is the program itself. */
int words_is_owner(const struct model *m, int process);

/* Whether it can hold anything idle: a loader without workers is at its end without keeping memory. */
int words_holds_idle(const struct model_pool *pool);

/* Whether a loader without workers loaded something that is held. */
int words_any_in_owner(const struct model *m);

/* A pool in a list: "train #4 e1"; "train #4 e1, rank 0" where there are several ranks; "train #4?" of a guessed one. Not made safe. */
char *words_pool(char *out, size_t size, const struct model_pool *pool);

/* Why --release-idle-workers left a pool alone: "persistent_workers=True"; NULL = it did not. */
const char *words_kept(enum model_kept kept);

/* Is there a pool that is no group? */
int words_has_loaders(const struct model *m);

/* "loopmem run --release-idle-workers -- python train.py --epochs 3": the whole command when that fits in `room` columns, else
 * without the arguments after its script; 0 = no matter how long. */
char *words_release(char *out, size_t size, const struct model *m, int room);

/* "then the peak is 18.1 GiB instead of 26.4 GiB": what that command would give; "" when the peak stays. */
char *words_release_peak(char *out, size_t size, const struct model *m);

/* What a finding advises; where --release-idle-workers does that too it says so, with the peak it would give. Not made safe. */
char *words_advice(char *out, size_t size, const struct model *m, const struct model_finding *f);

/* One line about a finding: "3.5 GiB per train pool, copied since the fork"; without bytes the words alone, its title where it has
 * none. Not made safe. */
char *words_finding(char *out, size_t size, const struct model_finding *f);

/* Where nothing is worse than a notice: "1 notice: worker-growth", "3 notices: worker-growth, fd-growth, ..."; else "". */
char *words_notices(char *out, size_t size, const struct model *m);

/* What a finding's title is preceded by: "3.5 GiB at 11:30. ", "At 11:30. ", or "". */
char *words_amount(char *out, size_t size, const struct model_finding *f);

/* The command of the run, quoted for a shell. */
char *words_command(char *out, size_t size, const struct model *m);

/* A number of workers that fit: "about 15", "more than 1000". */
char *words_workers(char *out, size_t size, int64_t count);

/* How many workers fit under the limit: "8 fit as it runs, about 15 with idle pools released (1.34 GiB a train worker)"; "" when
 * that is not known. */
char *words_capacity(char *out, size_t size, const struct model *m);

/* What goes on after "no errors, no warnings": ", but the command failed: exit 1", or "". */
char *words_failure(char *out, size_t size, const struct model *m);

/* How it ended: "exit 0", "killed by SIGKILL", "still running", "end unknown". */
char *words_end(char *out, size_t size, const struct model *m);

#endif
