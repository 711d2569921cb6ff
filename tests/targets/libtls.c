/*
 * libtls: a library with thread-local state, as any C++ library has. Tests load many copies of it.
 */
int libtls_touch(void);

static __thread char state[32];

int libtls_touch(void)
{
	return ++state[31];
}
