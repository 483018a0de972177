/* Counts of pods by selector and topology domain: how many of the pods that a rule refers to are on
 * each node, and in each domain.
 *
 * A *population* is a set of running pods: those that a filter matches, or those that hold a term
 * of their own about other pods. It stores the number of its pods by slot, in tiles that exist only
 * where it has pods. *Domain counts* sum a population over the domains of a topology key and an
 * inclusion set. Both are made when a decision first needs them, and then follow each pod that
 * comes or goes. A *group* is all pods with the same namespace and labels: the populations that
 * they belong to are worked out once for the group, and the counts of a new population are the sums
 * over the groups that it matches. So a decision reads counters and never walks over pods, even for
 * a rule that was not seen before.
 *
 * The tiles of populations are authoritative. Domain counts are derived: they hold for one layout
 * epoch, and are summed again from the tiles when they are used in another. Counts that could not
 * be updated for lack of memory are marked invalid. The next use counts again and can report a
 * failure.
 *
 * A *plan* is the result of resolving one rule of a pod, kept between decisions. Populations live
 * as long as a plan uses them, those of held terms as long as a pod holds the term. The number of
 * plans is bounded; the least recently used is dropped first.
 *
 * Threads: prepare and rank phases, and pods coming and going, on one thread. Filter and score
 * phases only read. */
#ifndef BERTH_COLUMNS_POD_COUNTS_H
#define BERTH_COLUMNS_POD_COUNTS_H

#include "base/bits.h"
#include "columns/slot_pods.h"
#include "columns/topology.h"
#include "columns/view.h"
#include "model/label_index.h"

/* ---- populations ---- */

typedef enum berth__population_kind {
    BERTH__PODS_MATCHING, /* pods that all filters match */
    BERTH__PODS_STAYING,  /* the same without pods that are being deleted */
    /* pods that have the term; a pod counts once for each time it has it */
    BERTH__HOLDERS_REQUIRED_AFFINITY,
    BERTH__HOLDERS_REQUIRED_ANTI_AFFINITY,
    BERTH__HOLDERS_PREFERRED_AFFINITY,
    BERTH__HOLDERS_PREFERRED_ANTI_AFFINITY,
} berth__population_kind;

/* Selects pods by namespace (named or selected) and labels. */
typedef struct berth__pod_filter {
    const berth__sym *namespaces; /* sorted */
    uint32_t namespace_count;
    berth__selector namespace_selector; /* NOTHING if there is none */
    berth__selector selector;
} berth__pod_filter;

/* The filter of a pod (anti-)affinity term. */
static inline berth__pod_filter berth__pod_filter_of(const berth__pod_term *term)
{
    return (berth__pod_filter){term->namespaces, term->namespace_count, term->namespace_selector,
                               term->selector};
}

/* Whether the filter matches the pods of an identity. If `object_needed`, a namespace selector
 * needs a Namespace object; otherwise a missing object counts as one without labels. */
bool berth__pod_filter_matches(const berth__view *view, const berth__pod_filter *filter,
                               const berth__identity *identity, bool object_needed);

typedef struct berth__domain_counts berth__domain_counts;

enum { BERTH__POPULATION_LOG = 64 };

typedef struct berth__population {
    berth__keymap_entry entry;
    struct berth__population *next, *previous; /* among all */
    berth__arena arena;                        /* holds the population and its filters */
    berth__population_kind kind;
    int32_t weight;          /* of a held preferred term, else 0 */
    berth__sym topology_key; /* of a held term, else 0 */
    const berth__pod_filter *filters;
    uint32_t filter_count;
    bool asks_namespaces; /* labels of Namespace objects decide which pods belong */
    bool valid;           /* `slots` is up to date */
    uint32_t users;
    uint64_t total;
    berth__slot_pods slots;
    /* Slots whose count changed, newest last, in a ring: change i is at changed[i %
     * BERTH__POPULATION_LOG]. Domain counts read them between two summations. */
    uint32_t changed[BERTH__POPULATION_LOG];
    uint64_t changes;                     /* ever made */
    berth__domain_counts *domains;        /* all domain counts that sum this population */
    const struct berth__population *same; /* in a recount: the population whose pods are counted */
} berth__population;

