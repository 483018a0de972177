/* Counts of pods by selector and topology domain: how many pods that a rule speaks of are on each
 * node, and in each domain.
 *
 * A *population* is a set of running pods: those that a filter matches, or those that hold a term
 * of their own about other pods. It keeps the number of its pods by slot, in tiles that exist
 * where there is a pod. *Domain counts* sum a population over the domains of a topology key and
 * an inclusion set. Both are made when a decision first needs them, and from then on follow each
 * pod that comes or goes. *Groups* are the pods alike in namespace and labels: which populations
 * they belong to is worked out once for a group, and a new population is the sum of the groups
 * that it matches. So a decision reads counters, and walks no pods even for a rule never seen
 * before.
 *
 * Truth lies in the tiles of populations. Domain counts are derived; they hold for one layout
 * epoch and are summed anew, from the tiles, when they are used in another. What can't be kept
 * for want of memory is marked invalid and made anew by the next use, which can report the
 * failure.
 *
 * A *plan* is what one rule of a pod has been resolved to, kept between decisions. Populations
 * live as long as a plan uses them, those of held terms as long as a pod holds the term. Plans
 * are bounded in number, least recently used dropped first.
 *
 * Threads: prepare and rank phases, and pods coming and going, on one thread; filter and score
 * phases only read. */
#ifndef BERTH_COLUMNS_POD_COUNTS_H
#define BERTH_COLUMNS_POD_COUNTS_H

#include "base/bits.h"
#include "columns/topology.h"
#include "columns/view.h"
#include "model/label_index.h"

/* ---- populations ---- */

typedef enum berth__population_kind {
    BERTH__PODS_MATCHING, /* pods that all filters match */
    BERTH__PODS_STAYING,  /* the same without those that are being deleted */
    /* pods that hold the term; once for each time they do */
    BERTH__HOLDERS_REQUIRED_AFFINITY,
    BERTH__HOLDERS_REQUIRED_ANTI_AFFINITY,
    BERTH__HOLDERS_PREFERRED_AFFINITY,
    BERTH__HOLDERS_PREFERRED_ANTI_AFFINITY,
} berth__population_kind;

/* Which pods: by namespace, named or selected, and labels. */
typedef struct berth__pod_filter {
    const berth__sym *namespaces; /* sorted */
    uint32_t namespace_count;
    berth__selector namespace_selector; /* NOTHING when there is none */
    berth__selector selector;
} berth__pod_filter;

/* What a term of pod (anti-)affinity selects. */
static inline berth__pod_filter berth__pod_filter_of(const berth__pod_term *term)
{
    return (berth__pod_filter){term->namespaces, term->namespace_count, term->namespace_selector,
                               term->selector};
}

/* Whether the filter matches the pods of an identity. A namespace selector asks for a Namespace
 * object (`object_needed`), or makes do with no labels where there is none. */
bool berth__pod_filter_matches(const berth__view *view, const berth__pod_filter *filter,
                               const berth__identity *identity, bool object_needed);

typedef struct berth__domain_counts berth__domain_counts;

enum { BERTH__POPULATION_LOG = 64 };

typedef struct berth__population {
    berth__keymap_entry entry;
    struct berth__population *next, *previous; /* among all */
    berth__arena arena;                        /* holds the population and its filters */
    berth__population_kind kind;
    int32_t weight;          /* of a held preferred term */
    berth__sym topology_key; /* of a held term */
    const berth__pod_filter *filters;
    uint32_t filter_count;
    bool asks_namespaces; /* labels of Namespace objects decide who belongs */
    bool valid;           /* the tiles are right */
    uint32_t users;
    uint64_t total;
    uint32_t **tiles; /* by tile: pods by slot; NULL: none there */
    uint32_t tile_count;
    /* Slots whose count changed, newest last, in a ring: change i is at changed[i %
     * BERTH__POPULATION_LOG]. Told from one summing of domain counts to the next. */
    uint32_t changed[BERTH__POPULATION_LOG];
    uint64_t changes;                     /* ever made */
    berth__domain_counts *domains;        /* all that sum this population */
    const struct berth__population *same; /* of a recount: the one whose pods are counted */
} berth__population;

/* The pods of one tile's slots. */
const uint32_t *berth__population_tile(const berth__population *population, uint32_t tile);

/* Whether it can be told without a look at them that the slots of a tile have no pods. */
static inline bool berth__population_spares(const berth__population *population, uint32_t tile)
{
    return population->tiles == NULL || population->tiles[tile] == NULL;
}

/* Whether the pods of an identity belong to a population of kind MATCHING or STAYING (deleting pods
 * aside). A namespace selector asks for a Namespace object. */
