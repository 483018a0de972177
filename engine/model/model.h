/* The symbol tables that an engine, its published versions and its branches share: strings,
 * resources, taint lists, pod classes.
 *
 * Tables grow and never move, so a reader needs no lock for what was published. Texts that nobody
 * holds are removed and their ids used again (model/sweep.h). Threads hold the lock while they add
 * an object, because that interns texts, and while they release a use of a pod class. Before the
 * first publication there is one user and no lock. When a version is reclaimed, its uses of classes
 * are not released right away but by the next holder of the lock, so that reclaiming never waits
 * for the lock.
 * Ordering:
 *   MODEL-1  a resource's name is written, then its column counted (release); a reader loads the
 *            count (acquire) before it reads an item below it.
 *   MODEL-2  a use is marked for release by adding to the class's `due`. The thread that finds 0
 *            there pushes the class on the model's stack (release). The lock's holder takes the
 *            whole stack (acquire), reads a class's `next_due`, and only then its count, leaving 0
 *            (release): the thread that finds that 0 (acquire) may write `next_due` again. */
#ifndef BERTH_MODEL_MODEL_H
#define BERTH_MODEL_MODEL_H

#include <pthread.h>

#include "base/assert.h"
#include "base/cow_array.h"
#include "base/intern.h"
#include "base/keymap.h"
#include "base/shares.h"
#include "berth/profile.h"
#include "model/behaviours.h"
#include "model/class_memo.h"

/* Resource columns that always exist; extended and other scalar resources follow. Amounts are
 * int64: cpu in milli, everything else in units. */
enum {
    BERTH__CPU = 0,
    BERTH__MEMORY = 1,
    BERTH__EPHEMERAL = 2,
    BERTH__SCALARS = 3, /* the first scalar resource */
    BERTH__RESOURCES_MAX = 1024,
};
#define BERTH__RESOURCE_NONE UINT32_MAX

typedef struct berth__interned_taint {
    berth__sym key;
    berth__sym value;
    berth__sym effect;
} berth__interned_taint;

/* A node's taints in list order. Interned: equal lists have one id; id 0 is the empty list. The ids
 * of the list's texts, as bytes, form a text of their own, and the list lives as long as that text.
 * Ids are used again, so look up a list only by an id that a node has. */
typedef struct berth__taint_list {
    berth__keymap_entry entry; /* by text */
    berth__sym text;           /* 0: of the empty list */
    uint32_t id;
    uint32_t count;
    berth__interned_taint items[];
} berth__taint_list;

/* Ids of the texts that rules name. */
#define BERTH__KNOWN_LIST(X)                                   \
    X(empty, "")                                               \
    X(no_schedule, "NoSchedule")                               \
    X(no_execute, "NoExecute")                                 \
    X(prefer_no_schedule, "PreferNoSchedule")                  \
    X(op_exists, "Exists")                                     \
    X(op_equal, "Equal")                                       \
    X(unschedulable, "node.kubernetes.io/unschedulable")       \
    X(hostname, "kubernetes.io/hostname")                      \
    X(zone, "topology.kubernetes.io/zone")                     \
    X(region, "topology.kubernetes.io/region")                 \
    X(zone_beta, "failure-domain.beta.kubernetes.io/zone")     \
    X(region_beta, "failure-domain.beta.kubernetes.io/region") \
    X(any_ip, "0.0.0.0")                                       \
    X(tcp, "TCP")                                              \
    X(metadata_name, "metadata.name")                          \
    X(default_namespace, "default")                            \
    X(default_scheduler, "default-scheduler")                  \
    X(instance_type, "beta.kubernetes.io/instance-type")       \
    X(op_less, "Lt")                                           \
    X(op_greater, "Gt")

enum { BERTH__TAINT_SHIFT = 6, BERTH__TAINT_SEGMENTS = 32 - BERTH__TAINT_SHIFT };

struct berth__class;
struct berth__sweep_batch;

/* Small numbers that identify pod classes, for tables indexed by class. The number of a freed class
 * is used again. */
typedef struct berth__class_places {
    uint32_t *free; /* has room for all numbers below `end` */
    uint32_t free_count;
    uint32_t capacity;
    uint32_t end; /* numbers below have been handed out */
} berth__class_places;