/* Whether the pods of an identity belong to a population of kind MATCHING or STAYING (apart from
 * pods that are being deleted). A namespace selector needs a Namespace object. */
bool berth__population_matches(const berth__view *view, const berth__population *population,
                               const berth__identity *identity);

/* Whether the term that a population's pods hold selects the pods of an identity. A namespace
 * selector is matched with the labels of that identity's Namespace object, or with no labels if
 * there is no object. */
bool berth__population_concerns(const berth__view *view, const berth__population *population,
                                const berth__identity *identity);

/* ---- domain counts ---- */

struct berth__domain_counts {
    berth__domain_counts *next; /* the next of the same population */
    berth__population *population;
    berth__topology *topology;
    berth__inclusion *inclusion; /* NULL: every slot counts */
    uint32_t users;
    /* `since` of the topology and of the inclusion (or 0) that the counts hold for; the former is
     * BERTH__EPOCH_NONE if they hold for none. */
    uint64_t since, included_since;
    /* Number of the last summation. Between two summations, the count of a slot in a unique
     * topology changes only when pods arrive in the slot or leave it. */
    uint64_t serial;
    uint64_t total;  /* pods on included slots that have the key */
    uint64_t absent; /* pods on included slots that lack it */
    /* By domain, [0] is always 0. NULL if the topology is unique: a domain's count is its
     * slot's. */
    uint32_t *counts;
    uint32_t count_capacity;
    /* Domains that have an included slot, and the smallest of their counts: kept if
     * `lowest_wanted`. If there are few domains, one bit each; otherwise a histogram: the number of
     * such domains by count. */
    bool lowest_wanted;
    uint32_t domain_count;
    uint64_t domain_bits; /* domain d: bit d - 1 */
    uint32_t *histogram;
    uint32_t histogram_capacity;
    uint32_t lowest; /* the lowest count in the histogram */
};

enum { BERTH__FEW_DOMAINS = 64 };

/* The count of the domain of each slot in a tile, 0 if the slot lacks the key. Valid until a pod
 * comes or goes. `scratch` has BERTH__TILE entries and may be the result. */
const uint32_t *berth__domain_counts_tile(const berth__kernels *kernels,
                                          const berth__domain_counts *counts, uint32_t tile,
                                          uint32_t *scratch);

/* The count of one slot's domain. */
uint32_t berth__domain_counts_slot(const berth__domain_counts *counts, uint32_t slot);

/* Keep the smallest count from the next renewal on. */
void berth__domain_counts_want_lowest(berth__domain_counts *counts);

/* The smallest count of a domain that has an included slot. domain_count must not be 0. */
uint32_t berth__domain_counts_lowest(const berth__domain_counts *counts);

/* ---- groups ---- */

/* Numbers of pods by slot, in a hash table, because few slots have such pods; open addressing. An
 * entry with a count of 0 is unused. */
typedef struct berth__slot_counts {
    struct berth__slot_count {
        uint32_t slot;
        uint32_t count;
    } * items;
    uint32_t capacity; /* a power of two, or 0 */
    uint32_t used;     /* entries in use, including those with a count of 0 */
} berth__slot_counts;

/* Populations that a set of pods belongs to. */
typedef struct berth__membership {
    uint64_t serial; /* serial of the part that decides which ones */
    uint64_t epoch;  /* counts->membership_epoch at the time it was worked out */
    berth__population **items;
    uint32_t count;
    uint32_t capacity;
} berth__membership;

/* The running pods of one identity. Freed with the last of them, so it may point at the part. */
typedef struct berth__group {
    berth__keymap_entry entry;
    const berth__identity *identity;
    struct berth__group *next, *previous; /* in the list of all */
    uint64_t total;
    berth__slot_counts staying;
    berth__slot_counts deleting;
    berth__membership of; /* populations of kinds MATCHING and STAYING; keyed by serial */
} berth__group;

/* ---- the set of counters ---- */

typedef struct berth__plan berth__plan;

enum { BERTH__NEW_HOLDERS = BERTH__LIMIT(64, 2) }; /* the last ones, which are kept */

