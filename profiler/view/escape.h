/*
 * escape.h: foreign text at the border of each output format, one function a format. Labels, paths, command lines and reasons
 * are foreign: they come from the profiled program or a file and may hold anything. No view writes them in another way.
 *
 * Input is any bytes up to the NUL; what is not UTF-8 becomes U+FFFD, so that every output is UTF-8. NULL prints nothing.
 */
#ifndef PROFILER_VIEW_ESCAPE_H
#define PROFILER_VIEW_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* A line of a terminal or a log: line breaks become blanks, other control characters and what reorders text become U+FFFD. Logs of
 * GitHub Actions obey "##[" anywhere and "::" at the start of a line: an invisible character (U+200B) breaks both. */
void escape_text(FILE *out, const char *text);

/* The message of a workflow command ("::error::MESSAGE"), and the value of one of its properties. */
void escape_workflow_message(FILE *out, const char *text);
void escape_workflow_property(FILE *out, const char *text);

/* Running Markdown text, also in a cell of a table: no markup, no mention, no line break. */
void escape_markdown(FILE *out, const char *text);

/* The same as a code span with its back-ticks, for the cell of a table: a bar is `\|` there. */
void escape_markdown_code(FILE *out, const char *text);

/* A frame of a stack in collapsed form: no ";", which parts frames, no line break. */
void escape_collapsed(FILE *out, const char *text);

/* XML 1.0: between tags (line breaks stay), and inside a quoted attribute (they stay as references). */
void escape_xml(FILE *out, const char *text);
void escape_xml_attribute(FILE *out, const char *text);

/* A copy that is UTF-8, for libraries that refuse the rest (JSON). The caller frees it; NULL = out of memory. */
char *escape_utf8(const char *text);

/* The length of the longest beginning of `text` that has at most `max_bytes` and cuts no character. */
size_t escape_cut(const char *text, size_t max_bytes);

#endif
