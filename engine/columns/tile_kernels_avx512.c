/* The tile kernels compiled for the avx512 instruction set. */
#include "columns/tile_kernels_tables.h"

#define KERNELS_TABLE berth__kernels_avx512
#define KERNELS_ISA "avx512"
#include "columns/tile_kernels_body.h"
