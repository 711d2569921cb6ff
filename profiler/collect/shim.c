/* Finding and preloading the shim: see the header. */
#include "profiler/collect/shim.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---- where it is ---- */

static int is_there(char path[PATH_MAX], const char *candidate)
{
	char *real = access(candidate, R_OK) ? NULL : realpath(candidate, NULL);
	int found = real && strlen(real) < PATH_MAX;

	if (found)
		strcpy(path, real);
	free(real);
	return found;
}

static int is_in_triplet_folder(char path[PATH_MAX], const char *bin)
{
	char pattern[PATH_MAX + 64];
	glob_t matches;
	int found = 0;

	snprintf(pattern, sizeof(pattern), "%s/../lib/*-linux-*/loopmem/" SHIM_NAME, bin);
	if (glob(pattern, GLOB_NOSORT, NULL, &matches))
		return 0;
	for (size_t i = 0; i < matches.gl_pathc && !found; i++)
		found = is_there(path, matches.gl_pathv[i]);
	globfree(&matches);
	return found;
}

int shim_find(char path[PATH_MAX], struct error *e)
{
	static const char *const places[] = {"", "/../lib/loopmem"};
	const char *named = secure_getenv("LOOPMEM_LIB");
	char bin[PATH_MAX], candidate[PATH_MAX + 64], *slash;
	ssize_t n = readlink("/proc/self/exe", bin, sizeof(bin) - 1);

	if (named && *named) {
		if (is_there(path, named))
			return 0;
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot read $LOOPMEM_LIB %s",
				       named);
	}
	bin[n > 0 ? n : 0] = '\0';
	slash = strrchr(bin, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(candidate, sizeof(candidate), "%s%s/" SHIM_NAME, bin, places[i]);
		if (is_there(path, candidate))
			return 0;
	}
	if (is_in_triplet_folder(path, bin))
		return 0;
	error_set(e, ERROR_SYSTEM, "cannot find " SHIM_NAME " beside %s or in ../lib/loopmem", bin);
	error_hint(e, "say where it is: LOOPMEM_LIB=PATH loopmem run ...");
	return e->kind;
}

/* ---- LD_PRELOAD ---- */

/* The loader divides at blanks and colons; whole entries are compared, a name inside another is no
 * match. */
static int lists(const char *list, const char *path)
{
	size_t length = strlen(path);

	while (*list) {
		size_t n = strcspn(list, ": ");

		if (n == length && !memcmp(list, path, n))
			return 1;
		list += n + (list[n] != '\0');
	}
	return 0;
}

char *shim_preload(const char *path, const char *before, const char *directory)
{
	char link[PATH_MAX], *value;

	if (strpbrk(path, ": ")) {
		if ((size_t)snprintf(link, sizeof(link), "%s/" SHIM_NAME, directory) >=
			    sizeof(link) ||
		    (symlink(path, link) && errno != EEXIST))
			return NULL;
		path = link;
	}
	if (!before || !*before)
		return strdup(path);
	if (lists(before, path))
		return strdup(before);
	return asprintf(&value, "%s:%s", path, before) < 0 ? NULL : value;
}

/* ---- why it did not load ---- */

static int open_in_path(const char *command)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	if (strchr(command, '/'))
		return open(command, O_RDONLY | O_CLOEXEC);
	for (const char *p = path ? path : "/bin:/usr/bin"; *p;) {
		size_t n = strcspn(p, ":");

		if ((size_t)snprintf(file, sizeof(file), "%.*s/%s", (int)n, n ? p : ".", command) <
			    sizeof(file) &&
		    !access(file, X_OK))
			return open(file, O_RDONLY | O_CLOEXEC);
		p += n + (p[n] != '\0');
	}
	errno = ENOENT;
	return -1;
}

int shim_open_program(int pid, const char *command)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fd = open_in_path(command);
	return fd < 0 ? -errno : fd;
}

static int changes_user(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (st.st_mode & (S_ISUID | S_ISGID) ||
				   fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

/* The name of the program interpreter; "" = none. */
static void read_interpreter(int fd, const Elf64_Ehdr *head, char *name, size_t size)
{
	name[0] = '\0';
	for (int i = 0; i < head->e_phnum; i++) {
		Elf64_Phdr segment;
		ssize_t n;

		if (pread(fd, &segment, sizeof(segment),
			  (off_t)(head->e_phoff + (uint64_t)i * head->e_phentsize)) !=
		    (ssize_t)sizeof(segment))
			return;
		if (segment.p_type != PT_INTERP)
			continue;
		n = pread(fd, name, segment.p_filesz < size ? segment.p_filesz : size - 1,
			  (off_t)segment.p_offset);
		name[n > 0 ? n : 0] = '\0';
	}
}

const char *shim_why_not(int fd)
{
	Elf64_Ehdr head, own;
	char interpreter[128];
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int own_known = self >= 0 && pread(self, &own, sizeof(own), 0) == (ssize_t)sizeof(own);

	if (self >= 0)
		close(self);
	if (pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG))
		return NULL; /* a script: its interpreter was asked */
	if (own_known &&
	    (head.e_ident[EI_CLASS] != own.e_ident[EI_CLASS] || head.e_machine != own.e_machine))
		return "it is made for another processor";
	if (changes_user(fd))
		return "it runs with another user's rights (setuid or capabilities)";
	read_interpreter(fd, &head, interpreter, sizeof(interpreter));
	if (!interpreter[0])
		return "it is statically linked";
	if (strstr(interpreter, "ld-musl"))
		return "it runs on musl, not on glibc";
	return NULL;
}
