/* Optimal string alignment distance over short names; longer ones are never suggested. */
#include "profiler/nearest.h"

#include <string.h>

enum { NAME_MAX_LENGTH = 63 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t distance(const char *a, const char *b)
{
	size_t rows[NAME_MAX_LENGTH + 1][NAME_MAX_LENGTH + 1];
	size_t la = strlen(a), lb = strlen(b);

	for (size_t i = 0; i <= la; i++)
		rows[i][0] = i;
	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		for (size_t j = 1; j <= lb; j++) {
			size_t d = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			d = least(d, least(rows[i - 1][j], rows[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d = least(d, rows[i - 2][j - 2] + 1);
			rows[i][j] = d;
		}
	}
	return rows[la][lb];
}

const char *nearest_name(const char *word, const char *const names[], size_t count)
{
	const char *best = NULL;
	size_t length = strlen(word), best_distance = (length + 2) / 3 + 1;

	if (length > NAME_MAX_LENGTH)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t d;

		if (strlen(names[i]) > NAME_MAX_LENGTH)
			continue;
		d = distance(word, names[i]);
		if (d < best_distance && d < strlen(names[i])) {
			best = names[i];
			best_distance = d;
		}
	}
	return best;
}