typedef struct berth__model {
    const berth_allocator *allocator;
    bool shared;          /* versions exist: set before the first is published */
    pthread_mutex_t lock; /* protects everything that is interned here */
    uint32_t lock_depth;  /* how often its holder has locked it. sync: under the lock */
    _Atomic(struct berth__class *) due; /* classes with uses to release: a stack; MODEL-2 */
    berth__behaviours behaviours;       /* of the scheduler version that the engine follows */
    uint32_t attached_volumes_max;      /* see berth_engine_config */
    bool keep_objects;                  /* see berth_engine_config */
    berth_strs annotation_keys;         /* of annotations that plugins read; owned by the model */
    /* Memory near each group of workers, for the data that they scan; see berth__model_home. */
    const berth_allocator *homes[BERTH__GROUPS_MAX];
    uint32_t home_count; /* 0: memory is not divided by home */
    berth__intern strings;
    uint32_t kept_texts;            /* ids below are never removed; all five: see model/sweep.h */
    uint32_t sweep_at;              /* number of texts in use at which a sweep is due */
    uint32_t batch_serial;          /* of the last condemned batch */
    atomic_uint_least64_t removals; /* texts removed so far; sync: atomic, relaxed */
    _Atomic(struct berth__sweep_batch *) batches; /* returned ones; sync: atomic, pair SWEEP-1 */
    struct {
#define X(name, text) berth__sym name;
        BERTH__KNOWN_LIST(X)
#undef X
    } known;
    /* By column; 0: no name. A column belongs to its name as long as the name's text lives
     * (model/sweep.h); without a name it holds only zeros. sync: atomic, relaxed; see
     * berth__resource_name */
    atomic_uint resource_names[BERTH__RESOURCES_MAX];
    uint64_t resource_since[BERTH__RESOURCES_MAX]; /* names_epoch when the column got its name */
    uint32_t resources_named;                      /* columns that have a name */
    uint32_t resource_sweep_at; /* number of named columns at which a sweep is due */
    /* Columns + 1 by name, 0: free. Used under the lock; after the removal of a name, the next
     * addition rebuilds the table. */
    uint16_t resource_slots[2 * BERTH__RESOURCES_MAX];
    bool resource_slots_stale;
    atomic_uint_least64_t names_epoch; /* changes when a column gets a name; sync: relaxed */
    atomic_uint resource_count;        /* columns; sync: atomic, pair MODEL-1 */
    berth__keymap taint_lists;
    berth__taint_list **taint_segments[BERTH__TAINT_SEGMENTS]; /* by id, each twice as long */
    atomic_uint
        taint_list_count;  /* ids handed out; sync: under the lock; read by anyone, relaxed */
    uint32_t *free_taints; /* free ids; has room for all */
    uint32_t free_taint_count;
    uint32_t free_taint_capacity;
    berth__keymap parts; /* of pod classes, see pod_class.h */
    berth__keymap classes;
    atomic_bool
        has_volumes; /* some pod has, or had, volumes or claims; sync: relaxed, see transaction.c */
    berth__class_memo class_memo;     /* under the lock */
    berth__class_places class_places; /* under the lock */
    atomic_uint class_count;          /* sync: under the lock; read by anyone, relaxed */
    atomic_uint_least64_t last_epoch; /* sync: atomic, relaxed */
    uint64_t class_serial;            /* the last serial of a class or part */
    uint32_t *words;                  /* scratch memory for keys */
    uint32_t word_count;
    uint32_t word_capacity;
    berth__arena scratch; /* reset for each object */
} berth__model;

/* The allocator for the part of a table that starts with item `item`; each run of `step` items has
 * one home. */
static inline const berth_allocator *berth__model_home(const berth__model *model, uint32_t item,
                                                       uint32_t step)
{
    return model->home_count == 0 ? model->allocator
                                  : model->homes[berth__shares_home(item, step, model->home_count)];
}

/* `behaviours` NULL: those of the newest version. */
berth_status berth__model_init(berth__model *model, const berth_allocator *allocator,
                               const berth__behaviours *behaviours);
/* All classes must have been released. */
void berth__model_destroy(berth__model *model);

/* Lock and unlock, for adding objects and releasing uses of classes. */
void berth__model_lock_slow(berth__model *model);
void berth__model_unlock_slow(berth__model *model);
static inline void berth__model_lock(berth__model *model)
{
    if (BERTH_UNLIKELY(model->shared))
        berth__model_lock_slow(model);
}
static inline void berth__model_unlock(berth__model *model)
{
    if (BERTH_UNLIKELY(model->shared))
        berth__model_unlock_slow(model);
}

