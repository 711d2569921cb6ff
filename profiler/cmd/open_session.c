/* Opening sessions for commands: the model reads files only, whether a collector lives is asked here. */
#include "profiler/cmd/open_session.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "profiler/cmd/native_names.h"

int collector_is_gone(const struct model *m)
{
	char host[256] = "";

	if (m->collector_pid <= 0 || gethostname(host, sizeof(host) - 1) < 0 ||
	    strcmp(host, m->host))
		return 0; /* nobody can tell */
	return kill((pid_t)m->collector_pid, 0) < 0 && errno == ESRCH;
}

int open_session(struct model **out, const char *file, struct error *e)
{
	int kind = model_open(out, file, e);

	if (kind)
		return kind;
	if ((*out)->end == MODEL_RUNNING && collector_is_gone(*out))
		kind = model_abandon(*out, e);
	if (!kind && !(*out)->complete && frame_names_ask(*out, native_names_later, 0) < 0)
		kind = error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot read %s", file);
	if (kind) {
		model_close(*out);
		*out = NULL;
	}
	return kind;
}
