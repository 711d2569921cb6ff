/*
 * trim.c: when to test, and the test: private bytes before and after malloc_trim(0), left as an event.
 */
#include "inject/trim.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "inject/events.h"
#include "inject/identity.h"
#include "inject/self.h"
#include "inject/text.h"
#include "inject/thread_slots.h"

enum { SHARE = 100 };

static bool wanted;        /* written at start */
static unsigned char busy; /* a thread looks; atomic. It alone touches the following */
static uint64_t next_test_ns;
static uint64_t highest_bytes; /* of the live heap since the last test */
static uint64_t fell_ns;       /* since when it is so much lower; 0 = it is not */

static void refuse(const char *why, const char *name)
{
	char reason[LOOPMEM_TEXT];
	struct text text = text_into(reason, sizeof(reason));

	text_put(&text, why);
	text_put(&text, name);
	event_emit(&(struct event){.kind = LOOPMEM_EVENT_TRIM, .text = reason});
}

void trim_start(const char *value)
{
	if (!value)
		return;
	wanted = identity_allocator.is_glibc;
	if (!wanted && self_is_published())
		refuse("its allocator is ", identity_allocator.name);
}

void trim_forked(void)
{
	busy = 0;
	next_test_ns = highest_bytes = fell_ns = 0;
}

/* Kilobytes behind "NAME:" as bytes. */
static int64_t field(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	int64_t kib = 0;

	if (!at)
		return 0;
	for (at += strlen(name); *at == ' '; at++)
		;
	for (; *at >= '0' && *at <= '9'; at++)
		kib = kib * 10 + (*at - '0');
	return kib << 10;
}

/* Of this process; -1 when the kernel does not tell. */
static int64_t private_bytes(void)
{
	char text[2048];
	ssize_t n = -1;
	int fd = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (n <= 0)
		return -1;
	text[n] = '\0';
	return field(text, "Private_Clean:") + field(text, "Private_Dirty:");
}

static void test(void)
{
	int64_t before = private_bytes(), after;

	if (before < 0) {
		wanted = false;
		refuse("the kernel has no smaps_rollup", "");
		return;
	}
	malloc_trim(0);
	after = private_bytes();
	event_emit(&(struct event){.kind = LOOPMEM_EVENT_TRIM, .value = before, .value2 = after});
}

static bool is_due(uint64_t now_ns)
{
	uint64_t live_bytes = thread_live_bytes(self_segment);

	if (live_bytes > highest_bytes)
		highest_bytes = live_bytes;
	if (highest_bytes - live_bytes < TRIM_LEAST_BYTES) {
		fell_ns = 0;
		return false;
	}
	if (!fell_ns)
		fell_ns = now_ns;
	return now_ns - fell_ns >= TRIM_STAY_NS && now_ns >= next_test_ns;
}

static void look(void)
{
	uint64_t now_ns = self_now_ns(), end_ns, pause_ns;

	if (!is_due(now_ns))
		return;
	test();
	end_ns = self_now_ns();
	pause_ns = SHARE * (end_ns - now_ns);
	next_test_ns = end_ns + (pause_ns > TRIM_PERIOD_NS ? pause_ns : TRIM_PERIOD_NS);
	highest_bytes = fell_ns = 0;
}

void trim_look(void)
{
	int saved;

	if (!wanted || thread.holds || !self_is_published())
		return;
	if (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		return;
	saved = errno;
	look();
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	errno = saved;
}