bool berth__population_matches(const berth__view *view, const berth__population *population,
                               const berth__identity *identity);

/* Whether the term that a population's pods hold speaks of the pods of an identity. A namespace
 * selector is put to the labels of that identity's Namespace object, or to no labels. */
bool berth__population_concerns(const berth__view *view, const berth__population *population,
                                const berth__identity *identity);

/* ---- domain counts ---- */

struct berth__domain_counts {
    berth__domain_counts *next; /* of the same population */
    berth__population *population;
    berth__topology *topology;
    berth__inclusion *inclusion; /* NULL: every slot counts */
    uint32_t users;
    uint64_t epoch; /* of the layout it holds for, or BERTH__EPOCH_NONE */
    /* Of the last summing. Between two of them, the count of a unique topology's slot changes
     * with pods that come to it or go from it, and for no other reason. */
    uint64_t serial;
    uint64_t total;  /* pods on included slots that have the key */
    uint64_t absent; /* pods on included slots that lack it */
    /* By domain, [0] always 0. NULL where the topology is unique: a domain's count is its slot's.
     */
    uint32_t *counts;
    uint32_t count_capacity;
    /* Domains that have an included slot, and the smallest of their counts: kept if
     * `lowest_wanted`. With few domains, a bit each; else the number of such domains by count. */
    bool lowest_wanted;
    uint32_t domain_count;
    uint64_t domain_bits; /* domain d: bit d - 1 */
    uint32_t *histogram;
    uint32_t histogram_capacity;
    uint32_t lowest; /* of the histogram */
};

enum { BERTH__FEW_DOMAINS = 64 };

/* The count of each of a tile's slots' domains, 0 where the slot lacks the key; valid until a pod
 * comes or goes. `scratch` has BERTH__TILE entries and may be what is returned. */
const uint32_t *berth__domain_counts_tile(const berth__kernels *kernels,
                                          const berth__domain_counts *counts, uint32_t tile,
                                          uint32_t *scratch);

/* The count of one slot's domain. */
uint32_t berth__domain_counts_slot(const berth__domain_counts *counts, uint32_t slot);

/* Keep track of the smallest count from the next renewal on. */
void berth__domain_counts_want_lowest(berth__domain_counts *counts);

/* The smallest count of a domain that has an included slot; domain_count is not 0. */
uint32_t berth__domain_counts_lowest(const berth__domain_counts *counts);

/* ---- groups ---- */

/* Pods by slot, few of many: open addressing. An entry whose count is 0 is void. */
typedef struct berth__slot_counts {
    struct berth__slot_count {
        uint32_t slot;
        uint32_t count;
    } * items;
    uint32_t capacity; /* a power of two, or 0 */
    uint32_t used;     /* entries in use, void ones included */
} berth__slot_counts;

/* Populations that pods belong to. */
typedef struct berth__membership {
    uint64_t serial; /* of the part that decides */
    uint64_t epoch;  /* of counts->membership_epoch, when it was worked out */
    berth__population **items;
    uint32_t count;
    uint32_t capacity;
} berth__membership;

/* The running pods of one identity. Goes with the last of them, so it may point at the part. */
typedef struct berth__group {
    berth__keymap_entry entry;
    const berth__identity *identity;
    struct berth__group *next, *previous; /* among all */
    uint64_t total;
    berth__slot_counts staying;
    berth__slot_counts deleting;
    berth__membership of; /* of kinds MATCHING and STAYING; serial is the key */
} berth__group;

/* ---- the whole ---- */

typedef struct berth__plan berth__plan;

typedef struct berth__pod_counts {
    berth__model *model;
    const berth__pods *pods;
    uint64_t serial;           /* of domain counts summed so far */
    uint64_t membership_epoch; /* of what memberships rest on, but for what keeps them up to date */
    uint64_t holders_epoch;    /* of the set of populations of held terms, and of namespaces */
    uint64_t namespace_epoch;  /* of view->related, when last looked at */
    berth__keymap populations;
    berth__population *first;
    uint32_t holder_count;       /* populations of held terms */
    uint32_t holder_limit;       /* that many of them call for a sweep of those that no pod holds */
    bool held;                   /* no sweep, see berth__pod_counts_hold */
    berth__label_index matching; /* populations by whom they match */
    berth__label_index holders;  /* populations by whom their term concerns */
    berth__keymap topologies;
    berth__keymap inclusions;
    berth__inclusion *full; /* the set of all slots found last, of which this is a user; or NULL */
    bool supposing;         /* in a what-if: lists of pods do not tell what is counted */
    bool grouping;          /* groups are kept: from the first population of pods matched on */
    berth__keymap groups;
    berth__group *first_group;
    berth__keymap group_keys; /* label keys by which groups are found */
    berth__membership *rules; /* held terms of pod rules parts, direct mapped by serial */
    uint32_t *words;          /* scratch for keys */
    uint32_t word_count;
    uint32_t word_capacity;
    berth__keymap plans;
    berth__plan *newest, *oldest; /* by last use */
} berth__pod_counts;

