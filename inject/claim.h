/*
 * claim.h: what must hold at a point. A build with DEBUG=1 stops the program at once where it does not, by an illegal
 * instruction: printing or aborting would allocate. Other builds do not look: the shim never ends a user's program.
 */
#ifndef INJECT_CLAIM_H
#define INJECT_CLAIM_H

#ifdef LOOPMEM_DEBUG
#define CLAIM(holds) ((holds) ? (void)0 : __builtin_trap())
#else
#define CLAIM(holds) ((void)sizeof(holds))
#endif

#endif
