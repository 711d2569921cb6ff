/* Reading of smaps_rollup: see the header. */
#include "profiler/collect/proc_rollup.h"

#include <errno.h>

#include "profiler/collect/clock.h"
#include "profiler/collect/proc_file.h"

int proc_rollup_parse(const char *text, struct proc_rollup *out)
{
	static const struct keyed_field fields[] = {
		{"Rss", offsetof(struct proc_rollup, rss)},
		{"Pss", offsetof(struct proc_rollup, pss)},
		{"Pss_Anon", offsetof(struct proc_rollup, pss_anon)},
		{"Pss_File", offsetof(struct proc_rollup, pss_file)},
		{"Pss_Shmem", offsetof(struct proc_rollup, pss_shmem)},
		{"Shared_Clean", offsetof(struct proc_rollup, shared_clean)},
		{"Shared_Dirty", offsetof(struct proc_rollup, shared_dirty)},
		{"Private_Clean", offsetof(struct proc_rollup, private_clean)},
		{"Private_Dirty", offsetof(struct proc_rollup, private_dirty)},
		{"Anonymous", offsetof(struct proc_rollup, anonymous)},
		{"AnonHugePages", offsetof(struct proc_rollup, anon_huge)},
		{"Swap", offsetof(struct proc_rollup, swap)},
		{"SwapPss", offsetof(struct proc_rollup, swap_pss)},
	};

	keyed_text_parse(text, fields, sizeof(fields) / sizeof(fields[0]), out);
	return out->rss == KEYED_ABSENT || out->pss == KEYED_ABSENT ? -EINVAL : 0;
}

int proc_rollup_read(pid_t pid, struct proc_rollup *out, int64_t *wall_ns)
{
	char text[4096];
	int64_t start_ns = clock_monotonic_ns();
	ssize_t n = proc_read(pid, "smaps_rollup", text, sizeof(text));

	*wall_ns = clock_monotonic_ns() - start_ns;
	if (n < 0)
		return n == -ENOENT ? -ESRCH : (int)n;
	if (n == 0) /* the address space went away between open and read */
		return -ESRCH;
	return proc_rollup_parse(text, out);
}

int64_t proc_rollup_private(const struct proc_rollup *r)
{
	if (r->private_clean == KEYED_ABSENT || r->private_dirty == KEYED_ABSENT)
		return 0;
	return r->private_clean + r->private_dirty;
}

int64_t proc_rollup_shared(const struct proc_rollup *r)
{
	if (r->shared_clean == KEYED_ABSENT || r->shared_dirty == KEYED_ABSENT)
		return KEYED_ABSENT;
	return r->shared_clean + r->shared_dirty;
}

int64_t proc_rollup_shared_at_fork(const struct proc_rollup *r, int64_t minor_faults,
				   int64_t inherited_anon)
{
	int64_t shared = proc_rollup_shared(r), copied = minor_faults * 4096;

	if (shared == KEYED_ABSENT || r->private_dirty == KEYED_ABSENT ||
	    r->anonymous == KEYED_ABSENT || inherited_anon == KEYED_ABSENT)
		return shared;
	if (copied > r->private_dirty)
		copied = r->private_dirty;
	if (r->anonymous > inherited_anon)
		copied -= r->anonymous - inherited_anon;
	return copied > 0 ? shared + copied : shared;
}
