/* A compiled expression. */
#ifndef BERTH_CEL_COMPILED_H
#define BERTH_CEL_COMPILED_H

#include "cel/cel.h"
#include "cel/reads.h"

struct berth__cel {
    const berth_allocator *allocator;
    berth__cel_release release;
    berth__arena arena; /* holds all the rest */
    berth_str problem;  /* why it does not compile */
    const berth__cel_node *root;
    uint32_t slot_count;
    const berth__cel_read *reads;
    uint32_t read_count;
    berth__cel_pattern **patterns; /* compiled constant patterns */
    uint32_t pattern_count;
};

#endif
