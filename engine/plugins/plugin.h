/* The table that a filter or score plugin fills, and what it receives.
 *
 * Phases of one decision, in this order:
 *   prepare_filter   runs once for a pod class and again when node facts change (or at every
 *                    decision, with BERTH__PREPARE_EACH); may skip the plugin or refuse the pod
 *                    before any node is visited. kube-scheduler: PreFilter.
 *   filter           clears the slots of a tile that do not fit. kube-scheduler: Filter.
 *   explain          says why filter cleared a slot; called only for slots that filter cleared.
 *   prepare_score    like prepare_filter, for scoring. kube-scheduler: the part of PreScore that
 *                    does not look at the feasible nodes.
 *   rank             prepares scoring for the feasible nodes. kube-scheduler: the rest of PreScore.
 *   score            writes raw values of the feasible slots of a tile. kube-scheduler: Score.
 *   normalize        maps raw values to 0..100, given the extremes. kube-scheduler: NormalizeScore.
 *   reserve          runs when a pod is put on a node; unreserve undoes it and is idempotent.
 *   wakes            runs after a change of the cluster, for pods that the plugin refused.
 *
 * prepare_* and rank run on the deciding thread; filter and score run on several workers at once,
 * each on its own tiles. They read the view and their state, write their output, and do nothing
 * else. Plugins have no mutable globals. */
#ifndef BERTH_PLUGINS_PLUGIN_H
#define BERTH_PLUGINS_PLUGIN_H

#include "berth/engine.h"
#include "plugins/gates.h"
#include "plugins/score_parts.h"
#include "plugins/wake.h"

enum {
    BERTH__SCORE_MAX = 100,       /* for plugins of the scheduling framework */
    BERTH__SCORE_MAX_LEGACY = 10, /* for priorities of v1.15 */
};

/* The raw value of a slot that takes no part in normalization. */
#define BERTH__SCORE_IGNORED INT64_MIN

/* The nodes that a decision is confined to: it visits, counts and chooses among no others. Plugins
 * still take other nodes and their pods into account. */
typedef struct berth__node_part {
    const berth__mask *slots; /* by tile */
    uint32_t count;           /* number of slots, above 0 */
} berth__node_part;

/* One decision, as plugins see it. */
typedef struct berth__question {
    berth__view *view;
    berth__class *cls;
    const berth__pods *pods;
    uint32_t pod;                 /* index of the pod */
    uint32_t required_node;       /* the node that spec.nodeName names, or BERTH_NODE_NONE */
    bool may_refuse;              /* in reserve: the plugin may refuse the placement */
    bool without_usage;           /* an embedder's static plugin must not see usage */
    const berth__node_part *part; /* NULL: all nodes */
} berth__question;

/* The number of nodes that the decision is about. */
static inline uint32_t berth__question_node_count(const berth__question *cycle)
{
    return cycle->part != NULL ? cycle->part->count : cycle->view->layout->count;
}

/* The place where a pod is put, or from which it is taken. */
typedef struct berth__pod_placement {
    berth_pod_id pod;
    uint32_t node; /* id */
    uint32_t slot; /* BERTH__SLOT_NONE: the node is gone (unreserve) */
} berth__pod_placement;

/* The reasons for one refusal. `arena` holds the texts and the list. */
typedef struct berth__reasons {
    berth__arena *arena;
    berth_str *items;
    uint32_t count;
    uint32_t capacity;
    berth_code code;
    bool ok; /* false: out of memory */
    /* For one slot under v1.15's rules: the last reason is an error, which ends the attempt. */
    bool failed;
} berth__reasons;

