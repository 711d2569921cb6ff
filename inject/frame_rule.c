/*
 * frame_rule.c: runs the program of an unwind table for what it says of three registers: where the frame ends (CFA), the
 * base pointer, and the return address. The compiler's runtime finds the table (libgcc_eh, linked in).
 */
#include "inject/frame_rule.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
	BP = 6, /* registers, by their numbers in x86-64's unwind tables */
	SP = 7,
	RETURN_ADDRESS = 16,
	DEPTH = 8, /* of remembered states */
};

/* Of the compiler's runtime. */
struct dwarf_eh_bases {
	void *tbase, *dbase, *func;
};
extern const void *_Unwind_Find_FDE(void *address, struct dwarf_eh_bases *bases);

/* Both kinds of record begin so. A CIE has what functions share, an FDE is of one function, and says how far before
 * its second word its CIE is. */
struct head {
	uint32_t bytes; /* behind this word; all bits set: it is of another form */
	int32_t cie;    /* of a CIE: 0 */
};

struct reader {
	const uint8_t *at, *end;
};

struct saved {
	enum { UNTOUCHED, BELOW_CFA, UNDEFINED, OTHERWISE } how;
	int64_t offset; /* from the CFA */
};

struct state {
	bool hard; /* the CFA is an expression */
	uint64_t cfa_register;
	int64_t cfa_offset;
	struct saved bp, return_address;
};

struct program {
	uint64_t code_unit;
	int64_t data_unit;
	uint64_t passed, wanted; /* bytes of code */
	struct state now, initial, remembered[DEPTH];
	int depth;
	bool failed; /* something that is not known here */
};

/* -- numbers --------------------------------------------------------------------------------- */

static uint64_t fixed(struct reader *r, size_t bytes)
{
	uint64_t value = 0;

	if ((size_t)(r->end - r->at) < bytes) {
		r->at = r->end;
		return 0;
	}
	memcpy(&value, r->at, bytes);
	r->at += bytes;
	return value;
}

