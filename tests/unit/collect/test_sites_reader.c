/* Claims about profiler/collect/sites_reader.h: what a good file says, and no harm from any other. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "crafted.h"
#include "profiler/collect/sites_reader.h"

enum { FILE_BYTES = 65536 };

static char file[FILE_BYTES];
static uint32_t used;

static void *append(uint32_t kind, const void *record, uint32_t bytes)
{
	struct loopmem_record *head = memcpy(file + used, record, bytes);

	head->kind = kind & 0xff;
	bytes = (bytes + 7) & ~7u;
	if (kind != LOOPMEM_RECORD_NODE)
		head->bytes = bytes;
	used += bytes;
	((struct loopmem_sites *)file)->used_bytes = used;
	return head;
}

static uint32_t append_text(const char *text)
{
	char bytes[64] = {0};
	struct loopmem_record_string *record = (void *)bytes;
	uint32_t at = used;

	record->text_bytes = (uint32_t)strlen(text);
	memcpy(record->text, text, record->text_bytes);
	append(LOOPMEM_RECORD_STRING, record, 12 + record->text_bytes);
	return at;
}

/* fill (data.py:42), called by 0x1234 of no module; one site of 60 live bytes. */
static void craft(void)
{
	struct loopmem_sites *head = memset(file, 0, sizeof(file));
	struct loopmem_record_python python = {0};
	struct loopmem_record_native native = {.address = 0x1234};
	struct loopmem_record_node node = {0};
	struct loopmem_record_site site = {.pool_id = 3,
					   .counts = {.alloc_bytes = 100,
						      .alloc_blocks = 10240,
						      .free_bytes = 40,
						      .free_blocks = 4096,
						      .edge_live_bytes = 25,
						      .edge = 2}};

	*head = (struct loopmem_sites){.magic = LOOPMEM_SITES_MAGIC,
				       .version = LOOPMEM_SITES_VERSION,
				       .header_bytes = sizeof(*head)};
	used = LOOPMEM_SITES_HEADER;
	python.function = append_text("fill");
	python.file = append_text("data.py");
	python.line = 42;
	node.frame_unit = used / LOOPMEM_SITES_UNIT & 0xffffff;
	append(LOOPMEM_RECORD_NATIVE, &native, sizeof(native));
	site.node = used;
	append(LOOPMEM_RECORD_NODE, &node, sizeof(node));
	node.frame_unit = used / LOOPMEM_SITES_UNIT & 0xffffff;
	append(LOOPMEM_RECORD_PYTHON, &python, sizeof(python));
	node.parent = site.node;
	site.node = used;
	append(LOOPMEM_RECORD_NODE, &node, sizeof(node));
	append(LOOPMEM_RECORD_SITE, &site, sizeof(site));
}

/* What was handed out, as text of one letter a record. */
static char told[256];
static struct sites_site last_site;

static int32_t tell(char letter)
{
	size_t n = strlen(told);

	if (n + 1 < sizeof(told))
		told[n] = letter;
	return (int32_t)n + 1;
}

static int32_t module(void *arg, const struct sites_module *m)
{
	(void)arg;
	assert_true(m->path_bytes <= 4096 && m->build_id_bytes <= 64);
	return tell('m');
}

static int32_t native(void *arg, int32_t number, uint64_t address)
{
	(void)arg;
	(void)number;
	(void)address;
	return tell('n');
}

static int32_t python(void *arg, const char *function, const char *path, int line)
{
	(void)arg;
	assert_true(strlen(function) <= LOOPMEM_SITES_TEXT && strlen(path) <= LOOPMEM_SITES_TEXT);
	return tell(!strcmp(function, "fill") && !strcmp(path, "data.py") && line == 42 ? 'P'
											: 'p');
}

static int32_t node(void *arg, int32_t parent, int32_t frame)
{
	(void)arg;
	assert_true(frame > 0 && parent >= 0 && (size_t)frame <= strlen(told));
	return tell(parent ? 'C' : 'c');
}

static int32_t site(void *arg, const struct sites_site *s)
{
	(void)arg;
	if (s->node)
		last_site = *s;
	return tell(s->node ? 's' : 'o');
}

static const struct sites_events events = {module, native, python, node, site, NULL};

static int open_file(struct sites_reader *r, size_t bytes)
{
	crafted_file(crafted_path("a.sites"), file, bytes);
	return sites_open(r, AT_FDCWD, crafted_path("a.sites"));
}

static const char *read_file(size_t bytes)
{
	struct sites_reader r;

	memset(told, 0, sizeof(told));
	if (open_file(&r, bytes))
		return "";
	assert_int_equal(sites_read(&r, &events), 0);
	sites_close(&r);
	return told;
}

static void a_file_is_handed_out_in_order(void **state)
{
	(void)state;
	craft();
	assert_string_equal(read_file(FILE_BYTES), "ncPCso");
	assert_int_equal(last_site.pool_id, 3);
	assert_int_equal(last_site.counts.alloc_bytes - last_site.counts.free_bytes, 60);
}

