/*
 * watchful: a program that would notice a child it did not make. Begins a pool and prints what it
 * saw: signals of children, children to wait for, and whether errno, the signal mask and its open
 * descriptors are as before.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject/loopmem.h"

static volatile sig_atomic_t signals;

static void on_child(int signal)
{
	(void)signal;
	signals++;
}

static int open_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int n = 0;

	while (directory && readdir(directory))
		n++;
	if (directory)
		closedir(directory);
	return n;
}

int main(void)
{
	struct loopmem_pool_spec spec = {.stage = LOOPMEM_STAGE_TRAIN, .label = "watched"};
	int descriptors = open_descriptors(), kept;
	sigset_t before, after;
	loopmem_pool pool;

	memset(&before, 0, sizeof(before)); /* the kernel writes only a part of them */
	memset(&after, 0, sizeof(after));
	signal(SIGCHLD, on_child);
	sigprocmask(SIG_SETMASK, NULL, &before);
	errno = EXDEV;
	pool = loopmem_pool_begin(&spec);
	kept = errno == EXDEV;
	usleep(300000);
	sigprocmask(SIG_SETMASK, NULL, &after);
	printf("pool %d, %d signals, wait %s, errno %s, mask %s, descriptors %+d\n", pool != 0,
	       (int)signals, waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? "none" : "some",
	       kept ? "kept" : "changed",
	       memcmp(&before, &after, sizeof(before)) ? "changed" : "kept",
	       open_descriptors() - descriptors);
	return 0;
}
