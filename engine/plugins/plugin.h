/* The table that a filter or score plugin fills, and what it is given.
 *
 * Phases of one decision, in this order:
 * prepare_filter  once for a pod class and again when node facts change (or at every decision, with
 *                   BERTH__PREPARE_EACH); may skip the plugin or refuse the pod before any node is
 *                   visited. kube-scheduler: PreFilter.
 *   filter          clears the slots of a tile that do not fit. kube-scheduler: Filter.
 *   explain         says why one slot was cleared; asked only of slots that filter cleared.
 * prepare_score   like prepare_filter, for scoring. kube-scheduler: the part of PreScore that does
 *                   not look at the feasible nodes.
 *   rank            with the set of feasible nodes in hand. kube-scheduler: the rest of PreScore.
 *   score           raw values of the feasible slots of a tile. kube-scheduler: Score.
 *   normalize       raw values to 0..100, knowing the extremes. kube-scheduler: NormalizeScore.
 *   reserve         when a pod is put on a node; unreserve takes it back, and is idempotent.
 *   wakes           when the cluster has changed, about pods that the plugin has refused.
 *
 * prepare_* and rank run on the deciding thread; filter and score run on several workers at
 * once, each on its own tiles: they read the view and their state, write their output, and do
 * nothing else. Plugins keep no globals. */
#ifndef BERTH_PLUGINS_PLUGIN_H
#define BERTH_PLUGINS_PLUGIN_H

#include "berth/engine.h"
#include "plugins/gates.h"
#include "plugins/score_parts.h"
#include "plugins/wake.h"

enum {
    BERTH__SCORE_MAX = 100,       /* of an era v1 plugin */
    BERTH__SCORE_MAX_LEGACY = 10, /* of a v1.15 priority */
};

/* Raw value of a slot that takes no part in normalization. */
#define BERTH__SCORE_IGNORED INT64_MIN

/* One decision, as plugins see it. */
typedef struct berth__question {
    berth__view *view;
    berth__class *cls;
    const berth__pods *pods;
    uint32_t pod;           /* index of the pod */
    uint32_t required_node; /* the node that spec.nodeName asks for, or BERTH_NODE_NONE */
    bool may_refuse;        /* while reserving: a refusal counts */
    bool without_usage; /* of an embedder's plugin that is static: usage is none of its business */
} berth__question;

/* Where a pod is put, or taken from. */
typedef struct berth__pod_placement {
    berth_pod_id pod;
    uint32_t node; /* id */
    uint32_t slot; /* BERTH__SLOT_NONE: the node is gone (unreserve) */
} berth__pod_placement;

/* Reasons of one refusal. Texts and their list live in `arena`. */
typedef struct berth__reasons {
    berth__arena *arena;
    berth_code code;
    uint32_t count;
    uint32_t capacity;
    berth_str *items;
    bool ok; /* false: out of memory */
    /* Of one slot in the v1.15 era: the last reason is an error, which ends the attempt. */
    bool failed;
} berth__reasons;

