/* Loaders: the checked configuration, and the one iterator of a persistent loader. */
#include "reference/loader.h"

#include <stdlib.h>

#include "reference/iterator.h"

static int check(const struct dataset *dataset, const struct loader_config *c, struct failure *f)
{
	if (dataset->length == 0 || dataset->item_bytes == 0)
		return failure_set(f, FAILURE_USAGE, "the dataset is empty");
	if (c->batch_size == 0)
		return failure_set(f, FAILURE_USAGE, "a batch needs at least one item");
	if (c->workers > LOADER_WORKERS_MAX)
		return failure_set(f, FAILURE_USAGE, "%u workers, at most %d", c->workers,
				   LOADER_WORKERS_MAX);
	if (c->workers && (c->prefetch == 0 || c->prefetch > LOADER_PREFETCH_MAX))
		return failure_set(f, FAILURE_USAGE, "prefetch is %u, not 1 to %d", c->prefetch,
				   LOADER_PREFETCH_MAX);
	if ((c->flags & LOADER_PERSISTENT) && c->workers == 0)
		return failure_set(f, FAILURE_USAGE, "no workers that could be persistent");
	return 0;
}

int loader_open(struct loader **out, const struct dataset *dataset,
		const struct loader_config *config, struct failure *f)
{
	struct loader *loader;
	int error = check(dataset, config, f);

	if (error)
		return error;
	loader = calloc(1, sizeof(*loader));
	if (!loader)
		return failure_system(f, "no memory for a loader");
	loader->dataset = dataset;
	loader->config = *config;
	loader->length = dataset->length / config->batch_size;
	if (!(config->flags & LOADER_DROP_LAST) && dataset->length % config->batch_size)
		loader->length++;
	*out = loader;
	return 0;
}

uint32_t loader_length(const struct loader *loader)
{
	return loader->length;
}

int loader_iterate(struct iterator **out, struct loader *loader, enum loopmem_stage stage,
		   int32_t epoch, struct failure *f)
{
	int error;

	if (!(loader->config.flags & LOADER_PERSISTENT))
		return iterator_new(out, loader, stage, epoch, f);
	if (loader->kept && !loader->kept->live) { /* it failed; its workers are gone */
		iterator_free(loader->kept);
		loader->kept = NULL;
	}
	error = loader->kept ? iterator_start_over(loader->kept, epoch, f)
			     : iterator_new(&loader->kept, loader, stage, epoch, f);
	if (!error)
		*out = loader->kept;
	return error;
}

void loader_close(struct loader *loader)
{
	if (loader && loader->kept)
		iterator_free(loader->kept);
	free(loader);
}
