/* Exports of call sites where there are none: a file without stacks is no answer, and its readers do not say why. */
#include "profiler/view/export.h"
#include "profiler/view/format.h"
#include "profiler/view/site_words.h"

int export_no_sites(const struct model *m, const struct model_site_filter *filter, struct error *e)
{
	const char *remedy, *why = site_why_none(m, &remedy);
	char moment[FORMAT_MAX], from[FORMAT_MAX], to[FORMAT_MAX];
	int64_t first, last;

	if (!m->site_count) {
		error_set(e, ERROR_UNREADABLE, "%s has no call sites: %s", m->file, why);
		if (*remedy)
			error_hint(e, "%s", remedy);
	} else if (site_lifetime(m, filter, &first, &last)) {
		error_set(e, ERROR_USAGE, "no call site of %s fits", m->file);
		error_hint(e, "loopmem sites FILE lists what there is");
	} else {
		error_set(e, ERROR_USAGE, "no call site of %s that fits is live at %s", m->file,
			  format_moment(moment, model_sites_moment(m, filter)));
		error_hint(e, "they lived from %s to %s: --at MOMENT", format_moment(from, first),
			   format_moment(to, last));
	}
	return e->kind;
}
