/* The machine: see the header. */
#include "profiler/collect/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "profiler/collect/keyed_text.h"

/* The environment is private; these are asked for by name because they tell rank, scheduler and
 * settings that move memory. */
static const char *const environment[] = {
	"RANK",
	"LOCAL_RANK",
	"WORLD_SIZE",
	"LOCAL_WORLD_SIZE",
	"GROUP_RANK",
	"SLURM_JOB_ID",
	"SLURM_PROCID",
	"SLURM_NTASKS",
	"SLURM_NODEID",
	"SLURM_MEM_PER_NODE",
	"OMPI_COMM_WORLD_RANK",
	"OMPI_COMM_WORLD_SIZE",
	"PBS_JOBID",
	"LSB_JOBID",
	"JOB_ID",
	"OMP_NUM_THREADS",
	"MKL_NUM_THREADS",
	"CUDA_VISIBLE_DEVICES",
	"MALLOC_ARENA_MAX",
	"MALLOC_TRIM_THRESHOLD_",
	"PYTHONMALLOC",
	"PYTORCH_CUDA_ALLOC_CONF",
	"GITHUB_RUN_ID",
	"CI_JOB_ID",
};

static int read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	text[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
	return n > 0 ? 0 : -ENOENT;
}

int64_t machine_oom_kills(void)
{
	const struct keyed_field field = {"oom_kill", 0};
	int64_t kills = KEYED_ABSENT;
	char text[16384];

	if (!read_file("/proc/vmstat", text, sizeof(text)))
		keyed_text_parse(text, &field, 1, &kills);
	return kills;
}

void machine_open(struct machine *m)
{
	struct machine_memory memory;

	*m = (struct machine){.meminfo_fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC)};
	if (!machine_read(m, &memory) && memory.ram_bytes != KEYED_ABSENT)
		m->ram_bytes = memory.ram_bytes;
}

void machine_close(struct machine *m)
{
	if (m->meminfo_fd >= 0)
		close(m->meminfo_fd);
	m->meminfo_fd = -1;
}

int machine_read(const struct machine *m, struct machine_memory *out)
{
	static const struct keyed_field fields[] = {
		{"MemTotal", offsetof(struct machine_memory, ram_bytes)},
		{"MemAvailable", offsetof(struct machine_memory, available_bytes)},
		{"Shmem", offsetof(struct machine_memory, shmem_bytes)},
	};
	char text[4096];
	ssize_t n = m->meminfo_fd < 0 ? -1 : pread(m->meminfo_fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	keyed_text_parse(text, fields, sizeof(fields) / sizeof(fields[0]), out);
	return n > 0 ? 0 : -ENOENT;
}

/* "always [madvise] never": the word in brackets. */
static void describe_huge_pages(struct session_writer *w)
{
	char text[128], *from, *end;

	if (read_file("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof(text)))
		return;
	from = strchr(text, '[');
	end = from ? strchr(from, ']') : NULL;
	if (!end)
		return;
	*end = '\0';
	session_put_text(w, "thp", from + 1);
}

/* The first "model name" of /proc/cpuinfo; not every architecture has one. */
static void describe_cpu(struct session_writer *w)
{
	char text[4096], *name, *colon;

	if (read_file("/proc/cpuinfo", text, sizeof(text)))
		return;
	name = strstr(text, "model name");
	colon = name ? strchr(name, ':') : NULL;
	if (!colon)
		return;
	colon += 1 + strspn(colon + 1, " \t");
	colon[strcspn(colon, "\n")] = '\0';
	session_put_text(w, "cpu_model", colon);
}

/* What moves memory figures besides the program: runs are compared only where it is alike. */
static void describe_kind(const struct utsname *names, struct session_writer *w)
{
	char libc[64] = "";

	session_put_text(w, "arch", names->machine);
	describe_huge_pages(w);
	describe_cpu(w);
	if (confstr(_CS_GNU_LIBC_VERSION, libc, sizeof(libc)))
		session_put_text(w, "libc", libc);
}

/* That this process, and so what it starts, may run on. */
static long count_cpus(void)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return sysconf(_SC_NPROCESSORS_ONLN);
	return CPU_COUNT(&allowed);
}

void machine_describe(const struct machine *m, struct session_writer *w)
{
	struct utsname names;
	char text[128];

	if (!uname(&names)) {
		session_put_text(w, "host", names.nodename);
		session_put_text(w, "kernel", names.release);
		describe_kind(&names, w);
	}
	if (!read_file("/proc/sys/kernel/random/boot_id", text, sizeof(text))) {
		text[strcspn(text, "\n")] = '\0';
		session_put_text(w, "boot_id", text);
	}
	session_put_int(w, "ram_bytes", m->ram_bytes);
	session_put_int(w, "page_bytes", sysconf(_SC_PAGESIZE));
	session_put_int(w, "cpus", count_cpus());
	for (size_t i = 0; i < sizeof(environment) / sizeof(environment[0]); i++) {
		const char *value = getenv(environment[i]);

		snprintf(text, sizeof(text), "env.%s", environment[i]);
		if (value)
			session_put_text(w, text, value);
	}
}
