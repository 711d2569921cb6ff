/* The forms of time of format_time.h. All but the clock's time are made of two: seconds below a minute, m:ss from there on. */
#include "profiler/format_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)
#define SLACK_NS 100 /* a time that was computed in seconds may lack some */
#define UNKNOWN  INT64_MIN

/* Behind the sign of a negative time, which `out` gets. */
static char *after_sign(char *out, int64_t *ns)
{
	if (*ns >= 0)
		return out;
	*ns = -*ns;
	*out = '-';
	return out + 1;
}

char *format_moment(char *out, int64_t ns)
{
	char *text = out;
	long long s;

	if (ns == UNKNOWN)
		return strcpy(out, "?");
	text = after_sign(out, &ns);
	s = ns / NS_PER_S;
	if (s < 3600)
		snprintf(text, FORMAT_MAX - 1, "%lld:%02lld", s / 60, s % 60);
	else if (s < 86400)
		snprintf(text, FORMAT_MAX - 1, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(text, FORMAT_MAX - 1, "%lldd %02lld:%02lld", s / 86400, s / 3600 % 24,
			 s / 60 % 60);
	return out;
}

char *format_moment_tenths(char *out, int64_t ns)
{
	format_moment(out, ns);
	if (ns != UNKNOWN)
		snprintf(out + strlen(out), FORMAT_MAX - strlen(out), ".%d",
			 (int)(llabs((long long)ns) / (NS_PER_S / 10) % 10));
	return out;
}

/* Seconds with tenths below `tenths_below_s`, whole ones up to a minute, then as a moment. */
static char *duration(char *out, int64_t ns, const char *blank, long long tenths_below_s)
{
	char *text = out;
	long long tenths;

	if (ns == UNKNOWN)
		return strcpy(out, "?");
	text = after_sign(out, &ns);
	tenths = (ns + SLACK_NS) / (NS_PER_S / 10);
	if (tenths >= 600)
		format_moment(text, ns + SLACK_NS);
	else if (tenths >= 10 * tenths_below_s)
		snprintf(text, FORMAT_MAX - 1, "%lld%ss", tenths / 10, blank);
	else if (ns && !tenths)
		snprintf(text, FORMAT_MAX - 1, "<0.1%ss", blank);
	else
		snprintf(text, FORMAT_MAX - 1, "%lld.%lld%ss", tenths / 10, tenths % 10, blank);
	return out;
}

char *format_duration(char *out, int64_t ns)
{
	return duration(out, ns, " ", 10);
}

char *format_duration_cell(char *out, int64_t ns)
{
	return duration(out, ns, "", 60);
}

static char *change(char *out, int64_t ns, const char *blank)
{
	if (ns == UNKNOWN)
		return strcpy(out, "?");
	/* what is less than a tenth has no direction */
	if (llabs((long long)ns) < NS_PER_S / 10 - SLACK_NS)
		ns = 0;
	if (ns < 0)
		return duration(out, ns, blank, 60);
	*out = '+';
	duration(out + 1, ns, blank, 60);
	return out;
}

char *format_duration_change(char *out, int64_t ns)
{
	return change(out, ns, " ");
}

char *format_duration_change_cell(char *out, int64_t ns)
{
	return change(out, ns, "");
}

char *format_time_of_day(char *out, int64_t unix_ns)
{
	time_t when = (time_t)(unix_ns / NS_PER_S);
	struct tm tm;

	if (unix_ns == UNKNOWN || !localtime_r(&when, &tm))
		return strcpy(out, "?");
	strftime(out, FORMAT_MAX, "%H:%M:%S", &tm);
	return out;
}
