/* What is typed in the last line: a search, a filter, a moment. */
#include "tui/prompt.h"

#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "profiler/view/format.h"

void prompt_ask(struct ui *ui, enum prompt_kind kind)
{
	ui->prompt = kind;
	ui->prompt_text[0] = '\0';
	if (kind == PROMPT_FILTER)
		snprintf(ui->prompt_text, sizeof(ui->prompt_text), "%s", ui->filter);
}

static void answer(struct ui *ui)
{
	enum prompt_kind kind = ui->prompt;
	char end[FORMAT_MAX];
	int64_t t_ns;

	ui->prompt = PROMPT_NONE;
	if (kind == PROMPT_SEARCH && ui->prompt_text[0]) {
		snprintf(ui->search, sizeof(ui->search), "%s", ui->prompt_text);
		ui_search(ui, 1);
	} else if (kind == PROMPT_FILTER) {
		snprintf(ui->filter, sizeof(ui->filter), "%s", ui->prompt_text);
	} else if (kind == PROMPT_GO_TO && ui->prompt_text[0]) {
		if (timeline_parse(&ui->time, ui->model, ui->prompt_text, &t_ns))
			ui_say(ui, "no moment \"%s\" up to %s   12:33, 90, +2m, e1, val1, peak",
			       ui->prompt_text, format_moment(end, ui->model->last_ns));
		else
			timeline_seek(&ui->time, ui->model, t_ns);
		ui_moved(ui);
	}
}

/* Takes back one character of UTF-8. */
static void rub_out(char *text)
{
	size_t length = strlen(text);

	while (length && ((unsigned char)text[length - 1] & 0xc0) == 0x80)
		length--;
	text[length ? length - 1 : 0] = '\0';
}

static void type(struct ui *ui, int code)
{
	char bytes[8];
	size_t at = strlen(ui->prompt_text);
	int length = snprintf(bytes, sizeof(bytes), "%lc", (wint_t)code);

	if (length > 0 && at + (size_t)length < sizeof(ui->prompt_text))
		memcpy(ui->prompt_text + at, bytes, (size_t)length + 1);
	if (ui->prompt == PROMPT_FILTER) /* takes effect as it is typed */
		snprintf(ui->filter, sizeof(ui->filter), "%s", ui->prompt_text);
}

void prompt_key(struct ui *ui, int code)
{
	if (code == CODE_ENTER || code == '\r') {
		answer(ui);
	} else if (code == CODE_ESCAPE || code == CODE_CONTROL('C')) {
		if (ui->prompt == PROMPT_FILTER)
			ui->filter[0] = '\0';
		ui->prompt = PROMPT_NONE;
	} else if (code == CODE_BACKSPACE || code == CODE_CONTROL('H')) {
		rub_out(ui->prompt_text);
		if (ui->prompt == PROMPT_FILTER)
			snprintf(ui->filter, sizeof(ui->filter), "%s", ui->prompt_text);
	} else if (code == CODE_CONTROL('U')) {
		ui->prompt_text[0] = '\0';
	} else if (code >= ' ' && code < CODE_FIRST_SPECIAL) {
		type(ui, code);
	}
}
