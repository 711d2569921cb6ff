/*
 * rate.c: the budget of CPU time that samples are paid from, and the level that follows from what is left of it.
 *
 * The level is proportional: it settles where samples cost what the process earns. Several threads earn and pay at once;
 * a race between them is a few microseconds counted twice.
 */
#include "inject/rate.h"

#include <time.h>

#include "inject/sample.h"
#include "inject/thread.h"

enum {
	GROWING_SHARE = 200,     /* one part in so many of the CPU time is earned */
	STEADY_SHARE = 800,      /* and without new heights */
	GROWING_NS = 1000000000, /* of CPU time, after each new height */
	AT_START_NS = 1000000, /* most programs are short; a forked worker fills its caches soon */
	MOST_NS = 8000000,     /* that can be kept, or be missing: the rest is let go */
	FINEST_FROM_NS = 500000, /* level 0 with so much left, the coarsest with nothing */
	OWED_MOST_NS = 10000000, /* by samples that are alive */
	COST_MOST_NS = 1000000000,
};

static uint64_t fixed_bytes;          /* 0 = the rate adapts; written before threads exist */
static int64_t left_ns = AT_START_NS; /* atomic, as the next two */
static int64_t owed_ns;               /* charged when the samples end */
static uint64_t used_ns;              /* CPU time up to which the share was earned */
static uint64_t highest_bytes; /* that were held when it was asked; atomic, as the next two */
static bool grew;              /* a new height since the share was earned */
static uint64_t grew_ns;       /* used_ns of the last one */

void rate_set(const char *text)
{
	uint64_t value = 0;

	if (!text || !*text)
		return;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || value > (UINT64_MAX >> 8))
			return;
		value = value * 10 + (uint64_t)(*text - '0');
	}
	if (value > 0 && value < (UINT64_C(1) << 50))
		fixed_bytes = value;
}

uint64_t rate_mean(uint8_t level)
{
	return fixed_bytes ? fixed_bytes : (uint64_t)RATE_FINEST_BYTES << level;
}

uint64_t rate_certain_bytes(void)
{
	return fixed_bytes ? fixed_bytes / 4 : RATE_CERTAIN_BYTES;
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) < 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool rate_saves(void)
{
	return !fixed_bytes && __atomic_load_n(&left_ns, __ATOMIC_RELAXED) < FINEST_FROM_NS;
}

/* A height counts from 1/64 above the one before, and 1 MiB: a loop's own is not the same each time. */
void rate_holds(uint64_t bytes)
{
	uint64_t highest = __atomic_load_n(&highest_bytes, __ATOMIC_RELAXED);

	if (bytes < highest + highest / 64 + (1 << 20))
		return;
	__atomic_store_n(&highest_bytes, bytes, __ATOMIC_RELAXED);
	__atomic_store_n(&grew, true, __ATOMIC_RELAXED);
}

static uint64_t present_share(uint64_t now)
{
	if (__atomic_exchange_n(&grew, false, __ATOMIC_RELAXED))
		__atomic_store_n(&grew_ns, now, __ATOMIC_RELAXED);
	return now - __atomic_load_n(&grew_ns, __ATOMIC_RELAXED) < GROWING_NS ? GROWING_SHARE
									      : STEADY_SHARE;
}

/* What is left, after the share of the CPU time since the last look was added. */
static int64_t earn(void)
{
	uint64_t now = read_clock(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t before = __atomic_exchange_n(&used_ns, now, __ATOMIC_RELAXED);
	int64_t earned = now > before ? (int64_t)((now - before) / present_share(now)) : 0;
	int64_t left = __atomic_add_fetch(&left_ns, earned, __ATOMIC_RELAXED);

	if (left > MOST_NS || left < -MOST_NS) {
		left = left < 0 ? -MOST_NS : MOST_NS;
		__atomic_store_n(&left_ns, left, __ATOMIC_RELAXED);
	}
	return left;
}

/* With enough left the level does not depend on what was earned meanwhile, so the clock, a system call, is left alone. What
 * that adds up to is added at a later look, MOST_NS at most. */
static uint8_t present_level(void)
{
	int64_t missing;

	if (!rate_saves())
		return 0;
	missing = FINEST_FROM_NS - earn();
	if (missing <= 0)
		return 0;
	if (missing >= FINEST_FROM_NS)
		return RATE_LEVELS - 1;
	return (uint8_t)(1 + missing * (RATE_LEVELS - 2) / FINEST_FROM_NS);
}

void rate_draw(struct thread *self, int64_t most_bytes)
{
	if (!fixed_bytes && most_bytes > RATE_LOOK_BYTES)
		most_bytes = RATE_LOOK_BYTES;
	self->level = present_level();
	self->countdown = sample_gap(&self->random, rate_mean(self->level));
	self->early = self->countdown > most_bytes;
	if (self->early)
		self->countdown = most_bytes;
}

/* Up to an early tick the way was exponential, so behind it it is so again, drawn anew: by the same mean, since what of the
 * block lies behind the tick is still to be passed. */
uint64_t rate_met(struct thread *self)
{
	uint64_t mean_bytes = rate_mean(self->level);

	if (self->early && self->countdown + sample_gap(&self->random, mean_bytes) >= 0)
		return 0;
	return mean_bytes;
}

uint64_t rate_clock(void)
{
	return fixed_bytes ? 0 : read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint32_t rate_owe(uint64_t begun_ns)
{
	uint64_t now = rate_clock();
	uint32_t cost = now - begun_ns < COST_MOST_NS ? (uint32_t)(now - begun_ns) : COST_MOST_NS;

	if (!begun_ns || !now)
		return 0;
	if (__atomic_add_fetch(&owed_ns, cost, __ATOMIC_RELAXED) <= OWED_MOST_NS)
		return cost;
	rate_charge(cost);
	return 0;
}

void rate_charge(uint32_t ns)
{
	if (!ns)
		return;
	__atomic_sub_fetch(&owed_ns, ns, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&left_ns, ns, __ATOMIC_RELAXED);
}

void rate_forked(void)
{
	left_ns = AT_START_NS;
	owed_ns = 0;
	used_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID);
	highest_bytes = 0;
	grew = false; /* a child begins as one that grew just now */
	grew_ns = used_ns;
}
