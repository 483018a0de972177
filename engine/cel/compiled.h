/* A compiled expression. */
#ifndef BERTH_CEL_COMPILED_H
#define BERTH_CEL_COMPILED_H

#include "cel/cel.h"
#include "cel/reads.h"

struct berth__cel {
    const berth_allocator *allocator;
    berth__arena arena; /* all else lies there */
    berth_str problem;  /* why it doesn't compile */
    const berth__cel_node *root;
    uint32_t slot_count;
    const berth__cel_read *reads;
    uint32_t read_count;
    berth__cel_pattern **patterns; /* of constants */
    uint32_t pattern_count;
};

#endif