/* The next epoch: a number that no other caller of the engine, its snapshots and branches gets.
 *
 * An epoch shows whether derived data is still valid. It changes whenever its data changes, so data
 * derived at the same epoch is up to date. Epochs that several engines or snapshots compare come
 * from here; epochs that stay inside one struct are counted there. A stamp is something else: it
 * names the owner of a block (base/cow_owner.h). A serial identifies one object of its kind.
 * Threads: any. */
static inline uint64_t berth__model_next_epoch(berth__model *model)
{
    /* Relaxed: callers need different numbers, and no order. */
    return atomic_fetch_add_explicit(&model->last_epoch, 1, memory_order_relaxed) + 1;
}

/* Release the uses of classes that are due, unless another thread holds the lock. Threads: any. */
void berth__model_collect(berth__model *model);

static inline berth__taint_list **berth__taints_place(const berth__model *model, uint32_t id)
{
    uint64_t at = (uint64_t)id + (1u << BERTH__TAINT_SHIFT);
    uint32_t segment = 63 - BERTH__TAINT_SHIFT - (uint32_t)__builtin_clzll(at);
    return &model->taint_segments[segment][at - (UINT64_C(1) << (segment + BERTH__TAINT_SHIFT))];
}

/* How many ids of lists exist: all lists of any state's nodes have ids below it. */
static inline uint32_t berth__taints_count(const berth__model *model)
{
    /* Relaxed: it only grows, and the lists of a state were counted before it was published. */
    return atomic_load_explicit(&model->taint_list_count, memory_order_relaxed);
}

static inline const berth__taint_list *berth__taints_at(const berth__model *model, uint32_t id)
{
    return *berth__taints_place(model, id);
}

static inline berth_str berth__text(const berth__model *model, berth__sym sym)
{
    return berth__intern_text(&model->strings, sym);
}

/* The name of a column that some state has amounts of, or 0. */
static inline berth__sym berth__resource_name(const berth__model *model, uint32_t resource)
{
    /* Relaxed: a name that some state needs does not change; others are only compared. */
    return atomic_load_explicit(&model->resource_names[resource], memory_order_relaxed);
}

/* An epoch that changes when a column gets a name. */
static inline uint64_t berth__names_epoch(const berth__model *model)
{
    /* Relaxed: a thread sees the names that it added; other names do not concern its state. */
    return atomic_load_explicit(&model->names_epoch, memory_order_relaxed);
}

/* The column of a resource name. `find` returns BERTH__RESOURCE_NONE for a name without a column.
 * `add` makes a column for names that kube-scheduler counts as scalar, and returns
 * BERTH__RESOURCE_NONE for all others; `*ok` turns false when out of memory or columns. `forget`
 * removes the name of a column that no state has amounts of. Source: kube-scheduler v1.32,
 * framework/types.go, Resource.Add; v1helper.IsScalarResourceName. */
uint32_t berth__resource_find(const berth__model *model, berth_str name);
uint32_t berth__resource_known(berth__model *model, berth_str name); /* `find` under the lock */
uint32_t berth__resource_add(berth__model *model, berth_str name, bool *ok);
void berth__resource_forget(berth__model *model, uint32_t resource);

/* Whether a name is an extended resource: names without a prefix and kubernetes.io names are
 * not. */
bool berth__resource_is_extended(berth_str name);
/* Whether a DeviceClass may provide a resource: it is extended, or names the class itself. */
bool berth__resource_may_be_backed(berth_str name);
bool berth__resource_class_name(berth_str name, berth_str *class_name);

/* Round an amount away from zero to milli or to units, as the scheduler does. Returns false when
 * the result does not fit. */
bool berth__amount_read(__int128 nanos, bool milli, int64_t *out);
__int128 berth__amount_nanos(berth_quantity amount);
/* Whether the parts of an amount are as status.h requires: one sign, |nanos| < 1e9. */
bool berth__amount_is_valid(berth_quantity amount);
#define BERTH__AMOUNT_INVALID "an amount's nanos are below 1e9 and of the sign of its units"

/* The interned list of taints (id 0 when there are none); NULL when out of memory. */
const berth__taint_list *berth__taints_intern(berth__model *model, const berth_taint *taints,
                                              uint32_t count);
/* Remove the list together with its text. No node may have it. */
void berth__taints_forget(berth__model *model, berth__taint_list *list);

#endif
