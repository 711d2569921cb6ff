/*
 * The parts against the whole, at the peak: what the processes hold, what the cgroup was charged, and the rest that nothing explains.
 * File pages are charged to whoever read them first: so the processes' share of file pages stands against the cgroup's file pages, and
 * what the cgroup has more of is page cache, less is charged elsewhere.
 */
#include "profiler/model/private.h"

void reconcile_build(struct model *m)
{
	struct model_reconciliation *out = &m->reconciliation;
	const struct model_private *priv = m->priv;
	const struct system_row *system;
	int64_t files = 0;
	size_t alive;

	*out = (struct model_reconciliation){
		.at_ns = m->totals.peak_at_ns,
		.cgroup_bytes = MODEL_NONE,
		.cgroup_file_bytes = MODEL_NONE,
		.cgroup_kernel_bytes = MODEL_NONE,
		.unexplained_bytes = MODEL_NONE,
	};
	if (out->at_ns == MODEL_NONE)
		return;
	alive = figures_at(m, out->at_ns);
	for (size_t i = 0; i < alive; i++) {
		const struct figures *f = &priv->figures[priv->alive[i]];

		out->heap_bytes += f->live_bytes;
		out->private_bytes += f->private_bytes;
		out->proportional_bytes += series_proportional(f);
		files += f->file_bytes;
	}
	composition_make(m, out->at_ns, alive, &m->peak);
	out->unmapped_shm_bytes = m->peak.total - out->proportional_bytes;
	system = tables_system_at(&priv->tables, out->at_ns);
	if (!system || system->current_bytes == SESSION_NULL)
		return;
	out->cgroup_bytes = system->current_bytes;
	if (system->file_bytes == SESSION_NULL)
		return;
	out->cgroup_file_bytes = system->file_bytes - files;
	out->cgroup_kernel_bytes = system->kernel_bytes == SESSION_NULL ? 0 : system->kernel_bytes;
	out->unexplained_bytes = out->cgroup_bytes - m->peak.total - out->cgroup_file_bytes -
				 out->cgroup_kernel_bytes;
}
