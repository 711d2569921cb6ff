/*
 * python_absent.c: what python_boot.h does in a build without it.
 */
#include "inject/python_boot.h"

__attribute__((weak)) void python_boot_tick(void)
{
}

__attribute__((weak)) void python_boot_forked(void)
{
}
