/* Roles by command line: see the header. */
#include "profiler/collect/role.h"

#include <string.h>

const char *const role_names[ROLES] = {
	[ROLE_CHILD] = "child",
	[ROLE_ROOT] = "root",
	[ROLE_OWNER] = "owner",
	[ROLE_WORKER] = "worker",
	[ROLE_FORKSERVER] = "forkserver",
	[ROLE_RESOURCE_TRACKER] = "resource-tracker",
	[ROLE_SHM_MANAGER] = "shm-manager",
};

enum role role_of_command(const char *cmdline, const char *comm, int forked)
{
	if (!strncmp(comm, "torch_shm_manag", 15)) /* the kernel keeps 15 letters */
		return ROLE_SHM_MANAGER;
	/* multiprocessing's, or the copy of it that joblib brings */
	if (strstr(cmdline, "resource_tracker import main") ||
	    strstr(cmdline, "multiprocessing.semaphore_tracker"))
		return ROLE_RESOURCE_TRACKER;
	if (strstr(cmdline, "multiprocessing.forkserver") && !forked)
		return ROLE_FORKSERVER;
	return ROLE_CHILD;
}
