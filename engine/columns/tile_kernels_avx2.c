/* The tile kernels compiled for the avx2 instruction set. */
#include "columns/tile_kernels_tables.h"

#define KERNELS_TABLE berth__kernels_avx2
#define KERNELS_ISA "avx2"
#include "columns/tile_kernels_body.h"
