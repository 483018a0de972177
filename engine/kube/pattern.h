/* Patterns: texts of earlier pods, with gaps where the replicas of one template differ: name, uid,
 * node. A text that equals a pattern byte by byte, except in the gaps, is the same pod with other
 * words there, so it needs no parsing.
 *
 * The words in the gaps are plain, in the pattern and in the new text: not empty, printable ASCII
 * without quotes and backslashes. So the new text is JSON of the same structure, and its strings in
 * the gaps need no decoding.
 *
 * A text is registered when it is seen a second time, judging by its hash. If patterns do not help,
 * because all texts differ, the search for them pauses for longer and longer periods.
 * Memory: grows with the bytes that were looked at, to a few MiB at most. Beyond that, all patterns
 * are dropped and new ones registered, unless the present ones serve well.
 * Threads: one at a time; results are plain data. */
#ifndef BERTH_KUBE_PATTERN_H
#define BERTH_KUBE_PATTERN_H

#include <stdbool.h>

#include "berth/status.h"

typedef enum berth__gap {
    BERTH__GAP_NAME,
    BERTH__GAP_UID,
    BERTH__GAP_NODE,
    BERTH__GAP_COUNT,
} berth__gap;

/* The words in gaps, as parts of the text; absent: there is no such gap. */
typedef struct berth__gaps {
    berth_str word[BERTH__GAP_COUNT];
} berth__gaps;

enum {
    BERTH__PATTERN_BYTES_MAX = 2048, /* of longer texts, most bytes are never read anyway */
    BERTH__PATTERNS_MAX = 4096,
};

/* Serials are never used again in the process, places are. 0: no pattern. */
typedef struct berth__pattern_id {
    uint64_t serial;
    uint32_t place; /* below BERTH__PATTERNS_MAX */
} berth__pattern_id;

typedef enum berth__pattern_verdict {
    BERTH__PATTERN_NONE,
    BERTH__PATTERN_WANTED, /* register it, if it is a pod */
    BERTH__PATTERN_FOUND,
} berth__pattern_verdict;

typedef struct berth__patterns berth__patterns;

/* NULL when out of memory. Destroy accepts NULL. */
berth__patterns *berth__patterns_create(const berth_allocator *allocator);
void berth__patterns_destroy(berth__patterns *patterns);

/* Whether a text follows a pattern; if so, sets `*id` and `*gaps`. Cost: reads the text twice. */
berth__pattern_verdict berth__patterns_find(berth__patterns *patterns, berth_str text,
                                            berth__pattern_id *id, berth__gaps *gaps);

/* Register the text of a pod whose words at `gaps` are parts of it. Serial 0: not registered,
 * because it does not suit or memory is short. */
berth__pattern_id berth__patterns_register(berth__patterns *patterns, berth_str text,
                                           const berth__gaps *gaps);

#endif
