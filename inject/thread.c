/*
 * thread.c: the words of static TLS that thread.h describes.
 */
#include "inject/thread.h"

__thread struct thread thread __attribute__((visibility("hidden")));
