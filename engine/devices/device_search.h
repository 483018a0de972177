/* The structured allocator: on one node, the first devices in kube-scheduler's order that serve all
 * claims of a pod, its faults included.
 *
 * A search is depth first with a stack of its own. What it may cost is bounded in work, where
 * kube-scheduler bounds it in time: every device looked at counts.
 * Source: dynamic-resource-allocation v0.36, structured/internal/incubating. */
#ifndef BERTH_DEVICES_DEVICE_SEARCH_H
#define BERTH_DEVICES_DEVICE_SEARCH_H

#include "devices/catalog.h"
#include "devices/verdicts.h"

enum {
    BERTH__DEVICE_RESULTS_MAX = 32, /* of one claim */
    /* Devices that a search may look at: what kube-scheduler gets through in its 10 seconds,
     * about. */
    BERTH__DEVICE_WORK_MAX = 1 << 24,
    BERTH__DEVICE_WORK_ASKED = 1 << 6, /* what an evaluation of a selector counts for */
};

/* A claim to be served. */
typedef struct berth__device_want {
    berth_str namespace_name, name; /* of the claim */
    const berth__device_request *requests;
    uint32_t request_count;
    const berth__device_constraint *constraints;
    uint32_t constraint_count;
} berth__device_want;

/* One `exactly`, or alternative, of the claims. */
typedef struct berth__device_line {
    const berth__device_ask *ask;
    const berth__device_request *request;
    uint32_t claim;
    const berth__device_class_facts *class_facts;       /* NULL: there is none */
    berth__device_program **class_programs, **programs; /* of the selectors, in order */
    int64_t need;
    const berth__offer **all; /* mode All: those needed */
} berth__device_line;

/* A device that was taken. */
typedef struct berth__taken_device {
    const berth__offer *offer;
    uint32_t claim;
    uint32_t line;
    bool shares;
    bool counted;      /* its counters are in use by this search */
    bool was_entered;  /* capacity of it was taken by this search before */
    uint32_t consumed; /* if it shares: where `amounts` has what it consumes, by capacity, nanos */
} berth__taken_device;

typedef enum berth__devices_outcome {
    BERTH__DEVICES_FOUND,
    BERTH__DEVICES_NONE,
    BERTH__DEVICES_INVALID,  /* none, and some pool of the node is invalid */
    BERTH__DEVICES_TOO_LONG, /* more work than is allowed */
    BERTH__DEVICES_FAILED,   /* an error, see `problem` */
    BERTH__DEVICES_NO_MEMORY,
} berth__devices_outcome;

typedef struct berth__device_frame berth__device_frame;
typedef struct berth__counter_table berth__counter_table;
typedef struct berth__constraint_state berth__constraint_state;

/* Where the lines of a request begin, and what a claim has. */
typedef struct berth__want_state {
    uint32_t *first_line;                 /* by request, and one more */
    berth__constraint_state *constraints; /* by constraint */
    uint32_t result_count;
} berth__want_state;

/* What is to be found, made once for a decision, and the search of one node after the other. */
typedef struct berth__device_search {
    /* Given. */
    berth__model *model;
    berth__verdicts *verdicts;
    const berth__device_want *wants;
    uint32_t want_count;
    /* The class of a name, NULL: there is none. */
    const berth__device_class_facts *(*find_class)(const void *context, berth__sym name);
    const void *context;
    berth__arena *plan;  /* for what is made once */
    berth__arena *arena; /* for what a search makes: reset when one begins */
    uint32_t work_max;
    /* Found, valid until the next search. */
    berth_str problem;
    berth__taken_device *taken; /* in the order of taking, claim by claim */
    uint32_t taken_count;
    uint32_t work;
    /* Of the search itself. */
    const berth__offer_node *node;
    const berth__node_offers *offers;
    berth__want_state *states; /* by claim */
    berth__device_line *lines;
    uint32_t line_count;
    uint32_t taken_capacity;
    __int128 *amounts;
    uint32_t amount_count, amount_capacity;
    berth__device_frame *frames;
    uint32_t frame_count, frame_capacity;
    berth__counter_table *counters;
    berth__device_use **entered; /* uses with `entered` set */
    uint32_t entered_count, entered_capacity;
    bool no_memory;
} berth__device_search;

/* Make ready, of what is given. Returns false when out of memory. */
bool berth__device_search_begin(berth__device_search *search);

/* Search a node, which is kept by its place: until the next search. */
berth__devices_outcome berth__device_search_run(berth__device_search *search,
                                                const berth__offer_node *node,
                                                const berth__node_offers *offers);

/* What a claim is given by a solution, as facts; memory from `arena`. Texts are interned: under the
 * model's lock. Returns false when out of memory. */
