/*
 * proc_file.h: a file of one process under /proc, kept open between reads.
 *
 * A kept descriptor saves 3 us a read and belongs to the process for ever: after it was reaped a
 * read gives ESRCH, never another process with the same pid. When no descriptor is left to keep
 * (EMFILE) every read opens the file anew.
 */
#ifndef PROFILER_COLLECT_PROC_FILE_H
#define PROFILER_COLLECT_PROC_FILE_H

#include <stddef.h>
#include <sys/types.h>

struct proc_file {
	int fd; /* -1 = not kept */
	pid_t pid;
	const char *name; /* static storage: "statm" */
};

/* Gives back a descriptor that may be kept for as long as its process lives. Where few are left it is
 * closed, and -EMFILE returned: the last ones are needed for reading. */
int descriptor_worth_keeping(int fd);

/* Never fails: what cannot be opened now fails to be read later. */
void proc_file_open(struct proc_file *f, pid_t pid, const char *name);
void proc_file_close(struct proc_file *f);

/* Reads from the start into `buffer` and ends it with a zero byte. Bytes read, or -errno (-ESRCH
 * and -ENOENT: gone). */
ssize_t proc_file_read(const struct proc_file *f, char *buffer, size_t size);

/* The same in one go, without keeping anything. */
ssize_t proc_read(pid_t pid, const char *name, char *buffer, size_t size);

/* A whole file of any size. The buffer grows and is kept by the caller for the next read. */
struct proc_text {
	char *data; /* ended by a zero byte */
	size_t size, capacity;
};

enum { PROC_MAPS_LIMIT = 16 << 20 }; /* of a maps file: 65530 areas of 250 bytes */

/* 0 or -errno. At most `limit` bytes are read; the rest of a longer file is left. */
int proc_text_read(struct proc_text *t, pid_t pid, const char *name, size_t limit);
void proc_text_release(struct proc_text *t);

#endif