berth_status berth__pod_counts_create(berth__model *model, berth__pod_counts **out);
void berth__pod_counts_destroy(berth__pod_counts *counts);

/* While held, populations without pods are not dropped: pods taken away by a what-if will be
 * back, and nominated pods come for a moment. Returns what it was. */
bool berth__pod_counts_hold(berth__pod_counts *counts, bool held);

/* Know the terms that pods of a class hold. Returns false when out of memory. A view without
 * counters, as a branch has until it decides, has nothing to know or to count. */
bool berth__pod_counts_register(berth__view *view, const berth__class *cls);

/* Count a pod of a class, registered before, into (change 1) or out of (-1) a slot. */
void berth__pod_counts_change(berth__view *view, uint32_t slot, const berth__class *cls,
                              int change);

/* Follow the view to a new layout: `from` is the old one, `slots` gives the new slot of each of its
 * slots, or BERTH__SLOT_NONE; NULL: not known for want of memory. Pods come from `pods`. */
void berth__pod_counts_move(berth__view *view, const berth__layout *from, const uint32_t *slots,
                            const berth__pods *pods);

/* Nothing that was summed by domain or resolved for a layout holds any more: the view has gone to
 * another state, whose layout's epoch may have been met before. */
void berth__pod_counts_forget_domains(berth__pod_counts *counts);

/* A what-if begins or ends. Meanwhile, what was lost for want of memory can't be counted anew. */
void berth__pod_counts_suppose(berth__view *view, bool begins);

/* Compare every counter with a recount. Errors: E_INTERNAL naming what differs, E_NOMEM. */
berth_status berth__pod_counts_check(berth__view *view, berth_error *error);

/* The inclusion set that these words describe, for the caller to fill if its epoch is not the
 * layout's, with one more user; memory for the slots is there. NULL when out of memory. */
berth__inclusion *berth__pod_counts_inclusion(berth__view *view, const uint32_t *words,
                                              uint32_t word_count);
void berth__pod_counts_release_inclusion(berth__pod_counts *counts, berth__inclusion *inclusion);

/* Release a set that has all slots, but keep it until the next such one (or NULL) comes: nobody
 * else does, and a pod alike would have to go over all nodes again. */
void berth__pod_counts_release_full(berth__pod_counts *counts, berth__inclusion *inclusion);

/* The topology of a key, up to date, with one more user. NULL when out of memory. */
berth__topology *berth__pod_counts_topology(berth__view *view, berth__sym key);
void berth__pod_counts_release_topology(berth__pod_counts *counts, berth__topology *topology);

/* ---- plans ---- */

/* What a plan was resolved from: any change makes it stale. Its owner leaves 0 what does not
 * matter. */
typedef struct berth__plan_epochs {
    uint64_t epoch;
    uint64_t related_epoch;
    uint64_t namespace_epoch;
    uint64_t holders_epoch;
} berth__plan_epochs;

/* No padding: hashed as bytes. */
typedef struct berth__plan_key {
    const void *owner; /* the plugin's instance or the like */
    uint64_t parts[3]; /* serials of the parts it was made from, 0: none */
} berth__plan_key;

struct berth__plan {
    berth__keymap_entry entry;
    berth__plan_key key;
    berth__plan *newer, *older;
    berth__plan_epochs epochs;
    berth__arena arena; /* of `body` */
    void *body;         /* the owner's */
    bool resolved;
    berth__domain_counts **uses; /* each as often as it was asked for; */
    uint32_t old_count;          /* the first so many are those of the last resolution */
    uint32_t use_count;
    uint32_t use_capacity;
};

/* The plan of a key, made if it is new. If it is not `resolved` for these epochs, it must be before
 * use. NULL when out of memory. */
berth__plan *berth__plan_get(berth__view *view, const berth__plan_key *key,
                             const berth__plan_epochs *epochs);

/* Resolve a plan: begin gives a zeroed body in the plan's emptied arena (NULL when out of
 * memory), then berth__plan_count for each counter, then end. What it used before and uses no
 * more is released at the end. A plan that was not ended stays unresolved. */
void *berth__plan_begin(berth__plan *plan, size_t body_bytes);
void berth__plan_end(berth__view *view, berth__plan *plan);

/* Make sure that everything the plan counts holds now; call before a decision reads it. Returns
 * false when out of memory. */
