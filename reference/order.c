/* An order is one shared anonymous mapping. */
#include "reference/order.h"

#include <sys/mman.h>

#include "reference/rng.h"

static size_t size_bytes(uint32_t length)
{
	return sizeof(struct order) + length * sizeof(uint32_t);
}

struct order *order_new(uint32_t length)
{
	struct order *order = mmap(NULL, size_bytes(length), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (order == MAP_FAILED)
		return NULL;
	order->length = length;
	return order;
}

void order_sequential(struct order *order)
{
	for (uint32_t i = 0; i < order->length; i++)
		order->items[i] = i;
}

void order_shuffled(struct order *order, uint64_t seed, int32_t epoch)
{
	struct rng rng = {.state = rng_hash(seed, (uint64_t)(int64_t)epoch)};

	order_sequential(order);
	rng_shuffle(&rng, order->items, order->length);
}

void order_keep_from_later_children(struct order *order)
{
	madvise(order, size_bytes(order->length), MADV_DONTFORK);
}

void order_free(struct order *order)
{
	if (order)
		munmap(order, size_bytes(order->length));
}