bool berth__device_search_allocation(const berth__device_search *search, uint32_t claim,
                                     berth__arena *arena, berth__device_allocation *out);

/* Of a solution: the alternative that a request got, 0 for one that has but one. */
uint32_t berth__device_search_choice(const berth__device_search *search, uint32_t claim,
                                     uint32_t request);

/* ---- between the files of this module ---- */

typedef enum berth__step {
    BERTH__STEP_YES,
    BERTH__STEP_NO,
    BERTH__STEP_TOO_MANY, /* a claim would get more than it may */
    BERTH__STEP_ERROR,    /* see `problem`, `no_memory` and `work` */
} berth__step;

/* A larger copy of an array in the arena; false when out of memory. */
bool berth__device_search_grow(berth__device_search *search, void *array, uint32_t *capacity,
                               uint32_t need, size_t element_bytes);

/* Say what went wrong. */
#define BERTH__DEVICE_PROBLEM(search, ...)                                 \
    ((search)->problem = berth__device_text((search)->arena, __VA_ARGS__), \
     (search)->no_memory |= (search)->problem.data == NULL)

/* A claim as problems name it, NAMESPACE/NAME; absent when out of memory. */
berth_str berth__device_claim_name(berth__device_search *search, uint32_t claim);

/* A device as problems name it, DRIVER/POOL/DEVICE; absent when out of memory. */
berth_str berth__device_offer_name(berth__device_search *search, const berth__offer *offer);

/* The name of the request that a line is of, or of the alternative. */
berth_str berth__device_line_name(const berth__device_search *search,
                                  const berth__device_line *line);

/* Whether the nodes of a solution can be told. */
berth__step berth__device_search_nodes(berth__device_search *search);

/* Look at the claims before any device is taken. */
berth__step berth__device_search_check(berth__device_search *search);

/* Whether a device is what the selectors of a line's class, or its own, ask for. */
berth__step berth__device_selectors_met(berth__device_search *search,
                                        const berth__device_line *line, bool of_class,
                                        const berth__offer *offer);

/* Whether class, selectors and reach of a device are as a line asks. */
berth__step berth__device_selectable(berth__device_search *search, const berth__device_line *line,
                                     const berth__offer *offer);

/* Whether the device has what is asked of its capacities. What is wrong with the asking is no;
 * since v1.37 an amount that no number stands for is an error. */
berth__step berth__device_has_capacity(berth__device_search *search, const berth__device_line *line,
                                       const berth__offer *offer);

/* The same of a device of which nothing is in use. */
berth__step berth__device_had_capacity(berth__device_search *search, const berth__device_line *line,
                                       const berth__offer *offer);

/* Whether written allocations share the device, so that its counters are in use. Until v1.36 only
 * those count that say what they consume. */
static inline bool berth__device_is_shared_already(const berth__device_search *search,
                                                   const berth__device_use *use)
{
    return (search->model->behaviours.bare_shares_count ? use->shared : use->capacities) > 0;
}

/* Whether a line tolerates the device's taints. */
bool berth__device_is_tolerated(const berth__device_search *search, const berth__device_line *line,
                                const berth__offer *offer);

/* What would be consumed of a capacity. */
__int128 berth__device_consumes(const berth__device_capacity *capacity,
                                const berth__device_line *line);

/* Take a device for a line, if that can be; `must`: a constraint that refuses is an error. Release
 * gives back the last one taken. */
berth__step berth__device_take(berth__device_search *search, uint32_t line,
                               const berth__offer *offer, bool must);
void berth__device_release(berth__device_search *search);

/* Whether the claim holds the device. */
bool berth__device_is_of_claim(const berth__device_search *search, uint32_t claim,
                               const berth__device_use *use);

/* Counters: take what the device consumes, if the pool has it; give it back. */
berth__step berth__device_count(berth__device_search *search, const berth__offer *offer);
void berth__device_uncount(berth__device_search *search, const berth__offer *offer);

/* Constraints of a claim: make their states; begin anew; add a device and take it out. */
bool berth__constraints_make(berth__device_search *search, uint32_t claim);
void berth__constraints_reset(berth__device_search *search, uint32_t claim);
bool berth__constraint_add(berth__device_search *search, uint32_t claim, uint32_t constraint,
                           uint32_t line, const berth__offer *offer);
/* What a constraint compares of a device; NULL: the device has no such attribute. */
const berth__device_attribute *
berth__constraint_attribute(const berth__device_constraint *constraint, const berth__offer *offer);
void berth__constraint_remove(berth__device_search *search, uint32_t claim, uint32_t constraint,
                              uint32_t line);

#endif
