/*
 * sites.h: A SECOND SEAM beside segment.h: which call stacks allocated the sampled memory of one process.
 *
 * One file a process, LOOPMEM_DIR/<pid>-<birth_ns in hex>.sites: the name of its segment with another ending. It is
 * made at the first sample and only grows: a header page, then records, one after the other. A record never moves and
 * never changes, but for the counters of a site.
 *
 *   ┌────────┬────────┬────────┬────────┬──────┬──────┬──────┬────────┬── used_bytes
 *   │ header │ module │ string │ python │ node │ node │ site │ native │ ...
 *   └────────┴────────┴────────┴────────┴──────┴──────┴──────┴────────┴──
 *        a reference is the offset of an earlier record of the file; 0 = none
 *
 * A stack is a chain of nodes from the leaf to the root; stacks that begin alike share their nodes. Rules for the
 * writer: reserve space before it is written (posix_fallocate), fill a record, then move used_bytes on (release); publish
 * `magic` last. What finds no room is counted in `other`, in no site.
 * Rules for the reader: trust nothing: check magic, version, every size and kind, and that every reference points to
 * an earlier record of the right kind.
 * A change to any of this changes LOOPMEM_SITES_VERSION; shim and collector must match exactly.
 */
#ifndef LOOPMEM_SITES_H
#define LOOPMEM_SITES_H

#include <stdint.h>

#define LOOPMEM_SITES_MAGIC   UINT64_C(0x53454d454d504f4c) /* "LOPMEMES" read as little endian */
#define LOOPMEM_SITES_VERSION 5u
#define LOOPMEM_SITES_SUFFIX  ".sites"

enum {
	LOOPMEM_SITES_HEADER = 4096,
	LOOPMEM_SITES_MOST = 4 << 20,  /* bytes of a file at most */
	LOOPMEM_SITES_STEP = 64 << 10, /* it grows by */
	LOOPMEM_SITES_TEXT = 1024,     /* bytes of a string at most */
	LOOPMEM_SITES_UNIT = 8,        /* records begin at multiples of it */
};

/* Estimates: every sampled block counts for all that the sampling passed over (docs/sampling.md). Blocks are in
 * 1/1024 of a block. Monotonic, added to atomically; live = alloc - free. */
enum { LOOPMEM_SITES_BLOCK = 1024 };
struct loopmem_site_counts {
	uint64_t alloc_bytes, alloc_blocks;
	uint64_t free_bytes, free_blocks;
	/* Live at edge number `edge` between two phases of the process. Smaller than the head's `edges`: nothing was counted since
	 * the last edge, and what is live now was live then. */
	uint64_t edge_live_bytes;
	uint32_t edge, reserved;
};

enum loopmem_python_stacks {
	LOOPMEM_STACKS_NONE = 0, /* no interpreter was looked into */
	LOOPMEM_STACKS_READ = 1, /* the self-check held */
	LOOPMEM_STACKS_OFF = 2,  /* python_reason says why */
};

/* Objects of Python as allocations of their own; only where that was asked for. */
enum loopmem_python_objects {
	LOOPMEM_OBJECTS_ARENAS = 0,   /* not asked, or no interpreter yet: arenas stand for them */
	LOOPMEM_OBJECTS_FOLLOWED = 1, /* each takes part; arenas do not count */
	LOOPMEM_OBJECTS_FROM_MALLOC =
		2, /* the interpreter takes them from malloc: they are followed there */
	LOOPMEM_OBJECTS_TAKEN =
		3, /* no: somebody had wrapped the allocators before (tracemalloc) */
	LOOPMEM_OBJECTS_NO_STACKS = 4, /* no: Python's frames cannot be read */
};

struct loopmem_sites {
	uint64_t magic;
	uint32_t version;
	uint32_t header_bytes;
	int32_t pid;
	uint32_t python_stacks;  /* enum loopmem_python_stacks */
	uint64_t birth_ns;       /* of the segment of the same name */
	uint64_t mean_bytes;     /* between two samples, the finest; 1 = every allocation */
	uint64_t coarsest_bytes; /* the coarsest mean by which a sample was met so far */
	uint64_t used_bytes;     /* header and whole records */
	uint64_t samples;
	uint64_t stackless; /* samples whose stack could not be taken: they are in `other` */
	uint64_t
		untracked; /* samples whose free will not be seen: their bytes count as freed at once */
	uint32_t edges;          /* between two phases of the process, so far; 0 = it has none */
	uint32_t python_objects; /* enum loopmem_python_objects */
	struct loopmem_site_counts other;
	char python_reason[128];
};

enum loopmem_record_kind {
	LOOPMEM_RECORD_MODULE = 1,
	LOOPMEM_RECORD_STRING = 2,
	LOOPMEM_RECORD_PYTHON = 3, /* a frame of Python */
	LOOPMEM_RECORD_NATIVE = 4, /* a frame of machine code */
	LOOPMEM_RECORD_NODE = 5,
	LOOPMEM_RECORD_SITE = 6,
};

struct loopmem_record {
	uint32_t kind : 8, unused : 24;
	uint32_t
		bytes; /* of the whole record, a multiple of LOOPMEM_SITES_UNIT. A node has none: it is one unit */
};

/* A loaded ELF object. Addresses of its file are addresses of the process - bias. */
struct loopmem_record_module {
	struct loopmem_record record;
	uint64_t start, end, bias;
	uint32_t path_bytes, build_id_bytes; /* of `data`: the path, then the build id */
	uint8_t data[];
};

struct loopmem_record_string {
	struct loopmem_record record;
	uint32_t text_bytes; /* without a zero */
	char text[];         /* UTF-8 */
};

struct loopmem_record_python {
	struct loopmem_record record;
	uint32_t function, file; /* strings */
	int32_t line;
	uint32_t reserved;
};

struct loopmem_record_native {
	struct loopmem_record record;
	uint32_t module; /* 0 = in no loaded object: generated code */
	uint32_t reserved;
	uint64_t address; /* of the process, inside the call */
};

/* Most records are nodes, so theirs is one word in place of the common head. */
struct loopmem_record_node {
	uint32_t kind : 8, frame_unit : 24; /* the frame's reference / LOOPMEM_SITES_UNIT */
	uint32_t parent;                    /* the caller's node */
};

struct loopmem_record_site {
	struct loopmem_record record;
	uint32_t node;    /* the leaf */
	uint32_t pool_id; /* the process's own pool inside whose next it happened, 0 = none */
	uint32_t
		mapped; /* 1 = memory that the program mapped itself: counted whether it was touched or not */
	uint32_t stage; /* 1 + enum loopmem_stage of the phase it was allocated in, 0 = none */
	struct loopmem_site_counts counts;
};

#endif
