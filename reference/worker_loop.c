/*
 * The worker process. It keeps the descriptor of every batch it finished until the owner says that it
 * has mapped it: a batch is always held by a process that can be looked at, not by a message on its way.
 */
#include "reference/worker_loop.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "reference/message.h"

struct worker_self {
	const struct worker_spec *spec;
	int socket;
	void *state;    /* of the dataset */
	int *held;      /* ring of descriptors, oldest first; spec->prefetch of them at most */
	unsigned first; /* place of the oldest */
	unsigned count;
};

static void hold(struct worker_self *self, int descriptor)
{
	self->held[(self->first + self->count++) % self->spec->prefetch] = descriptor;
}

static void let_go(struct worker_self *self, uint32_t taken)
{
	for (; taken && self->count; taken--, self->count--) {
		close(self->held[self->first]);
		self->first = (self->first + 1) % self->spec->prefetch;
	}
}

static int answer(struct worker_self *self, uint32_t number, int descriptor,
		  const struct failure *failure)
{
	struct reply reply = {.number = number};

	if (failure) {
		reply.status = failure->kind;
		memcpy(reply.text, failure->text, sizeof(reply.text));
	}
	return message_send(self->socket, &reply, sizeof(reply), descriptor);
}

static int stopped(const struct worker_self *self)
{
	return atomic_load_explicit(&self->spec->order->stop, memory_order_relaxed);
}

static int fill(struct worker_self *self, const struct task *task, void *items, struct failure *f)
{
	const struct dataset *dataset = self->spec->dataset;
	const uint32_t *order = self->spec->order->items + task->first;
	char *item = items;
	int error = 0;

	for (uint32_t i = 0; i < task->count && !error && !stopped(self); i++) {
		error = dataset->ops->get(self->state, order[i], item, f);
		item += dataset->item_bytes;
	}
	return error;
}

/* Loads one batch and sends it. 0, or -1 when the owner cannot be reached. */
static int load(struct worker_self *self, const struct task *task)
{
	struct batch batch;
	struct failure f;
	int descriptor = batch_share(&batch, task->count * self->spec->dataset->item_bytes);
	int error;

	if (descriptor < 0) {
		failure_system(&f, "no shared memory for a batch");
		return answer(self, task->number, -1, &f);
	}
	error = fill(self, task, batch.items, &f);
	batch_release(&batch);
	if (error || stopped(self)) {
		close(descriptor);
		return error ? answer(self, task->number, -1, &f) : 0;
	}
	hold(self, descriptor);
	return answer(self, task->number, descriptor, NULL);
}

static void serve(struct worker_self *self)
{
	struct task task;
	int none;

	while (message_receive(self->socket, &task, sizeof(task), &none) == 1) {
		let_go(self, task.taken);
		if (task.count && !stopped(self) && load(self, &task))
			return;
	}
}

static int open_dataset(struct worker_self *self, struct failure *f)
{
	const struct worker_spec *spec = self->spec;

	self->held = calloc(spec->prefetch, sizeof(*self->held));
	if (!self->held)
		return failure_system(f, "no memory for a worker");
	return spec->dataset->ops->open(spec->dataset, spec->id, spec->workers, &self->state, f);
}

static void name_process(unsigned id)
{
	char name[16];

	snprintf(name, sizeof(name), "fit_worker_%u", id);
	prctl(PR_SET_NAME, name);
}

void worker_loop(const struct worker_spec *spec, int socket, pid_t owner)
{
	struct worker_self self = {.spec = spec, .socket = socket};
	struct failure f;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != owner) /* it died before the line above */
		_exit(0);
	name_process(spec->id);
	if (open_dataset(&self, &f)) {
		answer(&self, REPLY_READY, -1, &f);
	} else if (answer(&self, REPLY_READY, -1, NULL) == 0) {
		serve(&self);
		spec->dataset->ops->close(self.state);
	}
	free(self.held);
	_exit(0); /* the owner's exit handlers and unwritten output are not ours */
}
