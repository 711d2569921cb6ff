/* Claims about profiler/collect/ladder.h, on inode sets as workers have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/collect/ladder.h"

/* An owner that makes queues and forks, as multiprocessing does. */
struct owner {
	struct proc_ipc ipc;
	uint64_t next; /* inode */
	int next_fd;
	struct ladder ladder;
};

enum how { FORK, UNSEEN, OS_FORK };

static void add_semaphores(struct owner *o, struct proc_ipc *to, int count)
{
	while (count--)
		assert_int_equal(id_set_add(&to->semaphores, ++o->next), 1);
}

static void add_pipe(struct owner *o, struct proc_ipc *to, unsigned ends)
{
	char link[64];

	snprintf(link, sizeof(link), "pipe:[%llu]", (unsigned long long)++o->next);
	assert_int_equal(proc_ipc_add_fd(to, o->next_fd++, link, ends), 0);
}

static void add_queue(struct owner *o, struct proc_ipc *to)
{
	add_semaphores(o, to, 3);
	add_pipe(o, to, PIPE_BOTH);
}

static void inherit(struct owner *o, struct proc_ipc *to)
{
	char link[64];

	for (size_t i = 0; i < o->ipc.semaphores.count; i++)
		id_set_add(&to->semaphores, o->ipc.semaphores.items[i]);
	for (size_t i = 0; i < o->ipc.pipe_count; i++) {
		const struct proc_pipe *p = &o->ipc.pipes[i];

		snprintf(link, sizeof(link), "pipe:[%llu]", (unsigned long long)p->inode);
		proc_ipc_add_fd(to, 100 + (int)i, link, p->ends);
	}
}

/* Two pipes: one end each stays with the owner, the other goes to the child. */
static void add_sentinels(struct owner *o, struct proc_ipc *child)
{
	char link[64];

	for (unsigned mine = PIPE_READ; mine <= PIPE_WRITE; mine++) {
		add_pipe(o, &o->ipc, mine);
		snprintf(link, sizeof(link), "pipe:[%llu]", (unsigned long long)o->next);
		proc_ipc_add_fd(child, 900 + (int)mine, link, PIPE_BOTH ^ mine);
	}
}

/* The queues of a multiprocessing.Pool: of one the worker keeps the reading end, of the other the
 * writing one. */
static void keep_one_end_of(struct proc_ipc *child, const uint64_t queues[2])
{
	for (size_t i = 0; i < child->pipe_count; i++)
		for (unsigned k = 0; k < 2; k++)
			if (child->pipes[i].inode == queues[k])
				child->pipes[i].ends = PIPE_READ << k;
}

static struct ladder_step place(struct owner *o, const struct proc_ipc *child, int spawned)
{
	return ladder_place(&o->ladder, &(struct ladder_child){.ipc = child,
							       .owner = &o->ipc,
							       .spawned = spawned});
}

/* Forks a child; what it is placed as unless it dies unseen. */
static struct ladder_step fork_child(struct owner *o, enum how how)
{
	struct ladder_step step = {LADDER_NONE, 0, 0, 0, 0};
	struct proc_ipc child = {0};

	inherit(o, &child);
	if (how != OS_FORK)
		add_sentinels(o, &child);
	if (how != UNSEEN)
		step = place(o, &child, 0);
	proc_ipc_release(&child);
	return step;
}

/* Result queue and done event. */
static void begin_loader(struct owner *o)
{
	add_queue(o, &o->ipc);
	add_semaphores(o, &o->ipc, 5);
}

static struct ladder_step fork_worker(struct owner *o, enum how how)
{
	add_queue(o, &o->ipc);
	return fork_child(o, how);
}

static void assert_step(struct ladder_step step, enum ladder_place place, size_t pool)
{
	assert_int_equal(step.place, place);
	assert_int_equal(step.pool, pool);
}

static void finish(struct owner *o)
{
	ladder_release(&o->ladder);
	proc_ipc_release(&o->ipc);
}

