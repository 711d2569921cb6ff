/*
 * site_words.h: how call sites are named, the same in every output. Texts come out of a session: they are made safe for
 * a terminal. All functions fill `out` and return it.
 */
#ifndef PROFILER_VIEW_SITE_WORDS_H
#define PROFILER_VIEW_SITE_WORDS_H

#include <stddef.h>

#include "profiler/model/model.h"

/* "dataset.py:141 CocoTrain.__getitem__", "PIL/Image.py:2992 frombuffer", "decode.c:88 decode_frame", "libx.so+0x12ab".
 * line < 0: what has no stack. */
char *site_words(char *out, size_t size, const struct model *m, int line, int utf8);

/* The same of a row: with a word when it is memory that the program mapped. */
char *site_row_words(char *out, size_t size, const struct model *m,
		     const struct model_site_row *row, int utf8);

/* "Most of it was allocated at dataset.py:42 Cached.__getitem__."; "" = not known. */
char *site_of_finding(char *out, size_t size, const struct model *m, const struct model_finding *f,
		      int utf8);

/* Whose memory it is: "train #4 e1", "owner 41021", as words_process. */
char *site_owner(char *out, size_t size, const struct model *m, const struct model_site_row *row,
		 int utf8);

/* The function and file alone, without a number that another run may have changed. */
char *site_identity(char *out, size_t size, const struct model *m, int line);

/* Why a session has no call sites at all: "too little was allocated to be sampled"; *remedy: what to do about it, "" = nothing.
 * Static storage, or the model's. */
const char *site_why_none(const struct model *m, const char **remedy);

/* From when to when the processes lived that a filter's sites are of. -1 = it lets none through. */
int site_lifetime(const struct model *m, const struct model_site_filter *filter, int64_t *first_ns,
		  int64_t *last_ns);

/* A step of Python's import machinery: five of them lie between any two modules, and tell nobody anything. */
int site_line_is_import(const struct model *m, int line);

/* The last part of a path; two parts of installed code, so that one sees whose. */
const char *site_short_path(const char *path);

#endif