/* Names of Python may be empty. A frame that cannot be read takes no bytes away. */
static void no_site_is_passed_over(void **state)
{
	struct loopmem_record_site site = {.counts = {.alloc_bytes = 100, .alloc_blocks = 1024}};
	struct loopmem_record_python python = {.line = 1};
	struct loopmem_record_node node = {0};

	(void)state;
	craft();
	python.function = python.file = append_text("");
	node.frame_unit = used / LOOPMEM_SITES_UNIT & 0xffffff;
	append(LOOPMEM_RECORD_PYTHON, &python, sizeof(python));
	site.node = used;
	append(LOOPMEM_RECORD_NODE, &node, sizeof(node));
	append(LOOPMEM_RECORD_SITE, &site, sizeof(site));
	site.node = 0;
	append(LOOPMEM_RECORD_SITE, &site, sizeof(site));
	assert_string_equal(read_file(FILE_BYTES), "ncPCpcssoo");
}

static void what_is_new_is_handed_out_once_and_sites_each_time(void **state)
{
	struct sites_reader r;

	(void)state;
	craft();
	memset(told, 0, sizeof(told));
	assert_int_equal(open_file(&r, FILE_BYTES), 0);
	sites_read(&r, &events);
	assert_int_equal(last_site.number, 0);
	sites_read(&r, &events);
	assert_int_equal(last_site.number, 5); /* what it was given then */
	sites_close(&r);
	assert_string_equal(told, "ncPCsoso");
}

static void a_file_cut_short_while_it_is_mapped_is_told_once(void **state)
{
	struct sites_reader r;
	struct loopmem_sites head;

	(void)state;
	craft();
	memset(told, 0, sizeof(told));
	assert_int_equal(open_file(&r, FILE_BYTES), 0);
	assert_int_equal(sites_read(&r, &events), 0);
	assert_int_equal(truncate(crafted_path("a.sites"), 0), 0);
	assert_int_equal(sites_read(&r, &events), -EIO);
	assert_int_equal(sites_read(&r, &events), 0);
	assert_int_equal(sites_head(&r, &head), -EIO);
	assert_string_equal(told, "ncPCso"); /* no zeros for what was known */
	sites_close(&r);
}

static void other_versions_and_unfinished_files_are_told_apart(void **state)
{
	struct loopmem_sites *head = (void *)file;
	struct sites_reader r;

	(void)state;
	craft();
	head->magic = 0;
	assert_int_equal(open_file(&r, FILE_BYTES), -EAGAIN);
	assert_int_equal(open_file(&r, 0), -EAGAIN);
	head->magic = 77;
	assert_int_equal(open_file(&r, FILE_BYTES), -EINVAL);
	head->magic = LOOPMEM_SITES_MAGIC;
	head->version++;
	assert_int_equal(open_file(&r, FILE_BYTES), -EPROTO);
	head->version--;
	assert_int_equal(open_file(&r, 4000), -EINVAL);
	assert_int_equal(sites_open(&r, AT_FDCWD, crafted_path("absent")), -ENOENT);
}

static void a_file_that_promises_more_than_it_has_is_not_followed(void **state)
{
	(void)state;
	craft();
	((struct loopmem_sites *)file)->used_bytes = FILE_BYTES + 4096;
	assert_string_equal(read_file(FILE_BYTES), "o");
	((struct loopmem_sites *)file)->used_bytes = UINT64_MAX;
	assert_string_equal(read_file(FILE_BYTES), "o");
}

static void what_was_live_at_the_last_edge_is_kept_or_is_what_is_live(void **state)
{
	struct loopmem_sites *head = (void *)file;

	(void)state;
	craft();
	head->edges = 0;
	read_file(FILE_BYTES);
	assert_int_equal(last_site.edge_live_bytes, -1);
	head->edges = 2;
	read_file(FILE_BYTES);
	assert_int_equal(last_site.edge_live_bytes, 25);
	head->edges = 3; /* nothing was counted since */
	read_file(FILE_BYTES);
	assert_int_equal(last_site.edge_live_bytes, 60);
}

static void any_word_may_be_wrong(void **state)
{
	static const uint32_t values[] = {0, 1, 7, 8, 4096, 65535, 0x7fffffff, 0xffffffff};

	(void)state;
	craft();
	for (uint32_t at = LOOPMEM_SITES_HEADER; at < used; at += 4)
		for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++) {
			craft();
			memcpy(file + at, &values[v], sizeof(values[v]));
			read_file(FILE_BYTES);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_handed_out_in_order),
		cmocka_unit_test(no_site_is_passed_over),
		cmocka_unit_test(what_is_new_is_handed_out_once_and_sites_each_time),
		cmocka_unit_test(a_file_cut_short_while_it_is_mapped_is_told_once),
		cmocka_unit_test(other_versions_and_unfinished_files_are_told_apart),
		cmocka_unit_test(a_file_that_promises_more_than_it_has_is_not_followed),
		cmocka_unit_test(what_was_live_at_the_last_edge_is_kept_or_is_what_is_live),
		cmocka_unit_test(any_word_may_be_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