bool berth__plan_renew(berth__view *view, berth__plan *plan);

/* Which pods to count, by which domains. */
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

static inline bool berth__domain_counts_ready(const berth__view *view,
                                              const berth__domain_counts *counts)
{
    return counts->epoch == view->layout->epoch && counts->population->valid;
}

/* Call `visit` for each population whose held term concerns an identity, until it returns false. */
void berth__pod_counts_visit_holders(const berth__view *view, const berth__identity *identity,
                                     bool (*visit)(void *context, berth__population *population),
                                     void *context);

/* ---- between the files of this module ---- */

/* The population of that description, made and entered if it is new: with kind, weight and
 * topology key 0 where they do not matter. NULL when out of memory. */
berth__population *berth__population_intern(berth__view *view, berth__population_kind kind,
                                            int32_t weight, berth__sym topology_key,
                                            const berth__pod_filter *filters,
                                            uint32_t filter_count);
void berth__population_drop(berth__view *view, berth__population *population);

/* The first of the pods that count on a slot: the slot of a removed node stays until the next
 * layout, but its pods are out; see also berth__view_relayout. */
static inline uint32_t berth__counted_pods(const berth__view *view, uint32_t slot)
{
    const berth__node_record *node = berth__view_node(view, slot);
    return node->facts != NULL && node->slot == slot ? node->first_pod : BERTH_POD_INDEX_NONE;
}

/* Count anew what is not valid. Returns false when out of memory. */
bool berth__population_renew(berth__view *view, berth__population *population);

/* Count by a walk over all pods. Returns false when out of memory. */
bool berth__population_walk(berth__view *view, berth__population *population);

/* The counter of a slot; NULL when out of memory. */
uint32_t *berth__population_counter(berth__view *view, berth__population *population,
                                    uint32_t slot);

/* `change` more pods of a slot. */
void berth__population_change(berth__view *view, berth__population *population, uint32_t slot,
                              int change);

/* Forget all counts; they are not valid then. */
void berth__population_void(berth__pod_counts *counts, berth__population *population);

/* The filter of a population that says most about the labels of its pods. */
const berth__pod_filter *berth__population_leading(const berth__population *population);

/* Follow the view to its new layout: the new slot of each of the old one's slots, NULL: not
 * known. */
void berth__population_move(berth__view *view, berth__population *population, const uint32_t *slots,
                            uint32_t slot_count);

/* The populations of the terms that a part holds. A pointer valid until the next call; NULL when
 * out of memory. */
const berth__membership *berth__pod_counts_of_rules(berth__view *view,
                                                    const berth__pod_rules *rules);

bool berth__membership_add(berth__pod_counts *counts, berth__membership *to,
                           berth__population *population);

/* Begin to keep groups, if they are not kept. Returns false when out of memory. */
bool berth__groups_start(berth__view *view);
/* Stop, and forget them. What rests on them is void. */
void berth__groups_stop(berth__pod_counts *counts);

/* Count a pod into or out of its group and the populations that the group belongs to. Without
 * memory for it, all that is void. */
void berth__groups_change(berth__view *view, uint32_t slot, const berth__class *cls, int change);

/* Follow the view to its new layout, as berth__population_move. */
void berth__groups_move(berth__view *view, const uint32_t *slots, uint32_t slot_count);

/* A population of pods matched is entered, or goes: its groups note it. Without memory, groups work
 * their memberships out anew. */
void berth__groups_enter(berth__view *view, berth__population *population);
void berth__groups_leave(berth__view *view, berth__population *population);

/* Sum the groups that a population matches into it. Returns false when out of memory. */
bool berth__groups_sum(berth__view *view, berth__population *population);

berth_status berth__groups_check(berth__view *view, berth_error *error);

/* Take note of changed Namespaces. */
void berth__pod_counts_follow_namespaces(berth__view *view);

/* Bring domain counts up to date. Returns false when out of memory. */
bool berth__domain_counts_renew(berth__view *view, berth__domain_counts *one);

/* The domain counts of these, made if new and not yet renewed, with one more user. NULL when out of
 * memory. */
berth__domain_counts *berth__domain_counts_intern(berth__view *view, berth__population *population,
                                                  berth__sym topology_key,
                                                  berth__inclusion *inclusion);
/* One user fewer; goes with the last, and so does the population, if it is not held. */
void berth__domain_counts_release(berth__view *view, berth__domain_counts *one);

/* `change` more pods on a slot whose population count was `before`. */
void berth__domain_counts_change(berth__view *view, berth__domain_counts *one, uint32_t slot,
                                 uint32_t before, int change);

/* Drop all plans. */
void berth__plans_clear(berth__view *view);

#endif
