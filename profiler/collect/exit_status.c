/* Exit statuses through pidfd and stat: see the header. */
#include "profiler/collect/exit_status.h"

#include <errno.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/collect/proc_counters.h"

/* From Linux 6.15's <linux/pidfd.h>, which may be newer than the headers here. The kernel fills as
 * much as it is told the struct has; this is its first version's size, 64 bytes. */
struct pidfd_info_v0 {
	uint64_t mask, cgroup_id;
	uint32_t pid, tgid, ppid, ids[8];
	int32_t exit_code;
};
#define PIDFD_GET_INFO_V0  _IOWR(0xff, 11, struct pidfd_info_v0)
#define PIDFD_INFO_EXIT_V0 (UINT64_C(1) << 3)

_Static_assert(sizeof(struct pidfd_info_v0) == 64, "PIDFD_INFO_SIZE_VER0");

int exit_watch(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : descriptor_worth_keeping(fd);
}

static enum exit_knowledge ask_pidfd(int pidfd, int *status)
{
	struct pidfd_info_v0 info = {.mask = PIDFD_INFO_EXIT_V0};

	if (pidfd < 0)
		return EXIT_NEVER_KNOWN;
	if (ioctl(pidfd, PIDFD_GET_INFO_V0, &info))
		return errno == ESRCH ? EXIT_UNKNOWN_YET : EXIT_NEVER_KNOWN;
	if (!(info.mask & PIDFD_INFO_EXIT_V0))
		return EXIT_UNKNOWN_YET;
	*status = info.exit_code;
	return EXIT_KNOWN;
}

enum exit_knowledge exit_status(int pidfd, const struct proc_file *stat, int *status)
{
	char text[1024];
	struct proc_stat parsed;

	if (proc_file_read(stat, text, sizeof(text)) > 0 && !proc_stat_parse(text, &parsed)) {
		if (parsed.state != 'Z' && parsed.state != 'X')
			return EXIT_UNKNOWN_YET;
		*status = parsed.exit_status;
		return EXIT_KNOWN;
	}
	return ask_pidfd(pidfd, status);
}
