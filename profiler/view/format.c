/* Numbers as people see them: the rules of format.h, each in one function. */
#include "profiler/view/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN INT64_MIN /* MODEL_NONE */

static const struct {
	const char *name;
	double bytes;
} units[] = {
	[FORMAT_KIB] = {"KiB", 1024.0},
	[FORMAT_MIB] = {"MiB", 1048576.0},
	[FORMAT_GIB] = {"GiB", 1073741824.0},
	[FORMAT_TIB] = {"TiB", 1099511627776.0},
};

const char *format_unit_name(enum format_unit unit)
{
	return units[unit].name;
}

double format_in_unit(int64_t bytes, enum format_unit unit)
{
	return (double)bytes / units[unit].bytes;
}

/* 1023.7 MiB would be printed as 1024: it is 1.0 GiB. */
static int reaches(double bytes, enum format_unit unit)
{
	return bytes >= units[unit].bytes - units[unit - 1].bytes / 2;
}

enum format_unit format_unit_for(int64_t largest_bytes)
{
	double bytes = fabs((double)largest_bytes);

	if (reaches(bytes, FORMAT_TIB))
		return FORMAT_TIB;
	return reaches(bytes, FORMAT_GIB) ? FORMAT_GIB : FORMAT_MIB;
}

/* Three digits: "9.9", "26.4", "251" from GiB on; whole MiB, with a decimal under ten. */
static int decimals_for(double value, enum format_unit unit)
{
	if (unit <= FORMAT_MIB)
		return fabs(value) < 9.95 && unit == FORMAT_MIB ? 1 : 0;
	return fabs(value) < 99.95 ? 1 : 0;
}

static char *number_in(char *out, double bytes, enum format_unit unit)
{
	double value = bytes / units[unit].bytes;

	snprintf(out, FORMAT_MAX, "%.*f", decimals_for(value, unit), value);
	return out;
}

/* In a sentence a figure under 1 MiB is told in KiB. */
static enum format_unit sentence_unit(int64_t bytes)
{
	if (bytes && !reaches(fabs((double)bytes), FORMAT_MIB))
		return FORMAT_KIB;
	return format_unit_for(bytes);
}

char *format_bytes(char *out, int64_t bytes)
{
	enum format_unit unit = sentence_unit(bytes);

	if (bytes == UNKNOWN || !bytes)
		return strcpy(out, bytes ? "?" : "0");
	number_in(out, (double)bytes, unit);
	snprintf(out + strlen(out), FORMAT_MAX - strlen(out), " %s", units[unit].name);
	return out;
}

char *format_bytes_range(char *out, int64_t least, int64_t most)
{
	char from[FORMAT_MAX], to[FORMAT_MAX];

	if (most <= least)
		return format_bytes(out, least);
	snprintf(out, FORMAT_MAX, "%s to %s", format_bytes(from, least), format_bytes(to, most));
	return out;
}

char *format_bytes_like(char *out, int64_t bytes, int64_t like)
{
	enum format_unit unit = sentence_unit(like);

	if (!bytes)
		return strcpy(out, "0");
	/* one decimal in the unit of its neighbour, so that the two can be compared */
	if (unit >= FORMAT_GIB && fabs((double)bytes) / units[unit].bytes < 99.95)
		return format_cell(out, bytes, unit, 1);
	return format_cell(out, bytes, unit, 0);
}

char *format_cell(char *out, int64_t bytes, enum format_unit unit, int decimals)
{
	double value = (double)bytes / units[unit].bytes;
	double least = pow(10, -decimals);

	if (bytes == UNKNOWN || !bytes)
		return strcpy(out, bytes ? "?" : "0");
	if (value > 0 && value < least / 2)
		snprintf(out, FORMAT_MAX, "<%.*f", decimals, least);
	else
		snprintf(out, FORMAT_MAX, "%.*f", decimals, value);
	return out;
}

char *format_difference(char *out, int64_t bytes)
{
	enum format_unit unit = format_unit_for(bytes);
	double value = (double)bytes / units[unit].bytes;

	snprintf(out, FORMAT_MAX, "%+.*f %s", decimals_for(value, unit), value, units[unit].name);
	return out;
}

char *format_difference_cell(char *out, int64_t bytes, enum format_unit unit, int decimals)
{
	double value = (double)bytes / units[unit].bytes;

	/* what rounds to nothing has no direction */
	if (fabs(value) < pow(10, -decimals) / 2)
		value = 0;
	snprintf(out, FORMAT_MAX, "%+.*f", decimals, value);
	return out;
}

char *format_percent(char *out, int64_t part, int64_t whole)
{
	double percent = whole > 0 && part != UNKNOWN ? 100.0 * (double)part / (double)whole : 0;
	long rounded = lround(percent);

	if (whole <= 0 || part == UNKNOWN)
		return strcpy(out, "?");
	if (part < whole && rounded >= 100)
		rounded = 99;
	if (part > 0 && rounded == 0)
		return strcpy(out, "<1%");
	snprintf(out, FORMAT_MAX, "%ld%%", rounded);
	return out;
}

char *format_percent_fine(char *out, double ratio)
{
	snprintf(out, FORMAT_MAX, "%.1f%%", 100 * ratio);
	return out;
}

char *format_estimate(char *out, double value)
{
	double scale = value > 0 ? pow(10, floor(log10(value)) - 1) : 1;

	snprintf(out, FORMAT_MAX, "about %.*f", scale < 1 ? (int)-log10(scale) : 0,
		 round(value / scale) * scale);
	return out;
}

char *format_byte_hours(char *out, double byte_seconds, int utf8)
{
	enum format_unit unit = FORMAT_GIB;
	double hours = byte_seconds / 3600 / units[FORMAT_GIB].bytes;

	if (hours > 0 && hours < 0.0995) {
		unit = FORMAT_MIB;
		hours *= 1024;
	}
	snprintf(out, FORMAT_MAX, "%.*f %s%sh",
		 hours < 9.995   ? 2
		 : hours < 99.95 ? 1
				 : 0,
		 hours, units[unit].name, utf8 ? "·" : " ");
	return out;
}

char *format_count(char *out, int64_t count)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%lld", (long long)count), at = 0;

	for (int i = 0; i < length; i++) {
		if (i && llabs(count) >= 10000 && (length - i) % 3 == 0 && digits[i - 1] != '-')
			out[at++] = ' ';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}
