/*
 * native_names.h: names of native frames for the collector, and for the model of a session whose collector did not live to ask.
 * Neither knows ELF files. The files are read in a child process that ends: reading debug information takes tens of MiB, of which
 * nothing stays, and a damaged file costs names, not the session.
 */
#ifndef PROFILER_CMD_NATIVE_NAMES_H
#define PROFILER_CMD_NATIVE_NAMES_H

#include "profiler/collect/sites.h"
#include "profiler/model/frame_names.h"

/* A sites_resolve_fn. */
int64_t native_names(const struct sites_question *question, sites_answer_fn *answer, void *arg);

/* A frame_names_resolve: only of modules that have a build id, since the file may be another by now. */
void native_names_later(const struct frame_names_question *question, frame_names_answer *answer,
			void *arg);

/* frame_names_ask() with it. */
int native_names_of(struct model *m, int hurry);

#endif
