/*
 * prompt.h: the question in the last line and the text typed to it. A filter takes effect as it is typed.
 */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include "tui/ui.h"

void prompt_ask(struct ui *ui, enum prompt_kind kind);

/* One key, while ui->prompt is not PROMPT_NONE. */
void prompt_key(struct ui *ui, int code);

#endif
