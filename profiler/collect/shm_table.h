/*
 * shm_table.h: whose batches are held by whom. Sightings of one walk over all processes go in, sums
 * per creator and class come out. Pure: no /proc.
 *
 * An object counts once, however many descriptors of however many processes hold it. Its creator is
 * the pid in its name, or its first holder (a worker before an owner, the older before the younger:
 * later pools only inherit), and is remembered as long as the object is seen. Classes as in
 * schema.sql:
 *   in-use   an owner maps it or holds a descriptor of it
 *   hostage  only workers that are not its creator hold or map it: they inherited it at their fork
 *   parked   the rest: its creator, or nobody known, holds it
 */
#ifndef PROFILER_COLLECT_SHM_TABLE_H
#define PROFILER_COLLECT_SHM_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum shm_class { SHM_PARKED, SHM_IN_USE, SHM_HOSTAGE, SHM_CLASSES };

extern const char *const shm_class_names[SHM_CLASSES]; /* as in the session */

struct shm_holder {
	int64_t process; /* session id */
	int64_t born_ns;
	int is_owner, is_worker;
};

struct shm_sighting {
	uint64_t device, inode;
	int64_t bytes;   /* -1 = not known from here */
	int64_t creator; /* session id of the process its name tells, -1 = not told */
	int mapped;
};

struct shm_object;
struct shm_table {
	struct shm_object *objects;
	size_t count, capacity;
	uint64_t walk; /* number of the walk that runs */
};

/* One line of a walk's result. */
struct shm_sum {
	int64_t creator; /* session id, -1 = unknown */
	enum shm_class class_id;
	int64_t objects, bytes;
	int64_t unmapped_bytes; /* of objects that nobody maps: in no process's Pss */
};

void shm_table_release(struct shm_table *t);

/* A walk: begin, every sighting, end. A mapping of an object that no descriptor was seen of is
 * remembered only when the object was known: without its size it cannot be counted, and mapped
 * memory is in Pss anyway. 0 or -ENOMEM. */
void shm_walk_begin(struct shm_table *t);
int shm_walk_see(struct shm_table *t, const struct shm_sighting *what,
		 const struct shm_holder *who);

/* A name in /dev/shm, held by nobody: keeps the object alive. */
int shm_walk_see_name(struct shm_table *t, const struct shm_sighting *what);

/* Forgets what was not seen and calls fn for each creator and class that has objects. */
void shm_walk_end(struct shm_table *t, void (*fn)(const struct shm_sum *, void *), void *arg);

#endif
