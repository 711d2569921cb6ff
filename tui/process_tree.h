/*
 * process_tree.h: the processes of one moment as rows of a sheet: a tree or a list. A worker stands under its pool, not
 * under its parent (which may be a fork server); what has no living parent stands at the left edge.
 *
 * Ids of rows: a process is its index, a pool -1 - its index.
 */
#ifndef TUI_PROCESS_TREE_H
#define TUI_PROCESS_TREE_H

#include "tui/ui.h"

/* The tree with all workers if it fits ui->sheet_room, else with the first few of each pool that is not opened. */
void process_tree_build(struct ui *ui, struct sheet *sheet);

/* The bit of ui->opened that stands for a pool. */
int64_t process_tree_bit(size_t pool);

#endif
