/* Counts refusals over an engine's life, by plugin and reason (berth/statistics.h). */
#ifndef BERTH_EXPLAIN_REFUSALS_H
#define BERTH_EXPLAIN_REFUSALS_H

#include "explain/explanation.h"

/* Reasons may contain names of objects, so distinct reasons beyond this number are counted
 * together. */
enum { BERTH__REFUSALS_MAX = 256 };

typedef struct berth__refusal {
    berth_str plugin, reason;
    berth_code code;
    uint64_t count;
} berth__refusal;

typedef struct berth__refusals {
    berth__arena arena; /* holds the texts */
    berth__refusal *items;
    uint32_t count;
    uint32_t last;   /* the last one counted, which often recurs */
    uint64_t others; /* refusals for which there was no room */
} berth__refusals;

void berth__refusals_init(berth__refusals *refusals, const berth_allocator *allocator);
void berth__refusals_destroy(berth__refusals *refusals);

/* Set all counts to zero. */
void berth__refusals_reset(berth__refusals *refusals);

/* Count one refusal; without memory for a new entry, count it under `others`. */
void berth__refusals_note(berth__refusals *refusals, berth_str plugin, berth_str reason,
                          berth_code code);

/* Count all refusals of an explanation. */
void berth__refusals_note_all(berth__refusals *refusals, const berth_explanation *explanation);

#endif
