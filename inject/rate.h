/*
 * rate.h: how finely this process samples. A gap between two samples is drawn with the mean of a level, and each level's
 * mean is twice the one before: level 0 is the finest.
 *
 * Samples have a budget of CPU time: a little at the beginning, then a share of what the process uses: the larger one while
 * its memory reaches new heights, a quarter of that while what comes only takes the place of what goes. While there is
 * plenty the level is 0; the less is left, the coarser. A sample is charged when its block is freed, as long as not too
 * much is owed: what stays is followed finely, what comes and goes pays. So a program that only fills memory is met
 * every 64 KiB, and one that allocates gigabytes a second spends no more on it than its share.
 *
 * Everything depends on the past alone, which is what keeps the estimates unbiased (docs/sampling.md). A mean that was asked
 * for does not change: then there is one level, no clock is read and nothing charged.
 */
#ifndef INJECT_RATE_H
#define INJECT_RATE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	RATE_FINEST_BYTES = 64 << 10, /* mean of level 0 */
	RATE_LEVELS = 8,              /* the coarsest mean is 8 MiB */
	RATE_LOOK_BYTES =
		4 << 20, /* a coarse level is looked at anew after so many bytes at most */
	RATE_CERTAIN_BYTES = 128 << 10,
};

/* LOOPMEM_SAMPLE_BYTES as given: that mean from now on, 1 = every allocation. NULL or nonsense: the rate adapts. Before
 * threads. */
void rate_set(const char *text);

/* The mean of a level in bytes; of level 0 the finest of this process. */
uint64_t rate_mean(uint8_t level);

/* Private mappings of so many bytes or more are sampled for certain: a quarter of a mean that was asked for. */
uint64_t rate_certain_bytes(void);

struct thread; /* thread.h: its countdown, early, level and random */

/* Draws the thread's next gap, at the level of this moment, and begins to count it down. A gap that is longer than `most`
 * bytes, or than the way to the next look at the level, is only begun: `early`. Reads a clock. */
void rate_draw(struct thread *self, int64_t most_bytes);

/* The thread's countdown ran out in a block: the mean by which the block was met, that is, the one its gap was drawn with; 0
 * when it was not met. From the block's end on a new gap is to be drawn. */
uint64_t rate_met(struct thread *self);

/* True while less is left than the finest level needs: then rate_holds is to be told what the process holds, in bytes of heap
 * and mappings, before a gap is drawn. */
bool rate_saves(void);
void rate_holds(uint64_t bytes);

/* CPU time of this thread in ns, to be handed to rate_owe; 0 where nothing is charged. */
uint64_t rate_clock(void);

/* A sample was begun at that time and is taken: what is to be charged when it ends, in ns. Less than 2^31. */
uint32_t rate_owe(uint64_t begun_ns);
void rate_charge(uint32_t owed_ns);

/* In the child of a fork: a budget of its own, and nothing is owed. */
void rate_forked(void);

#endif
