// api_in_cxx: the public header from C++, without linking anything. Prints the number of its pool.
#include <cstdio>

#include "inject/loopmem.h"

int main()
{
	loopmem_pool_spec spec = {};
	spec.stage = LOOPMEM_STAGE_TRAIN;
	spec.label = "train";
	loopmem_pool pool = loopmem_pool_begin(&spec);
	loopmem_phase_begin(LOOPMEM_STAGE_TRAIN, 0, nullptr);
	loopmem_pool_worker(pool, 1, 0);
	loopmem_next_begin(pool);
	loopmem_next_end(pool, 1);
	loopmem_pool_expect(pool, 1);
	loopmem_pool_exhausted(pool);
	loopmem_pool_reuse(pool, 1);
	loopmem_pool_end(pool);
	loopmem_phase_end();
	std::printf("%u\n", pool);
	return 0;
}