/* Add a reason, printf style. */
void berth__reason(berth__reasons *reasons, berth_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add the error of a plugin at "PreFilter", "Filter", "PreScore" or "Score" as the framework words
 * it. */
void berth__reason_error(berth__reasons *reasons, const char *point, berth_str plugin,
                         berth_str error);

/* How the reason that is an error begins. */
#define BERTH__ERROR_PREFIX "error: "

/* Add the error of a filter that misses what preFilter would have left. */
void berth__reason_missed(berth__reasons *reasons, const char *error);

typedef enum berth__outcome {
    BERTH__ACTIVE,  /* takes part: not of a plugin without filter, or without score */
    BERTH__SKIP,    /* takes no part in this decision */
    BERTH__REFUSE,  /* filters: no node can take the pod; reasons were added */
    BERTH__UNIFORM, /* scores: every feasible node has `uniform` after normalization */
    BERTH__FAIL,    /* the attempt ends with an error; its text was added as a reason */
} berth__outcome;

/* Input and output of the prepare phases. */
typedef struct berth__prepare {
    const berth__question *cycle;
    const void *instance;
    void *state;         /* of the plugin's state bytes, zeroed */
    berth__arena *arena; /* lives as long as the state */
    berth__reasons *reasons;
    int64_t uniform;
    /* A filter may restrict the search to some nodes: it points this at a bit a slot
     * (kube-scheduler: PreFilterResult.NodeNames). NULL: no restriction. Of one that prepares each
     * time it begins as those that don't have left it. */
    const uint64_t *allowed;
    /* With BERTH__PREPARE_EACH, of a SKIP or of UNIFORM: it stays right while the class, node
     * facts, the terms that running pods hold, related objects and namespaces are what they are,
     * for every pod of the class that asks for no node by name. */
    bool stays;
    bool may_fail; /* a filter's explain may come upon an error, see berth__reasons */
    bool small;    /* of a scorer: no raw value is beyond BERTH__NARROW_MAX; see score_kept */
    bool by_node; /* of a static scorer that has score_slot: a raw value changes with its node's own
                    * state this time, so that none is kept */
    /* The profile leaves preFilter (preScore) of the plugin out: what follows of it alone, such as
     * to skip, to refuse or to restrict, does not happen. */
    bool bare;
    bool counts_pods;      /* of an embedder's plugin: it may count pods by domain, */
    uint32_t counts_asked; /* and has asked for so many counts */
    bool ok;               /* set to false when out of memory */
} berth__prepare;

typedef enum berth__normalization {
    BERTH__NORMALIZATION_NONE,
    BERTH__NORMALIZATION_MAX,          /* value * M / max */
    BERTH__NORMALIZATION_MAX_REVERSED, /* M - value * M / max; M where max is 0 */
    BERTH__NORMALIZATION_OF_PLUGIN,    /* the plugin's function */
} berth__normalization;

/* Plugin flags. */
enum {
    BERTH__STATIC_FILTER =
        1 << 0, /* filter reads node facts and the class only: verdicts are kept */
    BERTH__STATIC_SCORE = 1 << 1, /* likewise score */
    BERTH__PREPARE_EACH = 1 << 2, /* prepare_filter, prepare_score run at every decision */
    /* Every refusal by filter has this code; with neither flag, explain tells. */
    BERTH__ALWAYS_UNSCHEDULABLE = 1 << 3,
    BERTH__ALWAYS_UNRESOLVABLE = 1 << 4,
    /* Reads anything of a pod's class: trees of the index are not shared between classes. */
    BERTH__READS_CLASS = 1 << 5,
    /* filter and filter_slot refuse a node without room for a pod. */
    BERTH__COUNTS_PODS = 1 << 6,
    /* score is asked for when every node has been filtered, and not before. */
    BERTH__SCORES_LATE = 1 << 7,
    /* filter, where it can't fail, may be asked behind all others, of what they leave: the decision
     * can be indexed without it. */
    BERTH__FILTERS_LATE = 1 << 8,
};

/* A ResourceClaim that is to lose its devices; name 0: none. */
typedef struct berth__freed_claim {
    berth__sym namespace_name, name;
} berth__freed_claim;

typedef struct berth__plugin_ops {
    const char *name;
    uint32_t flags;
    uint32_t wake_on; /* BERTH__WAKE_*: changes after which its refusal may no longer hold */
    /* Optional, asked of such a change: whether it may turn the refusal of such a pod around.
     * Must not say no where it does: a pod that waits would not be tried again. NULL: yes.
     * kube-scheduler: EventsToRegister and the queueing hints. */
    bool (*wakes)(berth__wake *wake, const berth__waiter *waiter, const void *instance);

    /* What a profile's arguments make of the plugin. NULL: there is nothing to configure. */
    size_t instance_bytes;
    berth_status (*configure)(berth__model *model, berth__arena *arena,
                              const berth_plugin_args *args, void *instance, berth_error *error);

    /* The error of filter (score) where the profile leaves preFilter (preScore) out, which would
     * have left the state that it reads; NULL: it does without, see berth__prepare. */
    const char *filter_misses, *score_misses;

    size_t filter_state_bytes;
    berth__outcome (*prepare_filter)(berth__prepare *prepare); /* NULL: always active */
    void (*filter)(const berth__question *cycle, const void *instance, const void *state,
                   uint32_t tile, berth__mask *mask);
    void (*explain)(const berth__question *cycle, const void *instance, const void *state,
                    uint32_t slot, berth__reasons *reasons);

    /* Optional, of a filter whose refusals have either code: of the slots in `mask`, which filter
     * cleared, keep those whose refusal is BERTH_CODE_UNSCHEDULABLE. Without it explain tells. */
    void (*keep_resolvable)(const berth__question *cycle, const void *instance, const void *state,
                            uint32_t tile, berth__mask *mask);

    /* Optional: the verdict on one slot, for a plugin whose verdict on a node changes only when
     * that node's own state or facts do. Only plugins that have it (or are static) can be
     * indexed. */
    bool (*filter_slot)(const berth__question *cycle, const void *instance, const void *state,
                        uint32_t slot);

    /* Optional, of a filter about other pods that is active: add its verdicts to the gates.
     * Fills in what filter_slot can't tell, so that the filter can be indexed nevertheless. */
    void (*gate)(const berth__question *cycle, const void *instance, const void *state,
                 berth__gates *gates);

    /* Optional: if the active filter, or the scorer, is a part of what the kernel `basic` works
     * out, set that part of `ask` (its score's weight is the caller's) and return true. Amounts
     * are not wide. */
    bool (*basic_filter)(const berth__question *cycle, const void *instance, const void *state,
                         berth__basic_ask *ask);
    bool (*basic_score)(const berth__question *cycle, const void *instance, const void *state,
                        int32_t weight, berth__basic_ask *ask);

    /* A what-if (preemption, nominated pods) has put a pod of `cls` on `slot` (change 1) or
     * taken one off it (-1): the view says so already. Adjust the filter's state; from now on,
     * and until the opposite change undoes it, the filter is asked about that slot alone. NULL:
     * the state needs no adjusting, but with BERTH__PREPARE_EACH it is prepared anew from the
     * changed view. kube-scheduler: PreFilterExtensions. */
    void (*adjust)(const berth__question *cycle, const void *instance, void *state,
                   const berth__class *cls, uint32_t slot, int change);

    /* Optional: what the plugin says of a pod that fits nowhere; a literal. `*freed` is the claim
     * that is to lose its devices so that the pod may fit, or stays as it is. kube-scheduler:
     * PostFilter. */
    const char *(*post_filter)(const berth__question *cycle, const void *instance,
                               const void *state, berth__freed_claim *freed);

    size_t score_state_bytes;
    berth__outcome (*prepare_score)(berth__prepare *prepare); /* NULL: always active */
    /* NULL: not needed. `feasible` has a mask for each tile; `count` slots are set in all. */
    berth__outcome (*rank)(berth__prepare *prepare, const berth__mask *feasible, uint32_t count);
    /* Values of the slots in `mask` into `out` (BERTH__TILE entries; the others may hold
     * anything). */
    void (*score)(const berth__question *cycle, const void *instance, const void *state,
                  uint32_t tile, const berth__mask *mask, int64_t *out);
    /* Optional, of a scorer that normalizes and said that its values are small: what `score`
     * gives, as the kernel `narrow` would keep it. */
    void (*score_kept)(const berth__question *cycle, const void *instance, const void *state,
                       uint32_t tile, const berth__mask *mask, int16_t *kept);
    /* Optional, of an active scorer that normalizes: whether all nodes that pass the gates have
     * one raw value, which normalization makes 0. The decision can be indexed without the scorer
     * then. */
    bool (*is_level)(const berth__question *cycle, const void *instance, const void *state,
                     const berth__gates *gates);
    /* Optional, of an active scorer that normalizes: add what its raw values rest on besides the
     * pod. It has score_slot then, and rank_sample if it has rank. */
    void (*score_parts)(const berth__question *cycle, const void *instance, const void *state,
                        berth__score_parts *parts);
    /* The same as rank, of feasible nodes of which one of each class is known. */
    berth__outcome (*rank_sample)(berth__prepare *prepare, const berth__score_sample *sample);
    /* Optional, like filter_slot: the raw value of one slot. */
    int64_t (*score_slot)(const berth__question *cycle, const void *instance, const void *state,
                          uint32_t slot);
    berth__normalization normalize;
    int64_t score_max; /* 0: BERTH__SCORE_MAX */
    /* With lowest and highest raw value of the feasible slots (ignored ones aside; an ignored one
     * becomes 0). What becomes of a value depends on nothing else. */
    void (*normalize_own)(const berth__kernels *kernels, int64_t lowest, int64_t highest,
                          const berth__mask *mask, int64_t *values);

    /* `cycle` has the view, the class and the pod. */
    berth_status (*reserve)(const berth__question *cycle, const void *instance,
                            const berth__pod_placement *placement);
    void (*unreserve)(const berth__question *cycle, const void *instance,
                      const berth__pod_placement *placement);
} berth__plugin_ops;

/* The plugin of that name, or NULL; those in legacy/ aside. The list is the array in registry.c. */
const berth__plugin_ops *berth__plugin_find(berth_str name);

#endif
