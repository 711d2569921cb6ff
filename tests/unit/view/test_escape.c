/* Claims about profiler/view/escape.h: hostile text in every format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/view/escape.h"

#define BREAK "\xE2\x80\x8B"
#define BAD   "\xEF\xBF\xBD"

typedef void escape_function(FILE *out, const char *text);

static void expect(escape_function *escape, const char *text, const char *expected)
{
	char *result = NULL;
	size_t size;
	FILE *out = open_memstream(&result, &size);

	escape(out, text);
	fclose(out);
	assert_string_equal(result, expected);
	free(result);
}

static void a_log_line_gives_no_orders(void **state)
{
	(void)state;
	expect(escape_text, "::add-mask::x", ":" BREAK ":add-mask::x");
	expect(escape_text, "  ::error::x", "  :" BREAK ":error::x");
	expect(escape_text, "\t::error::x", " :" BREAK ":error::x");
	expect(escape_text, "a::b", "a::b");
	expect(escape_text, "x ##[error]x", "x ##" BREAK "[error]x");
	expect(escape_text, "###[error]x", "###" BREAK "[error]x");
	expect(escape_text, "#[1]", "#[1]");
}

static void a_log_line_stays_one_line_and_in_order(void **state)
{
	(void)state;
	expect(escape_text, "a\nb\r\nc", "a b  c");
	expect(escape_text,
	       "a\xE2\x80\xA8"
	       "b\xC2\x85"
	       "c",
	       "a b c");
	expect(escape_text, "\033[31mred\007", BAD "[31mred" BAD);
	expect(escape_text,
	       "\xE2\x80\xAE"
	       "evil",
	       BAD "evil");
	expect(escape_text, NULL, "");
}

static void bytes_that_are_no_utf8_are_replaced_one_by_one(void **state)
{
	(void)state;
	expect(escape_text, "caf\xE9", "caf" BAD);
	expect(escape_text, "\xC0\xAF", BAD BAD);         /* overlong '/' */
	expect(escape_text, "\xED\xA0\x80", BAD BAD BAD); /* a surrogate */
	expect(escape_text, "\xF5\x80\x80\x80", BAD BAD BAD BAD);
	expect(escape_text, "\xE2\x82", BAD BAD); /* cut off */
	expect(escape_text, "\xE2\x82\xAC \xF0\x9F\x90\x8D", "\xE2\x82\xAC \xF0\x9F\x90\x8D");
}

static void a_workflow_command_keeps_its_shape(void **state)
{
	(void)state;
	expect(escape_workflow_message, "100%\na,b: ::x\r", "100%25%0Aa,b: ::x%0D");
	expect(escape_workflow_message, "%0A", "%250A");
	expect(escape_workflow_property, "a:b,c=d%\n", "a%3Ab%2Cc=d%25%0A");
	expect(escape_workflow_property, "\xFF", BAD);
}

static void markdown_shows_what_was_written(void **state)
{
	(void)state;
	expect(escape_markdown, "a|b*c_d`e", "a\\|b\\*c\\_d\\`e");
	expect(escape_markdown, "<img src=x>&amp;", "&lt;img src=x&gt;&amp;amp;");
	expect(escape_markdown, "[x](http://y)\n# z", "\\[x\\](http://y) \\# z");
	expect(escape_markdown, "@everyone", "&#64;everyone");
	expect(escape_markdown, "\xFF", BAD);
}

static void a_code_span_cannot_be_closed_from_inside(void **state)
{
	(void)state;
	expect(escape_markdown_code, "train", "` train `");
	expect(escape_markdown_code, "a`b", "`` a`b ``");
	expect(escape_markdown_code, "``", "``` `` ```");
	expect(escape_markdown_code, "a|b\nc", "` a\\|b c `");
	expect(escape_markdown_code, "", "`  `");
}

static void xml_holds_only_what_xml_allows(void **state)
{
	(void)state;
	expect(escape_xml, "a<b>&\"]]>", "a&lt;b&gt;&amp;&quot;]]&gt;");
	expect(escape_xml, "1\n2\t3\r\0334", "1\n2\t3&#13;4");
	expect(escape_xml_attribute, "1\n2\t3", "1&#10;2&#9;3");
	expect(escape_xml,
	       "\xEF\xBF\xBE"
	       "a\xE9",
	       "a" BAD);
}

static void a_copy_for_json_is_utf8(void **state)
{
	char *copy = escape_utf8("data/\xFFset\n");

	(void)state;
	assert_string_equal(copy, "data/" BAD "set\n");
	free(copy);
}

static void a_cut_divides_no_character(void **state)
{
	(void)state;
	assert_int_equal(escape_cut("abc", 2), 2);
	assert_int_equal(escape_cut("abc", 3), 3);
	assert_int_equal(escape_cut("a\xE2\x82\xAC", 3), 1);
	assert_int_equal(escape_cut("a\xE2\x82\xAC", 4), 4);
	assert_int_equal(escape_cut("", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log_line_gives_no_orders),
		cmocka_unit_test(a_log_line_stays_one_line_and_in_order),
		cmocka_unit_test(bytes_that_are_no_utf8_are_replaced_one_by_one),
		cmocka_unit_test(a_workflow_command_keeps_its_shape),
		cmocka_unit_test(markdown_shows_what_was_written),
		cmocka_unit_test(a_code_span_cannot_be_closed_from_inside),
		cmocka_unit_test(xml_holds_only_what_xml_allows),
		cmocka_unit_test(a_copy_for_json_is_utf8),
		cmocka_unit_test(a_cut_divides_no_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
