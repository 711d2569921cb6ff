/*
 * The walk of descriptors. Mappings are looked at only where it matters: in processes that hold
 * objects by descriptors, or that are known to map some, and only if their shared resident bytes
 * are enough to be one of them.
 */
#include "profiler/collect/sampler_shm.h"

#include "profiler/collect/proc_shm.h"

struct walk {
	struct sampler *sampler;
	struct shm_holder who;
	int64_t t_ns;
	int64_t smallest_bytes; /* of the objects this process holds; -1 = none */
	int found;
};

static void see(const struct proc_shm *object, void *arg)
{
	struct walk *w = arg;
	const struct process *creator =
		object->creator_pid ? job_find_inner(w->sampler->job, object->creator_pid, w->t_ns)
				    : NULL;
	const struct shm_sighting sighting = {
		.device = object->device,
		.inode = object->inode,
		.bytes = object->bytes,
		.creator = creator ? creator->id : -1,
		.mapped = object->mapped,
	};

	shm_walk_see(&w->sampler->shm, &sighting, &w->who);
	if (object->bytes >= 0 && (w->smallest_bytes < 0 || object->bytes < w->smallest_bytes))
		w->smallest_bytes = object->bytes;
}

static void see_name(const struct proc_shm *object, void *arg)
{
	struct walk *w = arg;
	const struct process *creator =
		job_find_inner(w->sampler->job, object->creator_pid, w->t_ns);

	if (creator)
		shm_walk_see_name(&w->sampler->shm, &(struct shm_sighting){.device = object->device,
									   .inode = object->inode,
									   .bytes = object->bytes,
									   .creator = creator->id});
}

/* Could it map one of the objects: by what it holds, or, as an owner who closes descriptors once it
 * has mapped, of those known? */
static int may_map(const struct sampler *s, const struct walk *w, const struct process *p)
{
	if (w->smallest_bytes < 0)
		return w->who.is_owner && s->shm.count;
	return p->statm.rss_bytes - p->statm.anon_bytes >= w->smallest_bytes;
}

static void walk_process(struct sampler *s, struct process *p, int64_t t_ns)
{
	struct walk w = {
		.sampler = s,
		.who = {.process = p->id,
			.born_ns = p->born_ns,
			.is_owner = p->role == ROLE_OWNER || p->role == ROLE_ROOT,
			.is_worker = p->role == ROLE_WORKER},
		.t_ns = t_ns,
		.smallest_bytes = -1,
	};

	proc_shm_each_held(p->pid, see, &w);
	if (may_map(s, &w, p) && !proc_text_read(&s->maps, p->pid, "maps", PROC_MAPS_LIMIT))
		proc_shm_each_mapped(s->maps.data, see, &w);
}

static void write_sum(const struct shm_sum *sum, void *arg)
{
	struct walk *w = arg;
	const struct session_shm row = {
		.t_ns = w->t_ns,
		.creator = sum->creator < 0 ? SESSION_NULL : sum->creator,
		.class_name = shm_class_names[sum->class_id],
		.objects = sum->objects,
		.bytes = sum->bytes,
		.unmapped_bytes = sum->unmapped_bytes,
	};

	session_put_shm(w->sampler->recorder->session, &row);
	w->found++;
}

void sampler_walk_shm(struct sampler *s, int64_t t_ns)
{
	struct walk w = {.sampler = s, .t_ns = t_ns};
	int named = 0;
	struct process *p;

	shm_walk_begin(&s->shm);
	JOB_EACH_ALIVE(s->job, p) {
		named |= p->role == ROLE_SHM_MANAGER;
		walk_process(s, p, t_ns);
	}
	if (named) /* torch's file_system strategy keeps batches by name */
		proc_shm_each_named("/dev/shm", see_name, &w);
	shm_walk_end(&s->shm, write_sum, &w);
	if (!w.found)
		session_put_shm(s->recorder->session,
				&(struct session_shm){.t_ns = t_ns,
						      .creator = SESSION_NULL,
						      .class_name = "parked"});
}
