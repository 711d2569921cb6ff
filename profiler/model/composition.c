/* What the memory of one moment is made of. Each process's proportional bytes are given to the kinds in order, so they sum to the total. */
#include "profiler/model/private.h"

/* Takes at most `wanted` out of what is left. */
static int64_t take(int64_t *left, int64_t wanted)
{
	int64_t taken = wanted < 0 ? 0 : wanted < *left ? wanted : *left;

	*left -= taken;
	return taken;
}

/* What is known beside the kinds while they are being summed. */
struct leftovers {
	int64_t heap;      /* live heap that its process's own proportional bytes do not cover */
	int64_t inherited; /* bytes of forked processes that are of no kind */
};

static void add_process(const struct model_process *p, int forked, const struct figures *f,
			struct model_composition *out, struct leftovers *over)
{
	int64_t left = series_proportional(f), live, unshared;

	out->total += left;
	out->shm += take(&left, f->shmem_bytes);
	out->files += take(&left, f->file_bytes);
	live = take(&left, f->live_bytes);
	unshared = take(&left, f->unshared_bytes);
	out->live_heap += live;
	out->unshared += unshared;
	/* without the shim nobody knows what is allocated: then nothing is called retained */
	if (p->instrumented)
		out->allocator += take(&left, f->private_anon_bytes - live - unshared);
	out->other += left;
	over->heap += f->live_bytes - live;
	over->inherited += forked ? left : 0;
}

/* A parent's heap is shared out among its children: their parts of it are live heap too. */
static void give_back_heap(struct model_composition *out, const struct leftovers *over)
{
	int64_t heap = over->heap < over->inherited ? over->heap : over->inherited;

	out->live_heap += heap;
	out->other -= heap;
}

void composition_make(const struct model *m, int64_t t_ns, size_t alive,
		      struct model_composition *out)
{
	const struct model_private *priv = m->priv;
	const struct shm_walk *walk = tables_walk_at(&priv->tables, t_ns);

	struct leftovers over = {0};

	*out = (struct model_composition){0};
	for (size_t i = 0; i < alive; i++)
		add_process(&m->processes[priv->alive[i]],
			    priv->tables.tracks.items[priv->alive[i]].forked,
			    &priv->figures[priv->alive[i]], out, &over);
	give_back_heap(out, &over);
	for (size_t i = 0; walk && i < walk->count; i++) {
		const struct shm_row *row = &priv->tables.shm.items[walk->first + i];

		if (row->class == SHM_PARKED && row->creator >= 0 &&
		    !priv->figures[row->creator].alive)
			continue;
		out->total += row->unmapped_bytes;
		*(row->class == SHM_PARKED ? &out->parked : &out->shm) += row->unmapped_bytes;
	}
}