typedef struct berth__pod_counts {
    berth__model *model;
    const berth__pods *pods;
    uint64_t serial;           /* number of summations of domain counts so far */
    uint64_t membership_epoch; /* changes when memberships become stale without being updated */
    uint64_t holders_epoch; /* changes when a population of held terms goes, and with namespaces */
    uint64_t namespace_epoch; /* of view->related when last compared */
    /* Populations of held terms that have come: number i is at i % BERTH__NEW_HOLDERS, and there
     * as long as holders_epoch does not change. */
    uint64_t holders_added;
    berth__population *new_holders[BERTH__NEW_HOLDERS];
    berth__keymap populations;
    berth__population *first;
    uint32_t holder_count;       /* populations of held terms */
    uint32_t holder_limit;       /* at this number, sweep the populations that no pod holds */
    bool held;                   /* no sweeps, see berth__pod_counts_hold */
    berth__label_index matching; /* populations by the pods that they match */
    berth__label_index holders;  /* populations by the pods that their term concerns */
    berth__keymap topologies;
    berth__keymap inclusions;
    berth__inclusion *full; /* the last set that had all slots, which this pointer uses; or NULL */
    bool supposing;         /* in a what-if: lists of pods differ from what is counted */
    bool lost;              /* memory was short: populations in use have become invalid */
    bool grouping;          /* groups exist */
    bool foreseen;          /* berth__groups_foresee has begun to keep them */
    berth__keymap groups;
    berth__group *first_group;
    berth__keymap group_keys; /* label keys by which groups are found */
    berth__membership *rules; /* held terms of pod rules parts, direct-mapped by serial */
    uint32_t *words;          /* scratch for keys */
    uint32_t word_count;
    uint32_t word_capacity;
    berth__keymap plans;
    berth__plan *newest, *oldest; /* by last use */
} berth__pod_counts;

berth_status berth__pod_counts_create(berth__model *model, berth__pod_counts **out);
void berth__pod_counts_destroy(berth__pod_counts *counts);

/* While held, populations without pods are not dropped: pods that a what-if removed will be back,
 * and nominated pods come only for a moment. Returns the former value. */
bool berth__pod_counts_hold(berth__pod_counts *counts, bool held);

/* Register the terms that pods of a class hold. Returns false when out of memory. Does nothing for
 * a view without counters, as a branch has until it decides. */
bool berth__pod_counts_register(berth__view *view, const berth__class *cls);

/* Count a pod of a registered class into (change 1) or out of (-1) a slot. */
void berth__pod_counts_change(berth__view *view, uint32_t slot, const berth__class *cls,
                              int change);

/* Follow the view to a new layout. `from` is the old layout; `slots` has the new slot of each of
 * its slots, or BERTH__SLOT_NONE. `slots` is NULL if memory was short; pods are then counted again
 * from `pods`. */
void berth__pod_counts_move(berth__view *view, const berth__layout *from, const uint32_t *slots,
                            const berth__pods *pods);

/* Drop all sums by domain and everything resolved for a layout, because the view has moved to
 * another state whose layout may have an epoch that was used before. */
void berth__pod_counts_forget_domains(berth__pod_counts *counts);

/* A what-if begins or ends. Meanwhile, counts lost for lack of memory cannot be counted again. */
void berth__pod_counts_suppose(berth__view *view, bool begins);

/* Compare every counter with a recount. Errors: BERTH_E_INTERNAL (names the difference),
 * BERTH_E_NOMEM. */
berth_status berth__pod_counts_check(berth__view *view, berth_error *error);

/* The inclusion set that these words describe, with one more user and memory for its slots. The
 * caller fills it if its epoch is not the layout's. NULL when out of memory. */
berth__inclusion *berth__pod_counts_inclusion(berth__view *view, const uint32_t *words,
                                              uint32_t word_count);
void berth__pod_counts_release_inclusion(berth__pod_counts *counts, berth__inclusion *inclusion);

/* Release a set that has all slots, but keep it until the next full set (or NULL) is passed.
 * Otherwise it would be freed, and a similar pod would have to visit all nodes again. */
void berth__pod_counts_release_full(berth__pod_counts *counts, berth__inclusion *inclusion);

/* The topology of a key, up to date, with one more user. NULL when out of memory. */
berth__topology *berth__pod_counts_topology(berth__view *view, berth__sym key);
void berth__pod_counts_release_topology(berth__pod_counts *counts, berth__topology *topology);

