/* Values of JSON documents from those of the model. */
#include "profiler/view/json_values.h"

#include <stdlib.h>

#include "profiler/view/escape.h"

json_t *json_count(int64_t value)
{
	return value == MODEL_NONE ? json_null() : json_integer(value);
}

json_t *json_seconds(int64_t ns)
{
	return ns == MODEL_NONE ? json_null() : json_real((double)ns / 1e9);
}

/* Texts of a session may hold any bytes. */
json_t *json_text(const char *s)
{
	char *utf8 = s ? escape_utf8(s) : NULL;
	json_t *string = utf8 ? json_string(utf8) : json_null();

	free(utf8);
	return string;
}

json_t *json_text_or_null(const char *s)
{
	return s && s[0] ? json_text(s) : json_null();
}
