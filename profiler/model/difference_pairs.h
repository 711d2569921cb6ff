/* difference_pairs.h: which pool of one run is which of the other. Fills d->pairs; 0 or ERROR_SYSTEM. */
#ifndef PROFILER_MODEL_DIFFERENCE_PAIRS_H
#define PROFILER_MODEL_DIFFERENCE_PAIRS_H

#include "profiler/model/difference.h"

int difference_pair_pools(struct difference *d);

#endif
