/* The owner's side of a worker: start, ask, fetch, end. */
#include "reference/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reference/message.h"
#include "reference/worker_loop.h"

enum { JOIN_TIMEOUT_MS = 5000 };

int worker_start(struct worker *worker, const struct worker_spec *spec, struct failure *f)
{
	pid_t owner = getpid();
	int ends[2];

	*worker = (struct worker){.socket = -1, .id = spec->id};
	if (message_pair(ends))
		return failure_system(f, "cannot make the queue of a worker");
	worker->pid = fork();
	if (worker->pid == 0) {
		close(ends[0]);
		worker_loop(spec, ends[1], owner);
	}
	if (worker->pid < 0) {
		failure_system(f, "cannot fork a worker");
		worker->pid = 0;
		close(ends[0]);
	} else {
		worker->socket = ends[0];
	}
	/* only the worker may hold its end: that it is closed is how its death is noticed */
	close(ends[1]);
	return worker->pid ? 0 : f->kind;
}

static int reap(struct worker *worker)
{
	int status = 0;
	pid_t reaped;

	do
		reaped = waitpid(worker->pid, &status, 0);
	while (reaped < 0 && errno == EINTR);
	worker->pid = 0;
	return reaped < 0 ? 0 : status; /* someone else may have reaped it */
}

static int report_death(struct worker *worker, struct failure *f)
{
	pid_t pid = worker->pid;
	int status, signal;

	if (!pid)
		return failure_set(f, FAILURE_WORKER, "worker %u is gone", worker->id);
	status = reap(worker);
	signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (signal)
		failure_set(f, FAILURE_WORKER, "worker %u (pid %d) was killed by signal %d (%s)",
			    worker->id, (int)pid, signal, strsignal(signal));
	else
		failure_set(f, FAILURE_WORKER, "worker %u (pid %d) ended with status %d",
			    worker->id, (int)pid, WEXITSTATUS(status));
	f->pid = pid;
	f->signal = signal;
	return f->kind;
}

/* The next reply, with the descriptor that came with it (-1 = none). */
static int receive(struct worker *worker, struct reply *reply, int *descriptor, struct failure *f)
{
	int received = message_receive(worker->socket, reply, sizeof(*reply), descriptor);

	if (received == 0)
		return report_death(worker, f);
	if (received < 0)
		return failure_system(f, "cannot read from a worker");
	if (reply->status == 0)
		return 0;
	failure_set(f, (enum failure_kind)reply->status, "%s, in worker %u (pid %d)", reply->text,
		    worker->id, (int)worker->pid);
	f->pid = worker->pid;
	return f->kind;
}

int worker_await(struct worker *worker, struct failure *f)
{
	struct reply reply;
	int none;

	return receive(worker, &reply, &none, f);
}

int worker_ask(struct worker *worker, uint32_t number, uint32_t first, uint32_t count,
	       struct failure *f)
{
	struct task task = {
		.number = number, .first = first, .count = count, .taken = worker->taken};

	/* nobody there: that is reported by worker_fetch, after all that the worker finished */
	if (message_send(worker->socket, &task, sizeof(task), -1) && errno != EPIPE &&
	    errno != ECONNRESET)
		return failure_system(f, "cannot ask a worker");
	worker->taken = 0;
	return 0;
}

int worker_fetch(struct worker *worker, uint32_t number, struct batch *batch, struct failure *f)
{
	struct reply reply;
	int descriptor;
	int error = receive(worker, &reply, &descriptor, f);

	if (error)
		return error;
	if (reply.number != number)
		error = failure_set(f, FAILURE_SYSTEM, "worker %u answered batch %u instead of %u",
				    worker->id, reply.number, number);
	else if (batch_map(batch, descriptor))
		error = failure_system(f, "cannot map a batch");
	close(descriptor);
	worker->taken++;
	return error;
}

void worker_dismiss(struct worker *worker)
{
	/* not close: children forked since hold copies, and the rest is still to be received */
	if (worker->socket >= 0)
		shutdown(worker->socket, SHUT_WR);
}

/* Receives until the worker has closed its end. Descriptors on their way in a socket are memory that
 * belongs to no process: they may not stay there. Returns 0 when that took too long. */
static int drain(struct worker *worker)
{
	struct pollfd waiting = {.fd = worker->socket, .events = POLLIN};
	struct reply reply;
	int descriptor, ready;

	for (;;) {
		ready = poll(&waiting, 1, JOIN_TIMEOUT_MS);
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return 0;
		if (message_receive(worker->socket, &reply, sizeof(reply), &descriptor) <= 0)
			return 1;
		if (descriptor >= 0)
			close(descriptor);
	}
}

void worker_join(struct worker *worker)
{
	if (worker->socket < 0)
		return;
	if (!drain(worker) && worker->pid) {
		kill(worker->pid, SIGKILL);
		drain(worker);
	}
	close(worker->socket);
	worker->socket = -1;
	if (worker->pid)
		reap(worker);
}
