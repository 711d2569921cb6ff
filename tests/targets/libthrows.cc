// libthrows: a C++ library that throws and catches so many exceptions through so many frames.
#include <stdexcept>

__attribute__((noinline)) static int deeper(int depth)
{
	if (depth == 0)
		throw std::runtime_error("bottom");
	return deeper(depth - 1) + 1;
}

extern "C" int throw_often(int times)
{
	int caught = 0;

	for (int i = 0; i < times; i++) {
		try {
			deeper(10);
		} catch (const std::runtime_error &) {
			caught++;
		}
	}
	return caught;
}
