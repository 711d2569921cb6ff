/* The wire format of protocol buffers: see the header. */
#include "profiler/view/proto.h"

#include <stdlib.h>
#include <string.h>

enum { WIRE_VARINT = 0, WIRE_BYTES = 2, VARINT_MOST = 10 };

static unsigned char *reserve(struct proto *p, size_t bytes)
{
	size_t room = p->room ? p->room : 256;
	unsigned char *grown;

	if (p->failed)
		return NULL;
	while (room - p->count < bytes)
		room *= 2;
	grown = room == p->room ? p->bytes : realloc(p->bytes, room);
	if (!grown) {
		p->failed = 1;
		return NULL;
	}
	p->bytes = grown;
	p->room = room;
	return grown + p->count;
}

/* Seven bits a byte, the lowest first; the eighth says that more follow. */
static void put_varint(struct proto *p, uint64_t value)
{
	unsigned char *at = reserve(p, VARINT_MOST);

	if (!at)
		return;
	for (; value >= 0x80; value >>= 7)
		*at++ = (unsigned char)(value | 0x80);
	*at++ = (unsigned char)value;
	p->count = (size_t)(at - p->bytes);
}

static void put_bytes(struct proto *p, unsigned field, const void *bytes, size_t count)
{
	unsigned char *at;

	put_varint(p, field << 3 | WIRE_BYTES);
	put_varint(p, count);
	at = reserve(p, count);
	if (at && count)
		memcpy(at, bytes, count);
	p->count += at ? count : 0;
}

void proto_integer(struct proto *p, unsigned field, int64_t value)
{
	put_varint(p, field << 3 | WIRE_VARINT);
	put_varint(p, (uint64_t)value);
}

void proto_text(struct proto *p, unsigned field, const char *text)
{
	put_bytes(p, field, text, strlen(text));
}

void proto_message(struct proto *p, unsigned field, struct proto *part)
{
	p->failed |= part->failed;
	put_bytes(p, field, part->bytes, part->count);
	part->count = 0;
}

void proto_release(struct proto *p)
{
	free(p->bytes);
	*p = (struct proto){0};
}
