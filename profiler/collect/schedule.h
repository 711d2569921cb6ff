/*
 * schedule.h: when what may be read, and what for. Pure: time and cost come in as numbers.
 *
 * Two limits hold for a walk of smaps_rollup. The pace is the target's: a walk takes its mmap lock,
 * so over time a process is walked for at most 1/200 of the time (0.5 % loss for a thread that does
 * nothing but mmap and munmap). The budget is ours: what the collector's thread may cost in all.
 * Edges may borrow from both, a little: a phase change is worth the exact figure.
 *
 * All times in nanoseconds on one monotonic clock.
 */
#ifndef PROFILER_COLLECT_SCHEDULE_H
#define PROFILER_COLLECT_SCHEDULE_H

#include <stdint.h>

enum walk_reason {
	WALK_REGULAR, /* it changed, and its turn has come */
	WALK_EDGE,    /* a pool or phase changed state, a process is new, a sharer came or went */
};

/* ---- pace: one process's walks ---- */

struct walk_pace {
	int walks;       /* how many so far */
	int64_t last_ns; /* start of the last one */
	int64_t free_ns; /* from then on the time owed for past walks is paid */
	int64_t wall_ns; /* duration of the last walk, waiting for the lock included */
	int busy; /* 1 = the last walk took far longer than its size explains: twice the period */
	int calm; /* walks in a row that found what the one before had found */
};

/* What a walk of this many resident bytes costs in an undisturbed process. */
int64_t walk_expected_ns(int64_t rss_bytes);

/* Is a walk of this length not worth waiting with? Of up to some 60 MiB. */
int walk_is_cheap(int64_t cost_ns);

int walk_allowed(const struct walk_pace *p, int64_t now_ns, enum walk_reason reason);
void walk_done(struct walk_pace *p, int64_t now_ns, int64_t wall_ns, int64_t rss_bytes);

/* Has the process changed enough since its last walk to be worth one: by 4 MiB, or by 2 % (of at
 * least 64 KiB) of its own private bytes? Of what is resident in a forked worker most is its
 * parent's, and a few per cent of that may be as much as all it has made. */
int walk_worthwhile(int64_t changed_bytes, int64_t own_bytes);

/* What the last walk found to have changed since the one before it. */
void walk_found(struct walk_pace *p, int64_t changed_bytes, int64_t own_bytes);

/* Is it time to look what signs mean that often mean nothing: page faults, memory mapped that is not its own, copies
 * of a relative? A training that goes on as it did has them all the time. After a second; after each walk in
 * a row that found nothing twice as long, up to 8 s. */
int walk_looks_again(const struct walk_pace *p, int64_t now_ns);

/* ---- budget: the collector's own CPU ---- */

struct budget {
	int64_t tokens_ns;
	int64_t time_ns, cpu_ns; /* at the last update */
};

/* Starts full. */
void budget_start(struct budget *b, int64_t now_ns, int64_t cpu_ns);

/* Adds 8 ms a second, takes off what the thread used since (everything: rounds, writing, walks). */
void budget_update(struct budget *b, int64_t now_ns, int64_t cpu_ns);

int budget_allows(const struct budget *b, int64_t cost_ns, enum walk_reason reason);

/* ---- rates of the cheap tiers ---- */

struct rates {
	int64_t round_ns;  /* T0, T1: 100 ms up to 1 s */
	int64_t detail_ns; /* T2: 1 s up to 5 s */
	int64_t shm_ns;    /* T4: 1 s up to 60 s */
};

/* The fastest rates at which rounds cost at most 0.3 %, details 0.15 % and descriptor walks 0.05 % of
 * a core, given what one of each cost lately: about half of the budget is left for walks. */
struct rates rates_for(int64_t round_cost_ns, int64_t detail_cost_ns, int64_t shm_cost_ns);

/* Moves a remembered cost an eighth of the way to a new measurement (the first is taken whole). */
int64_t cost_average(int64_t average_ns, int64_t measured_ns);

/* Pools of more workers than this are seen through two of them at a time, in turn. */
enum { POOL_WALKED_WHOLE = 8, POOL_REPRESENTATIVES = 2 };

/* Is worker `index` of `count` walked in turn number `turn`? */
int is_representative(int64_t index, int64_t count, uint64_t turn);

#endif
