/* The structured allocator: finds, on one node, the first devices in kube-scheduler's order that
 * serve all claims of a pod. It reproduces kube-scheduler's faults.
 *
 * The search is depth first, with an explicit stack. Its cost is bounded by work, while
 * kube-scheduler bounds it by time: every device that is examined counts.
 * Source: dynamic-resource-allocation v0.36, structured/internal/incubating. */
#ifndef BERTH_DEVICES_DEVICE_SEARCH_H
#define BERTH_DEVICES_DEVICE_SEARCH_H

#include "devices/node_offers.h"
#include "devices/verdicts.h"

enum {
    BERTH__DEVICE_RESULTS_MAX = 32, /* for one claim */
    /* The maximum number of devices that a search may examine: about as many as kube-scheduler
     * manages in its 10 seconds. */
    BERTH__DEVICE_WORK_MAX = 1 << 24,
    BERTH__DEVICE_WORK_ASKED = 1 << 6, /* the work that evaluating a selector counts as */
};

/* A claim that needs devices. */
typedef struct berth__device_want {
    berth_str namespace_name, name; /* of the claim */
    const berth__device_request *requests;
    uint32_t request_count;
    const berth__device_constraint *constraints;
    uint32_t constraint_count;
} berth__device_want;

/* One `exactly`, or one alternative, of the claims. */
typedef struct berth__device_line {
    const berth__device_ask *ask;
    const berth__device_request *request;
    uint32_t claim;
    const berth__device_class_facts *class_facts;       /* NULL: the class does not exist */
    berth__device_program **class_programs, **programs; /* of the selectors, in order */
    int64_t need;
    const berth__offer **all; /* mode All: the devices needed */
} berth__device_line;

/* A device that was taken. */
typedef struct berth__taken_device {
    const berth__offer *offer;
    uint32_t claim;
    uint32_t line;
    bool shares;
    bool counted;      /* this search has taken its counters */
    bool was_entered;  /* this search had taken capacity of it before */
    uint32_t consumed; /* if shared: index in `amounts` of what it consumes by capacity */
} berth__taken_device;

typedef enum berth__devices_outcome {
    BERTH__DEVICES_FOUND,
    BERTH__DEVICES_NONE,
    BERTH__DEVICES_INVALID,  /* no devices, and some pool of the node is invalid */
    BERTH__DEVICES_TOO_LONG, /* needs more work than allowed */
    BERTH__DEVICES_FAILED,   /* an error, see `problem` */
    BERTH__DEVICES_NO_MEMORY,
} berth__devices_outcome;

typedef struct berth__device_frame berth__device_frame;
typedef struct berth__counter_table berth__counter_table;
typedef struct berth__constraint_state berth__constraint_state;

/* Where the lines of each request of a claim begin, and the claim's state. */
typedef struct berth__want_state {
    uint32_t *first_line;                 /* by request, and one more entry */
    berth__constraint_state *constraints; /* by constraint */
    uint32_t result_count;
} berth__want_state;