/* ---- plans ---- */

/* The epochs from which a plan was resolved: any change makes it stale. The owner sets epochs that
 * do not matter to 0. */
typedef struct berth__plan_epochs {
    uint64_t epoch;
    uint64_t related_epoch;
    uint64_t namespace_epoch;
    uint64_t holders_epoch;
} berth__plan_epochs;

/* No padding: hashed as bytes. */
typedef struct berth__plan_key {
    const void *owner; /* the plugin's instance, for example */
    uint64_t parts[3]; /* serials of the parts that the plan was made from, 0: none */
} berth__plan_key;

struct berth__plan {
    berth__keymap_entry entry;
    berth__plan_key key;
    berth__plan *newer, *older;
    berth__plan_epochs epochs;
    berth__arena arena; /* of `body` */
    void *body;         /* the owner's */
    bool resolved;
    berth__domain_counts **uses; /* repeated for each request */
    uint32_t old_count;          /* number of counters of the last resolution; they come first */
    uint32_t use_count;
    uint32_t use_capacity;
};

/* The plan of a key, made if it is new. A plan that is not `resolved` for these epochs must be
 * resolved before use. NULL when out of memory. */
berth__plan *berth__plan_get(berth__view *view, const berth__plan_key *key,
                             const berth__plan_epochs *epochs);

/* Resolve a plan: begin returns a zeroed body in the plan's emptied arena (NULL when out of
 * memory), berth__plan_count adds each counter, and end releases counters that the plan no longer
 * uses. A plan that was not ended stays unresolved. */
void *berth__plan_begin(berth__plan *plan, size_t body_bytes);
void berth__plan_end(berth__view *view, berth__plan *plan);

/* Bring everything that the plan counts up to date. Call it before a decision reads the counts.
 * Returns false when out of memory. */
bool berth__plan_renew(berth__view *view, berth__plan *plan);

/* Which pods to count, and by which domains. */
typedef struct berth__counted {
    berth__population_kind kind;
    const berth__pod_filter *filters; /* copied */
    uint32_t filter_count;
    berth__sym topology_key;
    berth__inclusion *inclusion; /* NULL: all nodes */
} berth__counted;

/* Domain counts for the plan; NULL when out of memory. */
berth__domain_counts *berth__plan_count(berth__view *view, berth__plan *plan,
                                        const berth__counted *counted);
berth__domain_counts *berth__plan_count_population(berth__view *view, berth__plan *plan,
                                                   berth__population *population,
                                                   berth__sym topology_key,
                                                   berth__inclusion *inclusion);

/* Whether counts hold for the topology and the inclusion as these are, or were brought up to date
 * last. */
static inline bool berth__domain_counts_hold(const berth__domain_counts *counts)
{
    return counts->since != BERTH__EPOCH_NONE && counts->since == counts->topology->since &&
           (counts->inclusion == NULL || counts->included_since == counts->inclusion->since);
}

/* Whether they hold for the layout. */
static inline bool berth__domain_counts_ready(const berth__view *view,
                                              const berth__domain_counts *counts)
{
    const berth__layout *layout = view->layout;
    return berth__domain_counts_hold(counts) && counts->topology->epoch == layout->label_epoch &&
           (counts->inclusion == NULL ||
            counts->inclusion->epoch == berth__inclusion_epoch(layout, counts->inclusion)) &&
           counts->population->valid;
}

/* Call `visit` for each population whose held term concerns an identity, until it returns false. */
void berth__pod_counts_visit_holders(const berth__view *view, const berth__identity *identity,
                                     bool (*visit)(void *context, berth__population *population),
                                     void *context);

/* Whether a population that came after the first `seen` (holders_added) has a held term that
 * concerns the identity; true also if they are too many to tell. `seen` must be of this
 * holders_epoch. Cost: the new ones. */
bool berth__pod_counts_newly_concerned(const berth__view *view, uint64_t seen,
                                       const berth__identity *identity);

/* ---- between the files of this module ---- */

/* The population of that description, made and entered if it is new. Weight and topology key are 0
 * if they do not matter. NULL when out of memory. */
