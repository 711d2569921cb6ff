/*
 * message.h: what the owner and a worker say to each other: messages of fixed size over a pair of
 * sockets that keep message boundaries. The pair is both queues of the worker: indices go down,
 * finished batches come up, and a message may carry a descriptor.
 *
 *   owner ── struct task ──→ worker      which batch to load; how many descriptors to let go of
 *   owner ←─ struct reply ── worker      the batch's memory as a descriptor, or what went wrong
 */
#ifndef REFERENCE_MESSAGE_H
#define REFERENCE_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "reference/failure.h"

struct task {
	uint32_t number; /* of the batch, from 0 */
	uint32_t first;  /* place in the order of its first item */
	uint32_t count;  /* of items; 0 = nothing to load */
	uint32_t taken;  /* batches the owner has mapped since the last task, oldest first */
};

enum { REPLY_READY = UINT32_MAX }; /* number of the reply that says the dataset is open */

struct reply {
	uint32_t number; /* of the task it answers */
	int32_t status;  /* 0, or an enum failure_kind explained by text */
	char text[sizeof(((struct failure *)0)->text)];
};

/* ends[0] for the owner, ends[1] for the worker; both close on exec. 0, or -1 with errno. */
int message_pair(int ends[2]);

/* descriptor -1 = none; it stays open here. 0, or -1 with errno (EPIPE: nobody is there). */
int message_send(int socket, const void *message, size_t length, int descriptor);

/*
 * Waits. 1 = a whole message of that length; 0 = the other end is closed and all it sent was
 * received; -1 with errno. *descriptor is -1 or a descriptor that the caller now owns.
 */
int message_receive(int socket, void *message, size_t length, int *descriptor);

#endif