/* The claims to serve, prepared once for a decision, and the search on one node after the other. */
typedef struct berth__device_search {
    /* Input. */
    berth__model *model;
    berth__verdicts *verdicts;
    const berth__device_want *wants;
    uint32_t want_count;
    /* Finds the class of a name; NULL: it does not exist. */
    const berth__device_class_facts *(*find_class)(const void *context, berth__sym name);
    const void *context;
    berth__arena *plan;  /* for what is prepared once */
    berth__arena *arena; /* for one search: reset when it begins */
    uint32_t work_max;
    /* Output, valid until the next search. */
    berth_str problem;
    berth__taken_device *taken; /* in the order of taking, claim by claim */
    uint32_t taken_count;
    uint32_t work;
    /* The state of the search. */
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

/* Prepare the search from its input. Returns false when out of memory. */
bool berth__device_search_begin(berth__device_search *search);

/* Search a node; `node` must stay valid until the next search. */
berth__devices_outcome berth__device_search_run(berth__device_search *search,
                                                const berth__offer_node *node,
                                                const berth__node_offers *offers);

/* Store what a solution allocates to a claim, as facts; memory comes from `arena`. Interns texts,
 * so call this under the model's lock. Returns false when out of memory. */
bool berth__device_search_allocation(const berth__device_search *search, uint32_t claim,
                                     berth__arena *arena, berth__device_allocation *out);

/* The alternative that a solution chose for a request; 0 if the request has only one. */
uint32_t berth__device_search_choice(const berth__device_search *search, uint32_t claim,
                                     uint32_t request);

/* ---- internal to this module ---- */

typedef enum berth__step {
    BERTH__STEP_YES,
    BERTH__STEP_NO,
    BERTH__STEP_TOO_MANY, /* a claim would get too many devices */
    BERTH__STEP_ERROR,    /* see `problem`, `no_memory` and `work` */
} berth__step;

/* Replace an array by a larger copy in the arena; false when out of memory. */
bool berth__device_search_grow(berth__device_search *search, void *array, uint32_t *capacity,
                               uint32_t need, size_t element_bytes);

/* Set the search's problem. */
#define BERTH__DEVICE_PROBLEM(search, ...)                                 \
    ((search)->problem = berth__device_text((search)->arena, __VA_ARGS__), \
     (search)->no_memory |= (search)->problem.data == NULL)

/* A claim as problems name it, NAMESPACE/NAME; absent when out of memory. */
berth_str berth__device_claim_name(berth__device_search *search, uint32_t claim);

/* A device as problems name it, DRIVER/POOL/DEVICE; absent when out of memory. */
berth_str berth__device_offer_name(berth__device_search *search, const berth__offer *offer);

/* The name of a line's request, or of its alternative. */
berth_str berth__device_line_name(const berth__device_search *search,
                                  const berth__device_line *line);

/* Whether the node selector of a solution can be created. */
berth__step berth__device_search_nodes(berth__device_search *search);

/* Check the claims before any device is taken. */
berth__step berth__device_search_check(berth__device_search *search);

/* Whether a device matches the selectors of a line's class, or of the line itself. */
berth__step berth__device_selectors_met(berth__device_search *search,
                                        const berth__device_line *line, bool of_class,
                                        const berth__offer *offer);

/* Whether a device fits a line by class, selectors and reach. */
berth__step berth__device_selectable(berth__device_search *search, const berth__device_line *line,
                                     const berth__offer *offer);

/* Whether the device has the requested capacities left. An invalid request means no; since v1.37 an
 * amount that overflows is an error. */
berth__step berth__device_has_capacity(berth__device_search *search, const berth__device_line *line,
                                       const berth__offer *offer);

/* The same as if nothing of the device were in use. */
berth__step berth__device_had_capacity(berth__device_search *search, const berth__device_line *line,
                                       const berth__offer *offer);

/* Whether written allocations share the device, so that its counters are in use. Until v1.36 only
 * allocations count that state what they consume. */
static inline bool berth__device_is_shared_already(const berth__device_search *search,
                                                   const berth__device_use *use)
{
    return (search->model->behaviours.bare_shares_count ? use->shared : use->capacities) > 0;
}

/* Whether a line tolerates the device's taints. */
bool berth__device_is_tolerated(const berth__device_search *search, const berth__device_line *line,
                                const berth__offer *offer);

/* How much of a capacity a line would consume. */
__int128 berth__device_consumes(const berth__device_capacity *capacity,
                                const berth__device_line *line);

/* Take a device for a line if possible; with `must`, a constraint that refuses it is an error.
 * Release gives back the device that was taken last. */
berth__step berth__device_take(berth__device_search *search, uint32_t line,
                               const berth__offer *offer, bool must);
void berth__device_release(berth__device_search *search);

/* Whether the claim holds the device. */
bool berth__device_is_of_claim(const berth__device_search *search, uint32_t claim,
                               const berth__device_use *use);

/* Take the counters that the device consumes, if the pool has enough; give them back. */
berth__step berth__device_count(berth__device_search *search, const berth__offer *offer);
void berth__device_uncount(berth__device_search *search, const berth__offer *offer);

/* The constraints of a claim: create their states; reset them; add a device or remove it. */
bool berth__constraints_make(berth__device_search *search, uint32_t claim);
void berth__constraints_reset(berth__device_search *search, uint32_t claim);
bool berth__constraint_add(berth__device_search *search, uint32_t claim, uint32_t constraint,
                           uint32_t line, const berth__offer *offer);
/* The attribute of a device that a constraint compares; NULL: the device lacks it. */
const berth__device_attribute *
berth__constraint_attribute(const berth__device_constraint *constraint, const berth__offer *offer);
void berth__constraint_remove(berth__device_search *search, uint32_t claim, uint32_t constraint,
                              uint32_t line);

#endif
