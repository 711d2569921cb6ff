/*
 * rng.h: seeded random numbers, the same on every machine: splitmix64. Not for secrets.
 */
#ifndef REFERENCE_RNG_H
#define REFERENCE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t state; /* any value is a good seed */
};

/* Two numbers mixed into one: a seed of its own for each (seed, index). */
uint64_t rng_hash(uint64_t seed, uint64_t index);

/* Evenly from -1 to 1. */
float rng_signed(struct rng *rng);

/* Fisher and Yates: every order of the values is equally likely. */
void rng_shuffle(struct rng *rng, uint32_t *values, size_t count);

#endif
