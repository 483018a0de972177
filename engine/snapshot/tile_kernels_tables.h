/* The tables of tile kernels that exist. */
#ifndef BERTH_SNAPSHOT_TILE_KERNELS_TABLES_H
#define BERTH_SNAPSHOT_TILE_KERNELS_TABLES_H

#include "snapshot/tile_kernels.h"

extern const berth__kernels berth__kernels_portable;
#if defined(__x86_64__)
extern const berth__kernels berth__kernels_avx2;
extern const berth__kernels berth__kernels_avx512;
#endif

#endif