static uint64_t leb(struct reader *r, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte = 0;

	do {
		byte = (uint8_t)fixed(r, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && byte & 0x40)
		value |= ~UINT64_C(0) << shift;
	return value;
}

static void skip(struct reader *r, uint64_t bytes)
{
	r->at = bytes < (uint64_t)(r->end - r->at) ? r->at + bytes : r->end;
}

/* -- instructions ---------------------------------------------------------------------------- */

static struct saved *register_of(struct state *state, uint64_t number)
{
	if (number == BP)
		return &state->bp;
	return number == RETURN_ADDRESS ? &state->return_address : NULL;
}

static void save(struct program *p, uint64_t number, struct saved saved)
{
	struct saved *place = register_of(&p->now, number);

	if (place)
		*place = saved;
}

static void restore(struct program *p, uint64_t number)
{
	struct saved *initial = register_of(&p->initial, number);

	if (initial)
		*register_of(&p->now, number) = *initial;
}

static void remember(struct program *p)
{
	p->failed |= p->depth == DEPTH;
	if (!p->failed)
		p->remembered[p->depth++] = p->now;
}

static void recall(struct program *p)
{
	p->failed |= p->depth == 0;
	if (!p->failed)
		p->now = p->remembered[--p->depth];
}

static void define_cfa(struct program *p, uint64_t number, int64_t offset)
{
	p->now.hard = false;
	p->now.cfa_register = number;
	p->now.cfa_offset = offset;
}

/* The offset of a register's place from the CFA, as it stands in the instruction: in units. */
static struct saved below_cfa(const struct program *p, uint64_t units)
{
	return (struct saved){BELOW_CFA, (int64_t)units * p->data_unit};
}

/* The values are DW_CFA_*; those of three more are in the upper bits of the byte. */
static void extended(struct program *p, struct reader *r, uint8_t instruction)
{
	uint64_t number;

	switch (instruction) {
	case 0x00: /* nop */
		break;
	case 0x02: /* advance_loc1, 2, 4 */
	case 0x03:
	case 0x04:
		p->passed += fixed(r, (size_t)1 << (instruction - 2)) * p->code_unit;
		break;
	case 0x05: /* offset_extended, _sf */
	case 0x11:
		number = leb(r, false);
		save(p, number, below_cfa(p, leb(r, instruction == 0x11)));
		break;
	case 0x06: /* restore_extended */
		restore(p, leb(r, false));
		break;
	case 0x07: /* undefined */
		save(p, leb(r, false), (struct saved){.how = UNDEFINED});
		break;
	case 0x08: /* same_value */
		save(p, leb(r, false), (struct saved){.how = UNTOUCHED});
		break;
	case 0x09: /* register, val_offset, val_offset_sf */
	case 0x14:
	case 0x15:
		save(p, leb(r, false), (struct saved){.how = OTHERWISE});
		leb(r, false);
		break;
	case 0x0a: /* remember_state */
		remember(p);
		break;
	case 0x0b: /* restore_state */
		recall(p);
		break;
	case 0x0c: /* def_cfa */
		number = leb(r, false);
		define_cfa(p, number, (int64_t)leb(r, false));
		break;
	case 0x0d: /* def_cfa_register */
		define_cfa(p, leb(r, false), p->now.cfa_offset);
		break;
	case 0x0e: /* def_cfa_offset */
		p->now.cfa_offset = (int64_t)leb(r, false);
		break;
	case 0x0f: /* def_cfa_expression */
		p->now.hard = true;
		skip(r, leb(r, false));
		break;
	case 0x10: /* expression, val_expression */
	case 0x16:
		save(p, leb(r, false), (struct saved){.how = OTHERWISE});
		skip(r, leb(r, false));
		break;
	case 0x12: /* def_cfa_sf */
		number = leb(r, false);
		define_cfa(p, number, (int64_t)leb(r, true) * p->data_unit);
		break;
	case 0x13: /* def_cfa_offset_sf */
		p->now.cfa_offset = (int64_t)leb(r, true) * p->data_unit;
		break;
	case 0x2e: /* GNU_args_size */
		leb(r, false);
		break;
	default:
		p->failed = true;
	}
}

static void run(struct program *p, struct reader r)
{
	while (r.at < r.end && p->passed <= p->wanted && !p->failed) {
		uint8_t byte = *r.at++, low = byte & 0x3f;
		switch (byte >> 6) {
		case 1: /* advance_loc */
			p->passed += low * p->code_unit;
			break;
		case 2: /* offset */
			save(p, low, below_cfa(p, leb(&r, false)));
			break;
		case 3: /* restore */
			restore(p, low);
			break;
		default:
			extended(p, &r, byte);
		}
	}
}

/* -- the records ----------------------------------------------------------------------------- */

static struct reader record(const struct head *head)
{
	const uint8_t *bytes = (const uint8_t *)head;

	return (struct reader){bytes + sizeof(*head), bytes + sizeof(head->bytes) + head->bytes};
}

/* The size of a pointer in an FDE, from the letter R of its CIE: DW_EH_PE_*. 0 = not known here. */
static size_t pointer_bytes(uint8_t encoding)
{
	static const uint8_t sizes[8] = {8, 0, 2, 4, 8, 0, 0, 0};

	return sizes[encoding & 7];
}

/* What stands behind the augmentation string. Gives the size of an FDE's pointers, or 0. */
static size_t read_augmentation(struct program *p, struct reader *r, const char *letters)
{
	size_t pointer = sizeof(void *), personality;

	for (; *letters; letters++) {
		switch (*letters) {
		case 'z':
			leb(r, false);
			break;
		case 'R':
			pointer = pointer_bytes((uint8_t)fixed(r, 1));
			break;
		case 'L':
			fixed(r, 1);
			break;
		case 'P':
			personality = pointer_bytes((uint8_t)fixed(r, 1));
			p->failed |= !personality;
			skip(r, personality);
			break;
		default: /* S, a signal's frame: all registers were saved, and there was no call */
			p->failed = true;
			return 0;
		}
	}
	return pointer;
}

/* Runs what all functions of the CIE begin with. */
static size_t begin(struct program *p, const struct head *cie, bool *has_augmentation)
{
	struct reader r = record(cie);
	uint8_t version = (uint8_t)fixed(&r, 1);
	const char *letters = (const char *)r.at;
	const uint8_t *data;
	size_t pointer;

	skip(&r, strlen(letters) + 1);
	p->code_unit = leb(&r, false);
	p->data_unit = (int64_t)leb(&r, true);
	if ((version == 1 ? fixed(&r, 1) : leb(&r, false)) != RETURN_ADDRESS)
		p->failed = true;
	*has_augmentation = *letters == 'z';
	data = r.at;
	pointer = read_augmentation(p, &r, letters);
	if (*has_augmentation) {
		r.at = data;
		skip(&r, leb(&r, false));
	}
	p->wanted = UINT64_MAX;
	p->failed |= version != 1 && version != 3;
	run(p, r);
	p->initial = p->now;
	return pointer;
}

static struct reader instructions(const struct head *fde, size_t pointer, bool has_augmentation)
{
	struct reader r = record(fde);

	skip(&r, 2 * pointer);
	if (has_augmentation)
		skip(&r, leb(&r, false));
	return r;
}

static bool runs(struct program *p, const struct head *fde, uint64_t offset)
{
	const struct head *cie =
		(const void *)((uintptr_t)&fde->cie - (uintptr_t)(intptr_t)fde->cie);
	bool has_augmentation;
	size_t pointer = begin(p, cie, &has_augmentation);

	p->passed = 0;
	p->wanted = offset;
	if (pointer && !p->failed)
		run(p, instructions(fde, pointer, has_augmentation));
	return pointer && !p->failed;
}

/* -- the rule -------------------------------------------------------------------------------- */

static bool is_plain(const struct state *state)
{
	const struct saved *bp = &state->bp, *ra = &state->return_address;

	return !state->hard && (state->cfa_register == SP || state->cfa_register == BP) &&
	       state->cfa_offset >= (int64_t)sizeof(void *) && state->cfa_offset <= INT32_MAX &&
	       ra->how == BELOW_CFA && ra->offset == -(int64_t)sizeof(void *) &&
	       (bp->how == UNTOUCHED ||
		(bp->how == BELOW_CFA && bp->offset < 0 && bp->offset >= INT32_MIN));
}

struct frame_rule frame_rule_at(uint64_t address)
{
	struct dwarf_eh_bases bases;
	const struct head *fde = _Unwind_Find_FDE((void *)(uintptr_t)address, &bases);
	struct program p = {0};
	const struct state *state = &p.now;

	if (!fde || fde->bytes == UINT32_MAX || !runs(&p, fde, address - (uintptr_t)bases.func))
		return (struct frame_rule){.kind = FRAME_RULE_HARD};
	if (state->return_address.how == UNDEFINED)
		return (struct frame_rule){.kind = FRAME_RULE_OUTERMOST};
	if (!is_plain(state))
		return (struct frame_rule){.kind = FRAME_RULE_HARD};
	return (struct frame_rule){
		.kind = state->cfa_register == SP ? FRAME_RULE_FROM_SP : FRAME_RULE_FROM_BP,
		.bytes = (uint32_t)state->cfa_offset,
		.bp_below = state->bp.how == BELOW_CFA ? (uint32_t)-state->bp.offset : 0,
	};
}