berth__population *berth__population_intern(berth__view *view, berth__population_kind kind,
                                            int32_t weight, berth__sym topology_key,
                                            const berth__pod_filter *filters,
                                            uint32_t filter_count);
void berth__population_drop(berth__view *view, berth__population *population);

/* The first of the pods that count on a slot. The slot of a removed node stays until the next
 * layout, but its pods do not count; see also berth__view_relayout. */
static inline uint32_t berth__counted_pods(const berth__view *view, uint32_t slot)
{
    const berth__node_record *node = berth__view_node(view, slot);
    return node->facts != NULL && node->slot == slot ? node->first_pod : BERTH_POD_INDEX_NONE;
}

/* Count again if the population is not valid. Returns false when out of memory. */
bool berth__population_renew(berth__view *view, berth__population *population);

/* Count with a walk over all pods. Returns false when out of memory. */
bool berth__population_walk(berth__view *view, berth__population *population);

/* The counter of a slot; NULL when out of memory. */
uint32_t *berth__population_counter(berth__view *view, berth__population *population,
                                    uint32_t slot);

/* Add `change` pods to a slot. */
void berth__population_change(berth__view *view, berth__population *population, uint32_t slot,
                              int change);

/* Forget all counts, which makes them invalid. */
void berth__population_void(berth__pod_counts *counts, berth__population *population);

/* The population's filter that is most specific about the labels of its pods. */
const berth__pod_filter *berth__population_leading(const berth__population *population);

/* Follow the view to its new layout. `slots` has the new slot of each old slot; NULL: unknown. The
 * first `staying` slots stay where they are. */
void berth__population_move(berth__view *view, berth__population *population, const uint32_t *slots,
                            uint32_t slot_count, uint32_t staying);

/* The populations of the terms that a part holds, valid until the next call. NULL when out of
 * memory. */
const berth__membership *berth__pod_counts_of_rules(berth__view *view,
                                                    const berth__pod_rules *rules);

bool berth__membership_add(berth__pod_counts *counts, berth__membership *to,
                           berth__population *population);

/* Begin to keep groups, unless they are kept already. Returns false when out of memory. */
bool berth__groups_start(berth__view *view);
/* Begin to keep groups while objects come, once, so that no decision has to walk all running pods.
 * Call it when rules that count pods come. A decision begins later if memory is short. */
void berth__groups_foresee(berth__view *view);
/* Stop keeping groups and forget them. Everything derived from them becomes invalid. */
void berth__groups_stop(berth__pod_counts *counts);

/* Count a pod into or out of its group and the populations that the group belongs to. If memory
 * runs out, all of these become invalid. */
void berth__groups_change(berth__view *view, uint32_t slot, const berth__class *cls, int change);

/* Follow the view to its new layout, like berth__population_move. */
void berth__groups_move(berth__view *view, const uint32_t *slots, uint32_t slot_count);

/* A population of matched pods is entered or removed: update its groups. If memory runs out, groups
 * work out their memberships again. */
void berth__groups_enter(berth__view *view, berth__population *population);
void berth__groups_leave(berth__view *view, berth__population *population);

/* Sum into a population the groups that it matches. Returns false when out of memory. */
bool berth__groups_sum(berth__view *view, berth__population *population);

berth_status berth__groups_check(berth__view *view, berth_error *error);

/* Follow changes of Namespaces. */
void berth__pod_counts_follow_namespaces(berth__view *view);

/* Bring domain counts up to date. Returns false when out of memory. */
bool berth__domain_counts_renew(berth__view *view, berth__domain_counts *one);

/* The domain counts of these, with one more user; new ones still have to be renewed. NULL when out
 * of memory. */
berth__domain_counts *berth__domain_counts_intern(berth__view *view, berth__population *population,
                                                  berth__sym topology_key,
                                                  berth__inclusion *inclusion);
/* Remove one user. The domain counts are freed with the last user, and so is the population, if it
 * is not held. */
void berth__domain_counts_release(berth__view *view, berth__domain_counts *one);

/* Add `change` pods to a slot whose population count was `before`. */
void berth__domain_counts_change(berth__view *view, berth__domain_counts *one, uint32_t slot,
                                 uint32_t before, int change);

/* Drop all plans. */
void berth__plans_clear(berth__view *view);

#endif
