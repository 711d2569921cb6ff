/* Claims about profiler/collect/description.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/collect/description.h"

static char *quote(const char *const *words)
{
	char *text = description_quote((char *const *)words);

	assert_non_null(text);
	return text;
}

static void plain_words_stay_plain(void **state)
{
	const char *const words[] = {"python", "train.py", "--lr=1e-3", "user@host:/x", NULL};
	char *text = quote(words);

	(void)state;
	assert_string_equal(text, "python train.py --lr=1e-3 user@host:/x");
	free(text);
}

/* What the shell makes of it is what went in. */
static void the_shell_reads_back_every_word(void **state)
{
	const char *const words[] = {"printf", "%s\n", "a b",       "it's", "$HOME `x` \"y\"",
				     "",       "*",    "tab\there", NULL};
	char *text = quote(words), back[256];
	FILE *shell = popen(text, "r");
	size_t n;

	(void)state;
	assert_non_null(shell);
	n = fread(back, 1, sizeof(back) - 1, shell);
	back[n] = '\0';
	pclose(shell);
	assert_string_equal(back, "a b\nit's\n$HOME `x` \"y\"\n\n*\ntab\there\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_words_stay_plain),
		cmocka_unit_test(the_shell_reads_back_every_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
