/*
 * sample.h: how many bytes a thread allocates between two samples, and what a sample stands for: exponential gaps, so that
 * a block of s bytes is met with probability 1 - exp(-s / mean). Pure functions of their arguments.
 */
#ifndef INJECT_SAMPLE_H
#define INJECT_SAMPLE_H

#include <stdint.h>

/* The next gap in bytes, >= 0, at most 64 means; 0 when the mean is 1. *random is the caller's generator state. */
int64_t sample_gap(uint64_t *random, uint64_t mean_bytes);

/* What one sampled block of so many bytes stands for: 1 / (1 - exp(-bytes / mean)), the inverse of its chance; 1 when the
 * mean is 1. */
double sample_weight(uint64_t bytes, uint64_t mean_bytes);

#endif
