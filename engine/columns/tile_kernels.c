/* Chooses the tile kernels for the widest instruction set of this processor. */
#include "columns/tile_kernels_tables.h"

#include <stddef.h>

const berth__kernels *berth__kernels_at(uint32_t index)
{
    if (index == 0)
        return &berth__kernels_portable;
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (index == 1 && avx2)
        return &berth__kernels_avx2;
    if (index == 2 && avx512)
        return &berth__kernels_avx512;
#endif
    return NULL;
}

const berth__kernels *berth__kernels_best(void)
{
    for (uint32_t index = 2; index > 0; index--)
        if (berth__kernels_at(index) != NULL)
            return berth__kernels_at(index);
    return berth__kernels_at(0);
}
