/* Claims about in_owner.c: what loaders without workers loaded is told as theirs, in the owner's memory. */
#include "script.h"

/* A site of a process, allocated inside the next of a pool: live MiB at 2 s, 4 s and 8 s. */
static void put_site(struct script *s, int64_t id, int64_t process, int64_t pool,
		     const double *live_mib)
{
	static const double moments[] = {2, 4, 8};

	session_put_site(s->w, &(struct session_site){.id = id,
						      .process = process,
						      .owner_pool = pool,
						      .stack = SESSION_NULL});
	for (int i = 0; i < 3; i++)
		session_put_site_sample(s->w, &(struct session_site_sample){
						      .t_ns = script_ns(moments[i]),
						      .site = id,
						      .live_bytes = (int64_t)(live_mib[i] * MIB),
						      .edge_live_bytes = SESSION_NULL});
}

/* Pool 1 without workers, ended at 5 s; pool 2 has one. */
static struct model *two_loaders(struct script *s, const char *name)
{
	script_begin(s, name);
	for (int t = 0; t <= 9; t++)
		script_walk(s, t, OWNER, 300, 0);
	script_pool(s, 1, "train", 0, 1)->workers = 0;
	s->pools[1].end_ns = script_ns(5);
	script_pool(s, 2, "validate", 0, 6);
	script_put_pools(s);
	script_event(s, 1, "pool_begin", 1);
	script_event(s, 5, "pool_end", 1);
	script_event(s, 6, "pool_begin", 2);
	put_site(s, 1, OWNER, 1, (const double[]){40, 10, 60});
	put_site(s, 2, OWNER, 1, (const double[]){5, 50, 5});
	put_site(s, 3, OWNER, 2, (const double[]){7, 7, 7});
	put_site(s, 4, OWNER, SESSION_NULL, (const double[]){9, 9, 9});
	return script_finish(s, 9);
}

static void its_most_is_a_sum_at_one_moment(void **state)
{
	struct script s;
	struct model *m = two_loaders(&s, "in-owner-most");

	(void)state;
	assert_mib(m->pools[0].in_owner_max, 65);
	assert_mib(m->pools[0].memory_max, 0);
	model_close(m);
}

static void it_is_held_after_the_loader_has_ended(void **state)
{
	struct script s;
	struct model *m = two_loaders(&s, "in-owner-later");
	struct model_moment at;

	(void)state;
	assert_int_equal(model_at(m, script_ns(4.5), &at), 0);
	assert_mib(at.pools[0].in_owner, 60);
	model_moment_release(&at);
	assert_int_equal(model_at(m, script_ns(8.5), &at), 0);
	assert_int_equal(at.pools[0].state, MODEL_ENDED);
	assert_mib(at.pools[0].in_owner, 65);
	assert_mib(at.round.total_bytes, 300);
	model_moment_release(&at);
	model_close(m);
}

static void a_loader_with_workers_loads_in_them(void **state)
{
	struct script s;
	struct model *m = two_loaders(&s, "in-owner-workers");
	struct model_moment at;

	(void)state;
	assert_int_equal(m->pools[1].in_owner_max, 0);
	assert_int_equal(model_at(m, script_ns(8.5), &at), 0);
	assert_int_equal(at.pools[1].in_owner, 0);
	model_moment_release(&at);
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_most_is_a_sum_at_one_moment),
		cmocka_unit_test(it_is_held_after_the_loader_has_ended),
		cmocka_unit_test(a_loader_with_workers_loads_in_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
