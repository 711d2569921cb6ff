/* The dataset of the loader's tests. */
#include "tests/unit/reference/number_set.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reference/rng.h"

struct number_state {
	const struct number_set *set;
	unsigned worker;
};

static int number_open(const struct dataset *dataset, unsigned worker, unsigned workers,
		       void **state, struct failure *f)
{
	const struct number_set *set = dataset->context;
	struct number_state *own;

	(void)workers;
	if (set->open_fails)
		return failure_set(f, FAILURE_DATASET, "no numbers today");
	own = malloc(sizeof(*own));
	*own = (struct number_state){set, worker};
	*state = own;
	atomic_fetch_add(&set->counts->opened, 1);
	return 0;
}

static int number_get(void *state, uint32_t item, void *destination, struct failure *f)
{
	const struct number_state *own = state;
	const struct number_set *set = own->set;
	struct number_item *out = destination;

	if ((int)item == set->fails_at)
		return failure_set(f, FAILURE_DATASET, "item %u is spoilt", item);
	if ((int)item == set->exits_at)
		_exit(3);
	if (set->jitter_us)
		usleep((useconds_t)(rng_hash(own->worker, item) % set->jitter_us));
	*out = (struct number_item){.number = item, .worker = own->worker};
	atomic_fetch_add(&set->counts->loaded, 1);
	return 0;
}

static void number_close(void *state)
{
	const struct number_state *own = state;

	atomic_fetch_add(&own->set->counts->closed, 1);
	free(state);
}

static const struct dataset_ops number_ops = {
	.open = number_open, .get = number_get, .close = number_close};

void number_set_init(struct number_set *set, uint32_t length)
{
	*set = (struct number_set){
		.dataset = {.ops = &number_ops,
			    .context = set,
			    .name = "Numbers",
			    .length = length,
			    .item_bytes = sizeof(struct number_item)},
		.counts = mmap(NULL, sizeof(*set->counts), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0),
		.fails_at = NO_ITEM,
		.exits_at = NO_ITEM,
	};
}

void number_set_release(struct number_set *set)
{
	munmap(set->counts, sizeof(*set->counts));
}
