/* The tile kernels compiled for any processor. */
#include "columns/tile_kernels_tables.h"

#define KERNELS_TABLE berth__kernels_portable
#define KERNELS_ISA "portable"
#include "columns/tile_kernels_body.h"
