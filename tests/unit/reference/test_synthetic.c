/* Claims about reference/synthetic.h: how its memory behaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reference/synthetic.h"

enum { LENGTH = 64, FEATURES = 8, MIB = 1 << 20 };

static const struct synthetic_config plain = {
	.length = LENGTH, .features = FEATURES, .seed = 5, .truth = 6, .noise = 0.1};

/* Private bytes of this process that were written. */
static size_t private_dirty(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	size_t kib = 0;

	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Private_Dirty: %zu", &kib) == 1)
			break;
	fclose(file);
	return kib * 1024;
}

static void *worker(const struct dataset *set, unsigned workers)
{
	struct failure f;
	void *state;

	assert_int_equal(set->ops->open(set, 0, workers, &state, &f), 0);
	return state;
}

static void read_items(const struct dataset *set, void *state, uint32_t from, uint32_t to)
{
	float item[FEATURES + 1];
	struct failure f;

	for (uint32_t i = from; i < to; i++)
		assert_int_equal(set->ops->get(state, i, item, &f), 0);
}

/* Growth of a forked worker's private memory while it reads items [0, count). */
static size_t growth_in_a_child(const struct dataset *set, unsigned workers, uint32_t count)
{
	int result[2];
	size_t grown = 0;
	pid_t child;

	assert_int_equal(pipe(result), 0);
	child = fork();
	if (child == 0) {
		void *state = worker(set, workers);
		size_t before = private_dirty();

		read_items(set, state, 0, count);
		grown = private_dirty() - before;
		_exit(write(result[1], &grown, sizeof(grown)) < 0);
	}
	assert_int_equal(read(result[0], &grown, sizeof(grown)), sizeof(grown));
	waitpid(child, NULL, 0);
	close(result[0]);
	close(result[1]);
	return grown;
}

/* Generous upwards: a sanitizer has memory of its own for every byte. */
static void assert_about(size_t bytes, size_t expected)
{
	assert_in_range(bytes, expected - expected / 10, expected + expected / 3);
}

static void a_cache_is_full_after_a_workers_share_of_the_items(void **state)
{
	struct synthetic_config config = plain;
	struct dataset set;
	struct failure f;

	(void)state;
	config.cache_bytes = 8 * MIB;
	assert_int_equal(synthetic_open(&set, &config, &f), 0);
	assert_about(growth_in_a_child(&set, 2, LENGTH / 4), 4 * MIB);
	assert_about(growth_in_a_child(&set, 2, LENGTH / 2), 8 * MIB);
	assert_about(growth_in_a_child(&set, 2, LENGTH), 8 * MIB); /* and grows no more */
	assert_about(growth_in_a_child(&set, 1, LENGTH), 8 * MIB);
	synthetic_close(&set);
}

static void an_item_is_the_same_from_every_source(void **state)
{
	struct synthetic_config config = plain;
	float first[FEATURES + 1], item[FEATURES + 1];
	struct dataset set;
	struct failure f;

	(void)state;
	for (int i = 0; i < 3; i++) {
		void *own;

		config.cache_bytes = i > 0 ? 2 * MIB : 0;
		config.index_bytes = i > 1 ? MIB : 0;
		config.count_references = i > 1;
		assert_int_equal(synthetic_open(&set, &config, &f), 0);
		own = worker(&set, 1);
		for (int again = 0; again < 2; again++) { /* decoded, then from the cache */
			set.ops->get(own, 9, item, &f);
			if (i == 0 && again == 0)
				memcpy(first, item, sizeof(item));
			assert_memory_equal(item, first, sizeof(item));
		}
		set.ops->close(own);
		synthetic_close(&set);
	}
}

static void reading_the_index_shares_it_and_counting_references_does_not(void **state)
{
	struct synthetic_config config = plain;
	struct dataset set;
	struct failure f;

	(void)state;
	config.index_bytes = 8 * MIB;
	assert_int_equal(synthetic_open(&set, &config, &f), 0);
	assert_true(growth_in_a_child(&set, 2, LENGTH) < MIB);
	synthetic_close(&set);
	config.count_references = 1;
	assert_int_equal(synthetic_open(&set, &config, &f), 0);
	assert_about(growth_in_a_child(&set, 2, LENGTH), 8 * MIB);
	assert_about(growth_in_a_child(&set, 2, LENGTH / 2), 4 * MIB);
	synthetic_close(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cache_is_full_after_a_workers_share_of_the_items),
		cmocka_unit_test(an_item_is_the_same_from_every_source),
		cmocka_unit_test(reading_the_index_shares_it_and_counting_references_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
