/* Numbers as text. The rules, with examples: tests/unit/view/test_format.c. */
#include "profiler/view/format.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "profiler/model/model.h"

#define SECOND INT64_C(1000000000)

/* Of the magnitude, so that INT64_MIN is no trap. */
static uint64_t magnitude(int64_t n)
{
	return n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
}

static char *unknown(char *out)
{
	snprintf(out, FORMAT_SIZE, "?");
	return out;
}

int64_t format_unit_bytes(enum format_unit unit)
{
	return INT64_C(1) << (10 * (int)unit);
}

const char *format_unit_name(enum format_unit unit)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};

	return names[unit];
}

enum format_unit format_unit_for(int64_t largest_bytes)
{
	if (largest_bytes >= 10 * format_unit_bytes(FORMAT_TIB))
		return FORMAT_TIB;
	if (largest_bytes >= format_unit_bytes(FORMAT_GIB))
		return FORMAT_GIB;
	return largest_bytes >= format_unit_bytes(FORMAT_MIB) ? FORMAT_MIB : FORMAT_KIB;
}

/* One decimal under 100 of a unit above MiB and under 10 MiB; whole numbers else. */
char *format_bytes(char *out, int64_t bytes)
{
	enum format_unit unit = format_unit_for((int64_t)(magnitude(bytes) & INT64_MAX));
	double value = (double)bytes / (double)format_unit_bytes(unit);
	double least_whole = unit >= FORMAT_GIB ? 99.95 : 9.95;

	if (bytes == MODEL_NONE)
		return unknown(out);
	if (!bytes)
		snprintf(out, FORMAT_SIZE, "0");
	else
		snprintf(out, FORMAT_SIZE, "%.*f %s", fabs(value) < least_whole, value,
			 format_unit_name(unit));
	return out;
}

char *format_bytes_in(char *out, int64_t bytes, enum format_unit unit, int decimals)
{
	double value = (double)bytes / (double)format_unit_bytes(unit);
	double least = pow(10, -decimals);

	if (bytes == MODEL_NONE)
		return unknown(out);
	if (!bytes)
		snprintf(out, FORMAT_SIZE, "0");
	else if (fabs(value) < least / 2)
		snprintf(out, FORMAT_SIZE, "<%.*f", decimals, least);
	else
		snprintf(out, FORMAT_SIZE, "%.*f", decimals, value);
	return out;
}

char *format_difference_in(char *out, int64_t bytes, enum format_unit unit, int decimals)
{
	double value = (double)bytes / (double)format_unit_bytes(unit);
	int rounds_to_nothing = fabs(value) < pow(10, -decimals) / 2;

	if (bytes == MODEL_NONE)
		return unknown(out);
	if (!bytes)
		snprintf(out, FORMAT_SIZE, "0");
	else
		snprintf(out, FORMAT_SIZE, "%+.*f", decimals, rounds_to_nothing ? 0.0 : value);
	return out;
}

char *format_byte_seconds(char *out, double byte_seconds, int utf8)
{
	double gib_hours = byte_seconds / (double)format_unit_bytes(FORMAT_GIB) / 3600;

	if (gib_hours >= 0.01)
		snprintf(out, FORMAT_SIZE, "%.*f GiB%sh",
			 gib_hours < 9.995   ? 2
			 : gib_hours < 99.95 ? 1
					     : 0,
			 gib_hours, utf8 ? "·" : " ");
	else
		snprintf(out, FORMAT_SIZE, "%.2f MiB%sh", gib_hours * 1024, utf8 ? "·" : " ");
	return out;
}

char *format_share(char *out, int64_t part, int64_t whole)
{
	double percent;

	if (part == MODEL_NONE || whole == MODEL_NONE || whole <= 0)
		return unknown(out);
	percent = 100.0 * (double)part / (double)whole;
	if (percent < 100 && percent > 99)
		percent = 99;
	snprintf(out, FORMAT_SIZE, "%.0f%%", percent);
	return out;
}

char *format_count(char *out, int64_t count)
{
	char digits[FORMAT_SIZE], *to = out;
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)magnitude(count));

	if (count == MODEL_NONE)
		return unknown(out);
	if (count < 0)
		*to++ = '-';
	for (int i = 0; i < length; i++) {
		if (length > 4 && i && (length - i) % 3 == 0)
			*to++ = ' ';
		*to++ = digits[i];
	}
	*to = '\0';
	return out;
}

char *format_about(char *out, double value)
{
	double step = fabs(value) >= 1 ? pow(10, floor(log10(fabs(value))) - 1) : 0.1;

	if (step < 1 && fabs(value) >= 10)
		step = 1;
	snprintf(out, FORMAT_SIZE, "about %.*f", step < 1, round(value / step) * step);
	return out;
}

static char *duration(char *out, int64_t ns, const char *blank)
{
	uint64_t s = (magnitude(ns) + SECOND / 2) / SECOND;
	const char *sign = ns < 0 ? "-" : "";

	if (ns == MODEL_NONE)
		return unknown(out);
	if (magnitude(ns) < (uint64_t)SECOND * 995 / 100)
		snprintf(out, FORMAT_SIZE, "%s%.1f%ss", sign, (double)magnitude(ns) / SECOND,
			 blank);
	else if (s < 60)
		snprintf(out, FORMAT_SIZE, "%s%llu%ss", sign, (unsigned long long)s, blank);
	else if (s < 86400)
		format_moment(out, ns);
	else
		snprintf(out, FORMAT_SIZE, "%s%llud %02llu:%02llu", sign,
			 (unsigned long long)s / 86400, (unsigned long long)s / 3600 % 24,
			 (unsigned long long)s / 60 % 60);
	return out;
}

char *format_duration(char *out, int64_t ns)
{
	return duration(out, ns, " ");
}

char *format_duration_cell(char *out, int64_t ns)
{
	return duration(out, ns, "");
}

/* Moments are cut, not rounded: 12:33.9 is within the second 12:33. Lengths come in whole seconds or do not care. */
char *format_moment(char *out, int64_t ns)
{
	unsigned long long s = magnitude(ns) / SECOND;
	const char *sign = ns < 0 ? "-" : "";

	if (ns == MODEL_NONE)
		return unknown(out);
	if (s < 3600)
		snprintf(out, FORMAT_SIZE, "%s%llu:%02llu", sign, s / 60, s % 60);
	else
		snprintf(out, FORMAT_SIZE, "%s%llu:%02llu:%02llu", sign, s / 3600, s / 60 % 60,
			 s % 60);
	return out;
}

char *format_moment_tenths(char *out, int64_t ns)
{
	int64_t tenths = (int64_t)((magnitude(ns) & INT64_MAX) / (SECOND / 10));
	char whole[FORMAT_SIZE];

	if (ns == MODEL_NONE)
		return unknown(out);
	format_moment(whole, tenths / 10 * SECOND);
	snprintf(out, FORMAT_SIZE, "%.*s.%d", FORMAT_SIZE - 4, whole, (int)(tenths % 10));
	return out;
}

char *format_clock(char *out, int64_t unix_ns)
{
	time_t when = (time_t)(unix_ns / SECOND);
	struct tm tm;

	if (unix_ns == MODEL_NONE || !localtime_r(&when, &tm))
		return unknown(out);
	strftime(out, FORMAT_SIZE, "%H:%M:%S", &tm);
	return out;
}
