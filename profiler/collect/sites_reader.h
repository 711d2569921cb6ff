/*
 * sites_reader.h: the file of sites of one process (inject/sites.h), mapped read-only. The only file that touches its
 * bytes.
 *
 * Nothing in it is trusted: sizes are checked against the file before a byte is touched, kinds and references before
 * they are handed out; a file that breaks a rule is read up to there. Records are handed out once, in order; a number
 * that the caller gives to each comes back wherever a later record refers to it.
 */
#ifndef PROFILER_COLLECT_SITES_READER_H
#define PROFILER_COLLECT_SITES_READER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "inject/sites.h"
#include "profiler/collect/mapped_file.h"

struct sites_reader {
	/* The file, to ask for its size: a descriptor kept for each process would be one too many where they are few. */
	int dir_fd; /* the caller's, open as long as the reader is */
	char name[128];
	dev_t dev;
	ino_t ino;
	const struct loopmem_sites *map; /* of `file`; NULL = closed */
	struct mapped_file *file;
	uint64_t read_bytes; /* records up to there were handed out */
	int broken;          /* it broke a rule there: nothing behind is read */
	int lost;            /* it was cut short: nothing is read any more */
	struct sites_mark {
		uint8_t kind;
		int32_t number;
	} * marks; /* by unit of the file */
	size_t mark_count;
	/* The sites, which are read again and again. */
	struct sites_place {
		uint32_t offset;
		int32_t number; /* the caller's */
	} * sites;
	size_t site_count, site_capacity;
	int32_t rest_number; /* of the row of what has no stack */
};

/* What a record says. Pointers are valid during the call. */
struct sites_module {
	const char *path;
	size_t path_bytes;
	const uint8_t *build_id;
	size_t build_id_bytes;
	uint64_t start, end, bias;
};

struct sites_site {
	int32_t number; /* what the caller said last of this one; 0 = nothing yet */
	int is_rest;    /* the row of what has no stack; it comes last */
	int32_t node;   /* 0 = its stack has no number */
	uint32_t pool_id;
	int mapped;
	uint32_t stage;          /* 1 + enum loopmem_stage, 0 = outside of phases */
	int64_t edge_live_bytes; /* live at the process's last edge between two phases; -1 = it has none */
	struct loopmem_site_counts counts;
};

struct sites_events {
	/* Each returns the number of the record, > 0; 0 = none, what refers to it is passed over. */
	int32_t (*module)(void *arg, const struct sites_module *module);
	/* module 0 = none; its record is at hand by modules' own numbers */
	int32_t (*native)(void *arg, int32_t module, uint64_t address);
	int32_t (*python)(void *arg, const char *function, const char *file, int line);
	int32_t (*node)(void *arg, int32_t parent, int32_t frame);
	/* Called at every reading for each site, and then for the row of the rest. Returns the number to know it by at the
	 * next one. */
	int32_t (*site)(void *arg, const struct sites_site *site);
	void *arg;
};

/* 0, or -errno: -ENOENT not there yet, -EAGAIN not published yet, -EPROTO of another version, -EINVAL no such file,
 * -ENAMETOOLONG. */
int sites_open(struct sites_reader *r, int dir_fd, const char *name);
void sites_close(struct sites_reader *r);

/* Hands out what is new, then every site. 0, -ENOMEM, or -EIO when the file was cut short since: told once, from then on it
 * is as a file without news. */
int sites_read(struct sites_reader *r, const struct sites_events *events);

/* A copy of the head, ended strings. 0, or -EIO when it is lost: *out may be zeros. */
int sites_head(const struct sites_reader *r, struct loopmem_sites *out);

#endif
