/* splitmix64: a counter and a mixing function, so a seed needs no warm-up. */
#include "reference/rng.h"

static const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t rng_next(struct rng *rng)
{
	rng->state += golden;
	return mix(rng->state);
}

uint64_t rng_hash(uint64_t seed, uint64_t index)
{
	return mix(mix(seed + golden) + (index + 1) * golden);
}

/* Evenly from 0 to bound - 1, without bias; bound > 0. */
static uint32_t rng_below(struct rng *rng, uint32_t bound)
{
	/* values at and above the largest multiple of bound would favour small results */
	uint32_t reject_from = UINT32_MAX - UINT32_MAX % bound;
	uint32_t value;

	do
		value = (uint32_t)(rng_next(rng) >> 32);
	while (value >= reject_from);
	return value % bound;
}

float rng_signed(struct rng *rng)
{
	int32_t bits = (int32_t)(rng_next(rng) >> 40) - (1 << 23); /* 24 bits: exact in a float */

	return (float)bits / (float)(1 << 23);
}

void rng_shuffle(struct rng *rng, uint32_t *values, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t j = rng_below(rng, (uint32_t)i);
		uint32_t swap = values[i - 1];

		values[i - 1] = values[j];
		values[j] = swap;
	}
}