/* Add a reason, printf style. */
void berth__reason(berth__reasons *reasons, berth_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add the error of a plugin at "PreFilter", "Filter", "PreScore" or "Score" in the framework's
 * words. */
void berth__reason_error(berth__reasons *reasons, const char *point, berth_str plugin,
                         berth_str error);

/* The prefix of a reason that is an error. */
#define BERTH__ERROR_PREFIX "error: "

/* Add the error of a filter that lacks the state preFilter would have written. */
void berth__reason_missed(berth__reasons *reasons, const char *error);

typedef enum berth__outcome {
    BERTH__ACTIVE,  /* takes part; invalid for a plugin without filter (or score) */
    BERTH__SKIP,    /* takes no part in this decision */
    BERTH__REFUSE,  /* for filters: no node can take the pod; reasons were added */
    BERTH__UNIFORM, /* for scores: every feasible node has `uniform` after normalization */
    BERTH__FAIL,    /* the attempt ends with an error, whose text was added as a reason */
} berth__outcome;

/* Input and output of the prepare phases. */
typedef struct berth__prepare {
    const berth__question *cycle;
    const void *instance;
    void *state;         /* the plugin's state bytes, zeroed */
    berth__arena *arena; /* lives as long as the state */
    berth__reasons *reasons;
    int64_t uniform;
    /* A filter may restrict the search to some nodes: it points this at a bitset with one bit per
     * slot (kube-scheduler: PreFilterResult.NodeNames). NULL: no restriction. With
     * BERTH__PREPARE_EACH the plugin starts from the restriction of the plugins without that
     * flag. */
    const uint64_t *allowed;
    /* With BERTH__PREPARE_EACH, for SKIP or UNIFORM: the outcome stays valid for every pod of the
     * class that names no node, until the class, node facts, the terms of running pods, related
     * objects or namespaces change. */
    bool stays;
    bool may_fail; /* a filter's explain may find an error, see berth__reasons */
    bool small;    /* for a scorer: no raw value exceeds BERTH__NARROW_MAX; see score_kept */
    /* For a static scorer with score_slot: this time a raw value changes with its node's own state,
     * so no raw value is kept. */
    bool by_node;
    /* For a scorer that counts how many nodes have an image: as long as this number stays, so do
     * the scores of all nodes that have the images that they had. Others leave it 0. */
    uint64_t image_worth;
    /* The profile disables the plugin's preFilter (preScore): prepare must not skip, refuse or
     * restrict on its behalf. */
    bool bare;
    bool counts_pods;      /* an embedder's plugin may count pods by domain */
    uint32_t counts_asked; /* number of counts that it has requested */
    bool ok;               /* set to false when out of memory */
} berth__prepare;

typedef enum berth__normalization {
    BERTH__NORMALIZATION_NONE,
    BERTH__NORMALIZATION_MAX,          /* value * M / max */
    BERTH__NORMALIZATION_MAX_REVERSED, /* M - value * M / max; M where max is 0 */
    BERTH__NORMALIZATION_OF_PLUGIN,    /* the plugin's normalize_own */
} berth__normalization;

/* Plugin flags. */
enum {
    BERTH__STATIC_FILTER =
        1 << 0, /* filter reads only node facts and the class: verdicts are kept */
    BERTH__STATIC_SCORE = 1 << 1, /* score reads only these: raw values are kept */
    BERTH__PREPARE_EACH = 1 << 2, /* prepare_filter, prepare_score run at every decision */
    /* Every refusal by filter has this code. With neither flag, explain reports the code. */
    BERTH__ALWAYS_UNSCHEDULABLE = 1 << 3,
    BERTH__ALWAYS_UNRESOLVABLE = 1 << 4,
    /* Reads any part of a pod's class, so classes do not share trees of the index. */
    BERTH__READS_CLASS = 1 << 5,
    /* filter and filter_slot refuse a node without room for a pod. */
    BERTH__COUNTS_PODS = 1 << 6,
    /* score is called only after every node has been filtered. */
    BERTH__SCORES_LATE = 1 << 7,
    /* If filter can't fail, it may run after all others, on the nodes that they leave: the decision
     * can be indexed without it. */
    BERTH__FILTERS_LATE = 1 << 8,
};

/* A ResourceClaim whose devices must be freed, or that must be deleted; name 0: none. */
typedef struct berth__freed_claim {
    berth__sym namespace_name, name;
    bool deleted;
} berth__freed_claim;

/* Words that identify a filter's verdicts, or a scorer's values, as long as the layout has one
 * epoch and no storage class in `offers` gets or loses an offer (columns/volume_offers.h). */
enum { BERTH__VERDICT_WORDS_MAX = 64 };
typedef struct berth__verdict_key {
    uint64_t words[BERTH__VERDICT_WORDS_MAX];
    uint32_t count;
    bool ok;         /* false: there are too many words */
    uint64_t offers; /* a set of storage classes */
} berth__verdict_key;

static inline void berth__verdict_word(berth__verdict_key *key, uint64_t word)
{
    key->ok &= key->count < BERTH__VERDICT_WORDS_MAX;
    if (key->ok)
        key->words[key->count++] = word;
}

typedef struct berth__plugin_ops {
    const char *name;
    uint32_t flags;
    uint32_t wake_on; /* BERTH__WAKE_*: changes that may end the plugin's refusal */
    /* Optional: whether a change in `wake_on` may let the filter accept the waiting pod. It must
     * not return false if the change helps, because then the pod is not tried again. NULL: always.
     * kube-scheduler: EventsToRegister and the queueing hints. */
    bool (*wakes)(berth__wake *wake, const berth__waiter *waiter, const void *instance);

    /* The plugin's instance, made from a profile's arguments. NULL: there is nothing to
     * configure. */
    size_t instance_bytes;
    berth_status (*configure)(berth__model *model, berth__arena *arena,
                              const berth_plugin_args *args, void *instance, berth_error *error);

    /* The error of filter (score) if the profile disables preFilter (preScore), which writes the
     * state that filter (score) reads. NULL: it works without that state, see berth__prepare. */
    const char *filter_misses, *score_misses;

    size_t filter_state_bytes;
    berth__outcome (*prepare_filter)(berth__prepare *prepare); /* NULL: always active */
    void (*filter)(const berth__question *cycle, const void *instance, const void *state,
                   uint32_t tile, berth__mask *mask);
    void (*explain)(const berth__question *cycle, const void *instance, const void *state,
                    uint32_t slot, berth__reasons *reasons);

    /* Optional, for a filter whose refusals have either code: of the slots in `mask`, which filter
     * cleared, keep those whose refusal is BERTH_CODE_UNSCHEDULABLE. Without it, explain is called
     * for each. */
    void (*keep_resolvable)(const berth__question *cycle, const void *instance, const void *state,
                            uint32_t tile, berth__mask *mask);

    /* Optional, for a filter with `may_fail`: of the slots in `mask`, which filter cleared, keep
     * those where explain may find an error. Without it, explain is called for each. */
    void (*keep_failed)(const berth__question *cycle, const void *instance, const void *state,
                        uint32_t tile, berth__mask *mask);

    /* Optional: the verdict on one slot, for a plugin whose verdict on a node changes only with
     * that node's own state or facts. Only plugins that have this function (or are static) can be
     * indexed. */
    bool (*filter_slot)(const berth__question *cycle, const void *instance, const void *state,
                        uint32_t slot);

    /* Optional, for an active filter about other pods: add its verdicts to the gates. They hold
     * what filter_slot can't compute, so that the filter can be indexed nevertheless. */
    void (*gate)(const berth__question *cycle, const void *instance, const void *state,
                 berth__gates *gates);

    /* Optional, for an active filter with BERTH__FILTERS_LATE: whether its verdicts of this
     * decision depend only on node facts, what it adds to `key`, and offers for the storage classes
     * there. Decisions with equal keys then share the verdicts. The address of a mask of the layout
     * (berth__layout_value) identifies it. */
    bool (*verdict_key)(const berth__question *cycle, const void *instance, const void *state,
                        berth__verdict_key *key);
    /* The same for the raw values of an active scorer that does not normalize, which lie in
     * 0..BERTH__SCORE_MAX. The caller adds the profile to the key. */
    bool (*value_key)(const berth__question *cycle, const void *instance, const void *state,
                      berth__verdict_key *key);

    /* Optional, for an active filter with BERTH__FILTERS_LATE: set the bit of each tile where
     * filter may clear a slot. NULL: it may do so anywhere. */
    void (*busy_tiles)(const berth__question *cycle, const void *instance, const void *state,
                       uint64_t *tiles);

    /* Optional: if the kernel `basic` can compute the active filter (or scorer), set its part of
     * `ask` and return true; the caller provides the score's weight. Amounts are not wide. */
    bool (*basic_filter)(const berth__question *cycle, const void *instance, const void *state,
                         berth__basic_ask *ask);
    bool (*basic_score)(const berth__question *cycle, const void *instance, const void *state,
                        int32_t weight, berth__basic_ask *ask);

    /* A what-if (preemption, nominated pods) has put a pod of `cls` on `slot` (change 1) or taken
     * one off it (-1); the view already shows this. Adjust the filter's state. Until the opposite
     * change undoes it, the filter is called for that slot alone. NULL: the state needs no
     * adjusting, but with BERTH__PREPARE_EACH it is prepared again from the changed view.
     * kube-scheduler: PreFilterExtensions. */
    void (*adjust)(const berth__question *cycle, const void *instance, void *state,
                   const berth__class *cls, uint32_t slot, int change);

    /* Optional: returns the plugin's message (a literal) for a pod that fits nowhere. `*freed`
     * receives the claim whose devices must be freed so that the pod may fit, or is unchanged.
     * kube-scheduler: PostFilter. */
    const char *(*post_filter)(const berth__question *cycle, const void *instance,
                               const void *state, berth__freed_claim *freed);

    size_t score_state_bytes;
    berth__outcome (*prepare_score)(berth__prepare *prepare); /* NULL: always active */
    /* NULL: not needed. `feasible` has a mask for each tile, with `count` slots set in total. */
    berth__outcome (*rank)(berth__prepare *prepare, const berth__mask *feasible, uint32_t count);
    /* Write the values of the slots in `mask` to `out` (BERTH__TILE entries; the others may hold
     * anything). */
    void (*score)(const berth__question *cycle, const void *instance, const void *state,
                  uint32_t tile, const berth__mask *mask, int64_t *out);
    /* Optional, for a scorer that normalizes and set `small`: writes what `score` does, in the form
     * in which the kernel `narrow` keeps it. */
    void (*score_kept)(const berth__question *cycle, const void *instance, const void *state,
                       uint32_t tile, const berth__mask *mask, int16_t *kept);
    /* Optional, for an active scorer that normalizes: whether all nodes that pass the gates have
     * the same raw value, which normalization makes 0. The decision can then be indexed without the
     * scorer. */
    bool (*is_level)(const berth__question *cycle, const void *instance, const void *state,
                     const berth__gates *gates);
    /* Optional, for an active scorer that normalizes: add what its raw values depend on besides the
     * pod. The scorer then has score_sample, too, and rank_sample if it has rank. */
    void (*score_parts)(const berth__question *cycle, const void *instance, const void *state,
                        berth__score_parts *parts);
    /* The same as rank, given one feasible node of each class. */
    berth__outcome (*rank_sample)(berth__prepare *prepare, const berth__score_sample *sample);
    /* Write the raw values of a sample, in its order. Its slots are equal to others by score_parts,
     * so counts by node may be read as counts by domain. */
    void (*score_sample)(const berth__question *cycle, const void *instance, const void *state,
                         const berth__score_sample *sample, int64_t *out);
    /* Optional, like filter_slot, for a scorer that does not normalize: the raw value of one
     * slot. */
    int64_t (*score_slot)(const berth__question *cycle, const void *instance, const void *state,
                          uint32_t slot);
    /* Optional, with score_slot: the same of many slots, if that costs less. */
    void (*score_slots)(const berth__question *cycle, const void *instance, const void *state,
                        const uint32_t *slots, uint32_t count, int64_t *out);
    /* Optional, for a scorer that does not normalize: if the raw values of all nodes are 0 or the
     * same, that value in `*value`, and the slots of a tile that have it. Returns false if they are
     * not, or if it is costly to find out. */
    bool (*score_alike)(const berth__question *cycle, const void *instance, const void *state,
                        uint32_t tile, berth__mask *slots, int64_t *value);
    berth__normalization normalize;
    int64_t score_max; /* 0: BERTH__SCORE_MAX */
    /* Normalizes, given the lowest and highest raw value of the feasible slots (without ignored
     * ones; an ignored slot gets 0). The result for a value depends on nothing else. */
    void (*normalize_own)(const berth__kernels *kernels, int64_t lowest, int64_t highest,
                          const berth__mask *mask, int64_t *values);

    /* Here `cycle` has only the view, the class and the pod. */
    berth_status (*reserve)(const berth__question *cycle, const void *instance,
                            const berth__pod_placement *placement);
    void (*unreserve)(const berth__question *cycle, const void *instance,
                      const berth__pod_placement *placement);
} berth__plugin_ops;

/* Defines the `explain` of a filter that refuses every node for the same reason. */
#define BERTH__EXPLAIN_ALWAYS(name, code, text)                                         \
    static inline void name(const berth__question *cycle, const void *instance,         \
                            const void *opaque, uint32_t slot, berth__reasons *reasons) \
    {                                                                                   \
        (void)cycle;                                                                    \
        (void)instance;                                                                 \
        (void)opaque;                                                                   \
        (void)slot;                                                                     \
        berth__reason(reasons, code, text);                                             \
    }

/* For `adjust` of a plugin whose state needs no adjusting, although it is prepared for each pod. */
static inline void berth__plugin_adjust_nothing(const berth__question *cycle, const void *instance,
                                                void *state, const berth__class *cls, uint32_t slot,
                                                int change)
{
    (void)cycle;
    (void)instance;
    (void)state;
    (void)cls;
    (void)slot;
    (void)change;
}

/* The plugin of that name, or NULL; does not find those in legacy/. registry.c has the list. */
const berth__plugin_ops *berth__plugin_find(berth_str name);

#endif
