/* The existing tables of tile kernels. */
#ifndef BERTH_COLUMNS_TILE_KERNELS_TABLES_H
#define BERTH_COLUMNS_TILE_KERNELS_TABLES_H

#include "columns/tile_kernels.h"

extern const berth__kernels berth__kernels_portable;
#if defined(__x86_64__)
extern const berth__kernels berth__kernels_avx2;
extern const berth__kernels berth__kernels_avx512;
#endif

#endif
