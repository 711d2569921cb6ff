/* The answer to --what-if, under the three lines. */
#include <stdio.h>

#include "profiler/view/page.h"
#include "profiler/view/what_if_words.h"

enum { INDENT = 11 };

void page_what_if(const struct page *p)
{
	struct what_if_words w;

	if (!p->options.what_if)
		return;
	what_if_words(&w, p->m, &p->options);
	for (size_t i = 0; i < w.count; i++) {
		fprintf(p->out, "%-*s", INDENT, i ? "" : "What if");
		page_wrap(p, w.sentences[i], INDENT, INDENT);
	}
}
