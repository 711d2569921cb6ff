/*
 * script.h: small sessions written by hand, one line a fact, and the model that comes of them. Times are seconds, memory is MiB. Process 1
 * is the owner, born at 0; pools and workers are added by number.
 */
#ifndef TESTS_UNIT_MODEL_SCRIPT_H
#define TESTS_UNIT_MODEL_SCRIPT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/model/model.h"
#include "profiler/session/session.h"

#define MIB INT64_C(1048576)
enum { SCRIPT_PROCESSES = 32, SCRIPT_POOLS = 16, OWNER = 1 };

struct script {
	struct session_writer *w;
	char path[512];
	struct session_process processes[SCRIPT_PROCESSES]; /* by id */
	struct session_pool pools[SCRIPT_POOLS];            /* by id */
	int64_t exit_code, exit_signal; /* of the command, for script_finish; signal 0 = none */
};

int64_t script_ns(double seconds);

/* A new session NAME under TEST_TMP with its owner; RAM is 1024 MiB. */
void script_begin(struct script *s, const char *name);

/* A pool of the owner with no event yet; the caller may change the row before script_put_pools. */
struct session_pool *script_pool(struct script *s, int64_t id, const char *stage, int64_t epoch,
				 double begin_s);

/* A forked process; pool 0 = none. Its figures count from `born_s` on; ended_s < 0 = lives on. */
void script_process(struct script *s, int64_t id, int64_t pool, int64_t worker_id, double born_s,
		    double ended_s);
void script_end_process(struct script *s, int64_t id, double t, int64_t code, int64_t signal);

void script_event(struct script *s, double t, const char *kind, int64_t pool);
/* Its birth, told with the framework whose loop it is. */
void script_birth(struct script *s, double t, int64_t pool, const char *framework);
void script_phase(struct script *s, double t, int64_t stage, int64_t epoch, const char *name);
void script_phase_end(struct script *s, double t);

/* statm alone: anonymous bytes; rss = anon + 10 MiB. */
void script_sample(struct script *s, double t, int64_t process, double anon_mib);

/* statm and smaps_rollup: private and anonymous `private_mib`, and a share of `share_mib` of pages shared by others. */
void script_walk(struct script *s, double t, int64_t process, double private_mib, double share_mib);

/* The same with `file_mib` of mapped files that nobody shares / with pages that all share: `rss_mib` resident, of them `pss_mib` its part. */
void script_walk_files(struct script *s, double t, int64_t process, double private_mib,
		       double file_mib);
void script_walk_shared(struct script *s, double t, int64_t process, double rss_mib,
			double pss_mib);

void script_fds(struct script *s, double t, int64_t process, int64_t fds);
void script_heap(struct script *s, double t, int64_t process, double live_mib, double mapped_mib);
void script_locked(struct script *s, double t, int64_t process, double mib);
void script_parked(struct script *s, double t, int64_t creator, double mib);
void script_system(struct script *s, double t, double limit_mib, double current_mib);

/* Writes the rows of pools that were changed since; both may be called while a model is open. */
void script_put_pools(struct script *s);
void script_flush(struct script *s);

/* Closes the session as a collector would / leaves it as a killed one does, and opens it. */
struct model *script_finish(struct script *s, double ended_s);
struct model *script_leave(struct script *s);

/* The model of a session that is still being written. */
struct model *script_open(struct script *s);

/* The finding, or NULL / the value of its evidence, which it must have. */
const struct model_finding *script_finding(const struct model *m, const char *id);
double script_evidence(const struct model_finding *f, const char *key);

#define assert_mib(bytes, mib) assert_float_equal((double)(bytes) / (double)MIB, mib, 0.01)
#define assert_s(ns, s)        assert_float_equal((double)(ns) / 1e9, s, 0.0001)

#endif