static void a_pool_climbs_by_11_and_then_by_3(void **state)
{
	struct owner o = {0};
	struct ladder_step step;

	(void)state;
	for (size_t pool = 0; pool < 3; pool++) {
		begin_loader(&o);
		step = fork_worker(&o, FORK);
		assert_step(step, LADDER_NEW, pool);
		assert_int_equal(step.fresh, 11);
		for (int i = 0; i < 3; i++) {
			step = fork_worker(&o, FORK);
			assert_step(step, LADDER_JOINED, pool);
			assert_int_equal(step.fresh, 3);
			assert_true(step.pipes_agree);
		}
		assert_int_equal(o.ladder.pools[pool].kind, LADDER_LOADER);
		assert_int_equal(o.ladder.pools[pool].workers, 4);
	}
	finish(&o);
}

static void pools_of_one_worker_are_four_pools(void **state)
{
	struct owner o = {0};

	(void)state;
	for (size_t pool = 0; pool < 4; pool++) {
		begin_loader(&o);
		assert_step(fork_worker(&o, FORK), LADDER_NEW, pool);
	}
	finish(&o);
}

/* Three dead siblings leave 9 semaphores in the next worker: 12 fresh ones make no pool. */
static void dead_siblings_make_no_pool(void **state)
{
	struct owner o = {0};
	struct ladder_step step;

	(void)state;
	begin_loader(&o);
	assert_step(fork_worker(&o, FORK), LADDER_NEW, 0);
	for (int i = 0; i < 3; i++)
		fork_worker(&o, UNSEEN);
	step = fork_worker(&o, FORK);
	assert_int_equal(step.fresh, 12);
	assert_int_equal(step.dead, 3);
	assert_step(step, LADDER_JOINED, 0);
	finish(&o);
}

static void a_pool_whose_first_workers_died_unseen_is_found(void **state)
{
	struct owner o = {0};
	struct ladder_step step;

	(void)state;
	begin_loader(&o);
	fork_worker(&o, FORK);
	begin_loader(&o);
	fork_worker(&o, UNSEEN);
	step = fork_worker(&o, FORK);
	assert_int_equal(step.fresh, 14);
	assert_step(step, LADDER_NEW, 1);
	assert_step(fork_worker(&o, FORK), LADDER_JOINED, 1);
	finish(&o);
}

/* 13 = 11 and two locks of the user's; 25 = 11 and the 14 of a spawn pool of two before it. */
static void queues_of_the_user_do_not_hide_a_pool(void **state)
{
	static const int before[] = {2, 14, 6};

	(void)state;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		struct owner o = {0};
		struct ladder_step step;

		add_semaphores(&o, &o.ipc, before[i]);
		begin_loader(&o);
		step = fork_worker(&o, FORK);
		assert_int_equal(step.fresh, 11 + before[i]);
		assert_step(step, LADDER_NEW, 0);
		assert_int_equal(o.ladder.pools[0].kind, LADDER_LOADER);
		assert_step(fork_worker(&o, FORK), LADDER_JOINED, 0);
		finish(&o);
	}
}

static void a_queue_made_between_two_workers_parts_no_pool(void **state)
{
	struct owner o = {0};

	(void)state;
	begin_loader(&o);
	fork_worker(&o, FORK);
	add_queue(&o, &o.ipc);
	assert_step(fork_worker(&o, FORK), LADDER_JOINED, 0);
	finish(&o);
}

/* A thread opens pipes all the time: here the pipes alone would see a pool in every worker. */
static void pipes_of_the_user_part_no_pool(void **state)
{
	struct owner o = {0};
	struct ladder_step step;

	(void)state;
	begin_loader(&o);
	fork_worker(&o, FORK);
	add_pipe(&o, &o.ipc, PIPE_BOTH);
	step = fork_worker(&o, FORK);
	assert_step(step, LADDER_JOINED, 0);
	assert_false(step.pipes_agree);
	for (int i = 0; i < 4; i++) /* half closed ones */
		add_pipe(&o, &o.ipc, PIPE_READ);
	begin_loader(&o);
	assert_step(fork_worker(&o, FORK), LADDER_NEW, 1);
	finish(&o);
}

