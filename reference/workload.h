/* workload.h: what loopmem-fit trains on: the sets and loaders that its options describe. */
#ifndef REFERENCE_WORKLOAD_H
#define REFERENCE_WORKLOAD_H

#include "reference/dataset.h"
#include "reference/fit.h"
#include "reference/options.h"

/* Zeroed = empty. */
struct workload {
	const struct options *options;
	struct dataset train, test, predict;
	struct dataset *val; /* options->val_loaders of them */
};

/* Makes the sets. The options must outlive the workload. On failure it is empty. */
int workload_open(struct workload *w, const struct options *options, struct failure *f);
void workload_close(struct workload *w);

/* The open_loader of struct fit_data; the context is the workload. */
int workload_open_loader(void *context, enum loopmem_stage stage, unsigned index,
			 struct loader **out, struct failure *f);

#endif
