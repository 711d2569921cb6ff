/*
 * proto.h: writes messages in the wire format of protocol buffers: as much of it as a pprof file takes (varints, strings, messages). A
 * message is a growing buffer; one that ran out of memory stays failed, so only its end has to be looked at. Reference: protobuf.dev,
 * "Encoding".
 */
#ifndef PROFILER_VIEW_PROTO_H
#define PROFILER_VIEW_PROTO_H

#include <stddef.h>
#include <stdint.h>

struct proto {
	unsigned char *bytes;
	size_t count, room;
	int failed;
};

/* A field of an integer type; zero is written as well: repeated fields need it. Negative values as int64 has them. */
void proto_integer(struct proto *p, unsigned field, int64_t value);
void proto_text(struct proto *p, unsigned field, const char *text);

/* Appends `part` as a field and empties it for the next one; its memory is kept. */
void proto_message(struct proto *p, unsigned field, struct proto *part);

void proto_release(struct proto *p);

#endif
