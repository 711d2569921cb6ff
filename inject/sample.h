/*
 * sample.h: how many bytes a thread allocates between two slow paths: exponential gaps, so that a
 * block of s bytes is met with probability 1 - exp(-s / mean).
 */
#ifndef INJECT_SAMPLE_H
#define INJECT_SAMPLE_H

#include <stdint.h>

enum { SAMPLE_MEAN_BYTES = 512 << 10 };

/* LOOPMEM_SAMPLE_BYTES as given; NULL or nonsense is the default. 1 = every allocation. */
void sample_set_mean(const char *text);
uint64_t sample_mean_bytes(void);

/* The next gap in bytes, >= 0, at most 64 means. *random is the caller's generator state. */
int64_t sample_gap(uint64_t *random);

/* What one sampled block of so many bytes stands for: 1 / (1 - exp(-bytes / mean)), the inverse of its chance. */
double sample_weight(uint64_t bytes);

#endif
