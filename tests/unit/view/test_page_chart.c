/* Claims about page_chart.c: who holds the memory at the peak. */
#include "tests/unit/model/script.h"

#include <stdio.h>
#include <stdlib.h>

#include "profiler/view/report.h"

enum { LOADERS = 8 };

/* An owner of 300 MiB, of which eight loaders without workers loaded 10 each. */
static struct model *loaders(struct script *s, const char *name)
{
	script_begin(s, name);
	for (int t = 0; t <= 9; t++)
		script_walk(s, t, OWNER, 300, 0);
	for (int i = 1; i <= LOADERS; i++) {
		script_pool(s, i, "train", i - 1, 1)->workers = 0;
		session_put_site(s->w, &(struct session_site){.id = i,
							      .process = OWNER,
							      .owner_pool = i,
							      .stack = SESSION_NULL});
		for (int t = 0; t <= 9; t++)
			session_put_site_sample(s->w, &(struct session_site_sample){
							      .t_ns = script_ns(t),
							      .site = i,
							      .live_bytes = 10 * MIB,
							      .edge_live_bytes = SESSION_NULL});
	}
	script_put_pools(s);
	return script_finish(s, 9);
}

/* How often a text stands in the report. */
static int count_of(struct model *m, int full, const char *what)
{
	const struct report_options options = {.width = 100, .full = full};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int count = 0;

	assert_int_equal(report_text(out, &m, 1, &options), 0);
	fclose(out);
	for (const char *at = text; (at = strstr(at, what)); at++)
		count++;
	free(text);
	return count;
}

static void loaders_in_the_owner_are_folded_as_pools_are_and_full_lists_all(void **state)
{
	struct script s;
	struct model *m = loaders(&s, "holders");

	(void)state;
	assert_int_equal(count_of(m, 0, "(in the owner)"), 6);
	assert_int_equal(count_of(m, 0, "2 more pools 20"), 1);
	assert_int_equal(count_of(m, 1, "(in the owner)"), LOADERS);
	assert_int_equal(count_of(m, 1, "more pools"), 0);
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loaders_in_the_owner_are_folded_as_pools_are_and_full_lists_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
