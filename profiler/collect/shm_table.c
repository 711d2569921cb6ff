/* Shared-memory objects, their creators and classes: see the header. */
#include "profiler/collect/shm_table.h"

#include <errno.h>
#include <stdlib.h>

#include "profiler/array.h"

const char *const shm_class_names[SHM_CLASSES] = {
	[SHM_PARKED] = "parked",
	[SHM_IN_USE] = "in-use",
	[SHM_HOSTAGE] = "hostage",
};

struct shm_object {
	uint64_t device, inode;
	uint64_t walk; /* last seen in */
	int64_t bytes;
	int64_t creator; /* -1 = unknown */
	int creator_known; /* by the name or from an earlier walk; else `creator` is the best guess so far */
	struct shm_holder guess; /* why it is the best */
	/* seen in this walk: */
	int mapped, by_owner, by_creator, by_worker;
};

void shm_table_release(struct shm_table *t)
{
	free(t->objects);
	*t = (struct shm_table){0};
}

void shm_walk_begin(struct shm_table *t)
{
	t->walk++;
}

static struct shm_object *find(struct shm_table *t, const struct shm_sighting *what)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->objects[i].inode == what->inode && t->objects[i].device == what->device)
			return &t->objects[i];
	return NULL;
}

static struct shm_object *add(struct shm_table *t, const struct shm_sighting *what)
{
	struct shm_object *object =
		array_add_item(&t->objects, &t->count, &t->capacity, sizeof(*object));

	if (object)
		*object = (struct shm_object){
			.device = what->device, .inode = what->inode, .creator = -1};
	return object;
}

/* The object, made when it is new, with what is known whoever was seen with it. */
static struct shm_object *touch(struct shm_table *t, const struct shm_sighting *what)
{
	struct shm_object *o = find(t, what);

	if (!o)
		o = add(t, what);
	if (!o)
		return NULL;
	if (o->walk != t->walk) {
		o->walk = t->walk;
		o->mapped = o->by_owner = o->by_creator = o->by_worker = 0;
	}
	if (what->bytes >= 0)
		o->bytes = what->bytes;
	if (what->creator >= 0) {
		o->creator = what->creator;
		o->creator_known = 1;
	}
	return o;
}

static int better_guess(const struct shm_holder *than, const struct shm_holder *who)
{
	if (than->is_worker != who->is_worker)
		return who->is_worker;
	return who->born_ns < than->born_ns;
}

int shm_walk_see(struct shm_table *t, const struct shm_sighting *what, const struct shm_holder *who)
{
	struct shm_object *o;

	if (what->bytes < 0 && !find(t, what))
		return 0;
	o = touch(t, what);
	if (!o)
		return -ENOMEM;
	if (!o->creator_known && (o->creator < 0 || better_guess(&o->guess, who))) {
		o->guess = *who;
		o->creator = who->process;
	}
	o->mapped |= what->mapped;
	o->by_owner |= who->is_owner;
	o->by_worker |= who->is_worker;
	o->by_creator |= !o->creator_known || who->process == o->creator;
	return 0;
}

int shm_walk_see_name(struct shm_table *t, const struct shm_sighting *what)
{
	return touch(t, what) ? 0 : -ENOMEM;
}

static enum shm_class class_of(const struct shm_object *o)
{
	if (o->by_owner)
		return SHM_IN_USE;
	return o->by_worker && !o->by_creator ? SHM_HOSTAGE : SHM_PARKED;
}

static void forget_unseen(struct shm_table *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		if (t->objects[i].walk != t->walk)
			continue;
		t->objects[kept] = t->objects[i];
		t->objects[kept++].creator_known = 1;
	}
	t->count = kept;
}

static int by_creator_and_class(const void *a, const void *b)
{
	const struct shm_object *x = a, *y = b;

	if (x->creator != y->creator)
		return x->creator < y->creator ? -1 : 1;
	return (int)class_of(x) - (int)class_of(y);
}

void shm_walk_end(struct shm_table *t, void (*fn)(const struct shm_sum *, void *), void *arg)
{
	forget_unseen(t);
	if (t->count)
		qsort(t->objects, t->count, sizeof(*t->objects), by_creator_and_class);
	for (size_t i = 0, next; i < t->count; i = next) {
		const struct shm_object *first = &t->objects[i];
		struct shm_sum sum = {.creator = first->creator, .class_id = class_of(first)};

		for (next = i; next < t->count && !by_creator_and_class(first, &t->objects[next]);
		     next++) {
			sum.objects++;
			sum.bytes += t->objects[next].bytes;
			sum.unmapped_bytes += t->objects[next].mapped ? 0 : t->objects[next].bytes;
		}
		fn(&sum, arg);
	}
}
