/* Patterns: texts of pods that came before, with gaps where the replicas of one template differ:
 * name, uid, node. A text that is a pattern's, byte by byte, but for what stands in its gaps is
 * the same pod with other words there: nobody needs to parse it.
 *
 * The words in the gaps are plain, in the pattern and in the text found: not empty, printable
 * ASCII without quotes and backslashes. So the text is JSON of the same structure, and its strings
 * in the gaps are as written.
 *
 * A text is registered when it has been seen a second time, judging by its hash. Where patterns do
 * not help, as among texts that are all different, looking for them pauses, for longer and
 * longer.
 * Memory: grows with the bytes that were looked at, to a few MiB at most; past that everything is
 * forgotten and registered anew, unless what is known serves well.
 * Threads: one at a time; what is handed out is plain data. */
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

/* Words in gaps, lying in the text; absent: there is no such gap. */
typedef struct berth__gaps {
    berth_str word[BERTH__GAP_COUNT];
} berth__gaps;

enum {
    BERTH__PATTERN_BYTES_MAX = 2048, /* longer texts are left alone: most of one is never read */
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

/* Whether a text is a pattern's; `*id` and `*gaps` are then set. Cost: reads the text twice. */
berth__pattern_verdict berth__patterns_find(berth__patterns *patterns, berth_str text,
                                            berth__pattern_id *id, berth__gaps *gaps);

/* Keep a text that is a pod's whose words at `gaps` lie in it. Serial 0: it is not kept, as it
 * does not suit or memory is short. */
berth__pattern_id berth__patterns_register(berth__patterns *patterns, berth_str text,
                                           const berth__gaps *gaps);

#endif