/* multiprocessing.Pool: 6, 0, 0; the workers keep one end each of the two task queues. */
static void workers_that_share_all_queues_are_no_loader(void **state)
{
	struct owner o = {0};
	uint64_t queues[2];

	(void)state;
	begin_loader(&o);
	fork_worker(&o, FORK);
	add_semaphores(&o, &o.ipc, 6);
	for (int i = 0; i < 2; i++) {
		add_pipe(&o, &o.ipc, PIPE_BOTH);
		queues[i] = o.next;
	}
	for (int worker = 0; worker < 3; worker++) {
		struct proc_ipc child = {0};

		inherit(&o, &child);
		keep_one_end_of(&child, queues);
		add_sentinels(&o, &child);
		assert_step(place(&o, &child, 0), worker ? LADDER_JOINED : LADDER_NEW, 1);
		proc_ipc_release(&child);
	}
	assert_step(fork_child(&o, FORK), LADDER_NONE, 0); /* a lone process inherits both ends */
	assert_int_equal(o.ladder.pools[1].kind, LADDER_OTHER);
	assert_int_equal(o.ladder.pools[1].workers, 3);
	begin_loader(&o);
	assert_step(fork_worker(&o, FORK), LADDER_NEW, 2);
	assert_int_equal(o.ladder.pools[2].kind, LADDER_LOADER);
	finish(&o);
}

/* It has 11 more semaphores than its mates, and still is one of them. */
static void a_worker_with_a_pool_of_its_own_is_one_worker(void **state)
{
	struct owner o = {0};
	struct proc_ipc child = {0};

	(void)state;
	begin_loader(&o);
	fork_worker(&o, FORK);
	add_queue(&o, &o.ipc);
	inherit(&o, &child);
	add_sentinels(&o, &child);
	add_semaphores(&o, &child, 11);
	assert_step(place(&o, &child, 0), LADDER_JOINED, 0);
	assert_step(fork_worker(&o, FORK), LADDER_JOINED, 0);
	proc_ipc_release(&child);
	finish(&o);
}

static void a_child_of_os_fork_is_no_worker(void **state)
{
	struct owner o = {0};

	(void)state;
	begin_loader(&o);
	fork_worker(&o, FORK);
	assert_step(fork_child(&o, OS_FORK), LADDER_NONE, 0);
	begin_loader(&o);
	add_queue(&o, &o.ipc);
	assert_step(fork_child(&o, OS_FORK), LADDER_NONE, 0);
	finish(&o);
}

static void a_process_with_a_queue_of_its_own_is_no_worker(void **state)
{
	struct owner o = {0};

	(void)state;
	assert_step(fork_worker(&o, FORK), LADDER_NONE, 0);
	finish(&o);
}

/* Spawned workers have 11 each and share 8 with their mates, whatever the order. */
static void spawned_workers_join_the_pool_they_share_with(void **state)
{
	struct owner o = {0};
	struct proc_ipc pools[2] = {{{0}, NULL, 0, 0}, {{0}, NULL, 0, 0}};
	static const int order[] = {0, 1, 0, 1, 1, 0};
	int seen[2] = {0};

	(void)state;
	for (int i = 0; i < 2; i++)
		add_semaphores(&o, &pools[i], 8);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		struct proc_ipc worker = {0};
		int pool = order[i];

		for (size_t k = 0; k < 8; k++)
			id_set_add(&worker.semaphores, pools[pool].semaphores.items[k]);
		add_semaphores(&o, &worker, 3);
		assert_step(place(&o, &worker, 1), seen[pool]++ ? LADDER_JOINED : LADDER_NEW,
			    (size_t)pool);
		proc_ipc_release(&worker);
	}
	proc_ipc_release(&pools[0]);
	proc_ipc_release(&pools[1]);
	finish(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_climbs_by_11_and_then_by_3),
		cmocka_unit_test(pools_of_one_worker_are_four_pools),
		cmocka_unit_test(dead_siblings_make_no_pool),
		cmocka_unit_test(a_pool_whose_first_workers_died_unseen_is_found),
		cmocka_unit_test(queues_of_the_user_do_not_hide_a_pool),
		cmocka_unit_test(a_queue_made_between_two_workers_parts_no_pool),
		cmocka_unit_test(pipes_of_the_user_part_no_pool),
		cmocka_unit_test(workers_that_share_all_queues_are_no_loader),
		cmocka_unit_test(a_worker_with_a_pool_of_its_own_is_one_worker),
		cmocka_unit_test(a_child_of_os_fork_is_no_worker),
		cmocka_unit_test(a_process_with_a_queue_of_its_own_is_no_worker),
		cmocka_unit_test(spawned_workers_join_the_pool_they_share_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
