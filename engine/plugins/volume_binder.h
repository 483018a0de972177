/* The volumes that a pod's claims would get on a node: bound volumes must reach it; other claims
 * are matched with free PersistentVolumes or provisioned. Used by VolumeBinding and
 * CheckVolumeBinding.
 * Source: kube-scheduler v1.32, plugins/volumebinding; component-helpers v0.32, storage/volume. */
#ifndef BERTH_PLUGINS_VOLUME_BINDER_H
#define BERTH_PLUGINS_VOLUME_BINDER_H

#include "plugins/claim_lookup.h"
#include "plugins/node_match.h"

/* The maximum number of unbound claims of a pod. */
enum { BERTH__UNBOUND_CLAIMS_MAX = 256 };

/* The volume of a bound claim. */
typedef struct berth__bound_volume {
    const berth__pv_facts *facts; /* NULL: it does not exist */
    berth__node_match match;
    berth__node_match migrated; /* used on nodes where its in-tree plugin is migrated */
} berth__bound_volume;

/* Shelves, and the label columns that select the shelves of a slot. */
typedef struct berth__reach {
    const berth__shelf_set *set; /* NULL: there are none */
    const berth__sym *const *columns;
} berth__reach;

/* A claim that waits for its first consumer. */
typedef struct berth__unbound_claim {
    berth__claim *claim;
    const berth__storage_class_facts *class_facts;
    berth__reach free_volumes;
    berth__node_match topologies;
    bool needs_capacity; /* the driver publishes its capacity */
    berth__reach capacities;
    __int128 request_units;
} berth__unbound_claim;

typedef struct berth__binder {
    bool legacy; /* uses the rules of v1.15 */
    berth__bound_volume *bound;
    uint32_t bound_count;
    berth__unbound_claim *decided; /* claims for which a node was chosen earlier */
    uint32_t decided_count;
    berth__unbound_claim *unbound; /* in ascending order of request */
    uint32_t unbound_count;
    bool untranslated; /* a bound volume can't be translated where its plugin is migrated */
    berth_str problem; /* why no unbound claim can be matched with volumes; absent: none */
} berth__binder;

/* The result for one node. */
typedef struct berth__open_binding {
    bool node_conflict;                  /* a bound volume does not reach the node */
    bool no_volume;                      /* a claim finds no volume and can't be provisioned here */
    bool no_space;                       /* the driver has no room here */
    bool volume_missing;                 /* a bound volume does not exist */
    const berth__pv_facts *untranslated; /* an error: this volume's plugin is migrated */
    bool failed;                         /* an error with the text `problem`, not a refusal */
    uint32_t choice_count;
    berth__volume_choice choices[BERTH__UNBOUND_CLAIMS_MAX];
    /* The shelf item of a choice's volume, or of the driver's capacity for one that is provisioned;
     * NULL: the volume was the claim's own already, or the driver publishes no capacity. */
    const berth__shelf_item *found[BERTH__UNBOUND_CLAIMS_MAX];
} berth__open_binding;

static inline bool berth__binding_fits(const berth__open_binding *binding)
{
    return !binding->node_conflict && !binding->no_volume && !binding->no_space &&
           !binding->volume_missing && !binding->failed && binding->untranslated == NULL;
}

/* The state of a claim. */
typedef enum berth__claim_state {
    BERTH__CLAIM_BOUND,
    BERTH__CLAIM_WAITS,     /* waits for its first consumer */
    BERTH__CLAIM_IMMEDIATE, /* unbound, and the scheduler does not bind it */
    BERTH__CLAIM_UNDEFINED, /* its class has no volumeBindingMode */
} berth__claim_state;
berth__claim_state berth__claim_state_of(const berth__view *view, const berth__claim *claim);

/* Classify the claims of a list, which must all exist and be bound or waiting; memory comes from
 * `arena`. Returns false if there are too many; `*ok` turns false when out of memory. */
bool berth__volume_binder_make(berth__view *view, berth__arena *arena,
                               const berth__volume_list *list, berth__binder *binder, bool *ok);

/* Whether `key`, node facts and offers decide where the claims can be bound, and by which volumes
 * (plugin.h, verdict_key). False with a claim that has a selector, or a volume of its own already,
 * or a chosen node, and with a missing volume or volumes of in-tree plugins. */
bool berth__volume_binder_key(const berth__binder *binder, berth__verdict_key *key);

/* Clear the slots of a tile where the claims can't be bound. */
void berth__volume_binder_filter(const berth__view *view, const berth__binder *binder,
                                 uint32_t tile, berth__mask *mask);

/* The reserve phase: reserve for a pod the volumes that binding chooses on the node of a slot. A
 * pod on a node where it does not fit reserves nothing. Errors: BERTH_E_NOMEM. */
berth_status berth__volume_binder_reserve(berth__view *view, const berth__binder *binder,
                                          uint32_t pod, uint32_t slot);

/* Run a plugin's reserve phase under the model's lock, because branches share the scratch memory
 * and the interned texts. Errors: those of `reserve`. */
berth_status berth__volume_binder_reserve_locked(
    const berth__question *cycle, const berth__pod_placement *placement,
    berth_status (*reserve)(const berth__question *cycle, const berth__pod_placement *placement));

/* The unreserve phase of the plugins that bind volumes (plugin.h). */
void berth__volume_binder_unreserve(const berth__question *cycle, const void *instance,
                                    const berth__pod_placement *placement);

/* Whether any node may have a volume, or a driver that publishes its capacity, to compare requests
 * with. */
bool berth__volume_binder_compares(const berth__binder *binder);

/* Compute the binding on the node of a slot. */
void berth__volume_binder_bind(const berth__view *view, const berth__binder *binder, uint32_t slot,
                               berth__open_binding *out);

/* Add the reasons against a binding that all releases have: a conflict, in the release's words, and
 * a missing volume. Returns false if the binding failed; then only that error was added. */
bool berth__volume_binder_explain(const berth__binder *binder, const berth__open_binding *binding,
                                  const char *conflict, berth__reasons *reasons);

#endif
