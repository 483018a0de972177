/* The data of the volume plugins: PersistentVolumes, claims, storage classes, what CSI drivers
 * publish, and what placements have reserved.
 *
 * Every name that is mentioned has a record, even without an object, so that other records can
 * point at it. The record points to the object's facts, which are replaced as a whole. From time to
 * time, records and inline disks that nothing mentions any more are freed (storage_sweep.c), and
 * their ids are used again. A reservation (kube-scheduler: the assume caches) marks a
 * PersistentVolume as taken by a claim, or a claim as to be provisioned for a node. Reservations
 * are kept by pod, and given back as they were made. Updates of the volume or claim end them. */
#ifndef BERTH_STORE_STORAGE_H
#define BERTH_STORE_STORAGE_H

#include "base/limit.h"
#include "base/undo_log.h"
#include "model/node.h"
#include "model/pod_class.h"
#include "store/shelves.h"

typedef struct berth__claim berth__claim;
typedef struct berth__pv berth__pv;
typedef struct berth__storage_class_record berth__storage_class_record;
typedef struct berth__storage_node berth__storage_node;
typedef struct berth__listed_attachment berth__listed_attachment;
typedef struct berth__device_claim berth__device_claim; /* device_facts.h */
struct berth__device_allocation;

/* The head of every record. No padding in the key. */
typedef struct berth__stored {
    berth__keymap_entry entry;
    struct {
        berth__sym namespace_name; /* 0 for cluster kinds */
        berth__sym name;
    } key;
    uint64_t reservation; /* of a volume or claim: serial of its reservation; 0: not reserved */
    uint32_t holder;      /* the pod whose placement reserved it; BERTH_POD_INDEX_NONE: removed */
    uint32_t row;         /* its row for snapshots, + 1; 0: none yet (storage_rows.h) */
    uint8_t kind;         /* a berth_kind */
    bool changed;         /* its row is outdated, and it is on the store's list */
    bool kept;            /* during a sweep: something mentions it */
    struct berth__stored *next_changed;
} berth__stored;

/* The head of every object's facts. Facts refer to other objects by name, so several stores can
 * share them. */
typedef struct berth__stored_facts {
    berth__arena arena;       /* holds these facts */
    uint64_t born;            /* the owner's stamp when they were added to the store */
    const berth_object *kept; /* the original, if the engine keeps objects; else NULL */
} berth__stored_facts;

/* In-tree volume plugins that can be translated to a CSI driver. */
typedef enum berth__in_tree {
    BERTH__IN_TREE_NONE,
    BERTH__IN_TREE_EBS,
    BERTH__IN_TREE_GCE_PD,
    BERTH__IN_TREE_AZURE_DISK,
    BERTH__IN_TREE_CINDER,
    BERTH__IN_TREE_PORTWORX,
    BERTH__IN_TREE_COUNT,
} berth__in_tree;

/* Identifies a volume when attachments are counted: the driver's name in the upper half; in the
 * lower half the handle, or the claim's id with bit 31 set if no volume is known yet. 0: not
 * counted. Era v1alpha1: the in-tree plugin's name replaces the driver, and driver 0 means a claim
 * whose volume may turn out to be of any plugin. */
typedef uint64_t berth__attachment;

/* The attachments that one volume of a pod counts as; unused entries are 0. There are two only in
 * era v1alpha1, where an unbound claim counts for every in-tree plugin and for its class's
 * driver. */
typedef struct berth__attachments {
    berth__attachment items[2];
} berth__attachments;

static inline berth__sym berth__attachment_driver(berth__attachment attachment)
{
    return (berth__sym)(attachment >> 32);
}

/* An inline volume of some pod, interned. */
typedef struct berth__disk {
    berth__keymap_entry entry;
    uint32_t id;
    berth__pod_volume volume; /* without its name */
    berth__in_tree in_tree;
    berth__attachment attachment; /* as counted if the plugin is migrated */
    uint64_t removals; /* the model's count when the disk was identified: see disk_make */
    bool kept;         /* during a sweep: something mentions it */
    uint32_t words[];  /* key and monitors */
} berth__disk;

/* ---- what claims ask and volumes offer ---- */

/* Access modes and volumeMode in a byte: the traits of a volume's shelf item, and what a claim asks
 * of them. */
enum {
    BERTH__OFFERS_ONCE = 1,    /* ReadWriteOnce */
    BERTH__OFFERS_READ = 2,    /* ReadOnlyMany */
    BERTH__OFFERS_MANY = 4,    /* ReadWriteMany */
    BERTH__OFFERS_ONE_POD = 8, /* ReadWriteOncePod */
    BERTH__OFFERS_BLOCK = 16,  /* volumeMode Block; it must be equal */
    BERTH__OFFERS_CLASS = 32,  /* it names a volumeAttributesClass; that must be equal */
    BERTH__OFFERS_EQUAL = BERTH__OFFERS_BLOCK | BERTH__OFFERS_CLASS,
    /* Of an item: spec.storageClassName of the volume is the class of its shelves; or the amount is
     * the driver's whole capacity. */
    BERTH__ITEM_TELLS = 64,
};

/* ---- claims ---- */

/* volumeAttributesClassName: claim and volume must name the same class, or none. In versions
 * without support for it, an object that names a class can't be matched. */
typedef struct berth__attributes_class {
    berth__sym name; /* 0: none */
    bool unsupported;
} berth__attributes_class;

typedef struct berth__claim_facts {
    berth__stored_facts head;
    berth__sym uid;
    berth__sym owner_uid;  /* of the controller, or 0 */
    berth__sym class_name; /* 0: none; from the old annotation, or else the field */
    berth__sym specified_class;
    berth__sym volume_name;   /* 0: none */
    berth__sym selected_node; /* annotation volume.kubernetes.io/selected-node; 0: absent */
    const berth__sym *access_modes;
    uint32_t access_mode_count;
    bool block;   /* volumeMode */
    uint8_t asks; /* BERTH__OFFERS_ bits */
    /* Besides `asks`, it has a selector, a volumeAttributesClass or an unknown access mode. */
    bool asks_more;
    berth__attributes_class attributes;
    bool bind_completed;
    bool lost;
    bool deleting;
    bool has_selector;
    berth__selector selector;
    berth_str problem; /* why no volume can match it; absent: none */
    __int128 request;  /* nanos */
} berth__claim_facts;

struct berth__claim {
    berth__stored record;
    uint32_t id;
    berth__claim_facts *facts; /* NULL: the claim does not exist */
    berth__pv *volume;         /* the record of spec.volumeName, or NULL */
    berth__pv *first_pv;       /* volumes that name or are reserved for this claim, by arrival */
    berth__claim *next_of_pv;  /* of the same spec.volumeName */
    berth__sym assumed_node;   /* the reservation's node for provisioning; 0: not reserved */
};

/* ---- volumes ---- */

/* The four labels that VolumeZone reads, in its order. */
enum { BERTH__ZONE_BETA, BERTH__REGION_BETA, BERTH__ZONE, BERTH__REGION, BERTH__ZONE_LABELS };

typedef struct berth__zone_set {
    const berth__sym *values; /* NULL: the label is absent or malformed */
    uint32_t count;
} berth__zone_set;

typedef struct berth__pv_facts {
    berth__stored_facts head;
    berth__sym class_name; /* from the old annotation, or else the field */
    berth__sym specified_class;
    bool has_affinity;
    berth__interned_node_selector affinity; /* without matchFields */
    /* The affinity after translation to the CSI driver, for nodes where the in-tree plugin is
     * migrated. */
    bool has_migrated_affinity;
    berth__interned_node_selector migrated_affinity;
    berth__labels labels;
    berth__zone_set zones[BERTH__ZONE_LABELS];
    const berth__sym *access_modes;
    uint32_t access_mode_count;
    bool block;
    uint8_t offers; /* BERTH__OFFERS_ bits */
    berth__attributes_class attributes;
    bool deleting;
    bool available; /* according to its phase */
    bool has_claim_ref;
    bool is_csi;
    berth__sym claim_namespace, claim_name; /* of claimRef */
    berth__sym claim_uid;                   /* 0: none */
    berth__in_tree in_tree;
    berth_str untranslated; /* why its CSI driver has no such volume; absent: it has */
    berth__sym handle;      /* of a CSI source */
    berth__attachment attachment;
    __int128 capacity; /* nanos */
} berth__pv_facts;

struct berth__pv {
    berth__stored record;
    uint64_t arrival;
    berth__pv_facts *facts;
    berth__claim *named; /* the record of claimRef, or NULL */
    berth__claim *claim; /* of the reservation, or of claimRef; the volume is on its list */
    berth__pv *next_of_claim;
    berth__claim *reserved;    /* the claim that it is reserved for; NULL: not reserved */
    berth__claim *first_claim; /* claims whose spec.volumeName is this volume */
    berth__listed_attachment *first_attachment;
};

/* ---- classes, drivers, capacities ---- */

typedef enum berth__binding_mode {
    BERTH__BINDING_UNSET,
    BERTH__BINDING_IMMEDIATE, /* also for unknown values */
    BERTH__BINDING_WAIT,      /* WaitForFirstConsumer */
} berth__binding_mode;

typedef struct berth__storage_class_facts {
    berth__stored_facts head;
    berth__sym provisioner;
    bool provisions; /* the provisioner is neither empty nor kubernetes.io/no-provisioner */
    /* The driver of the class's future volumes; 0: not counted. `in_tree`: counted only on nodes
     * where that plugin is migrated. */
    berth__sym driver;
    berth__in_tree in_tree;
    berth__binding_mode mode;
    bool restricted; /* allowedTopologies is not empty */
    berth__interned_node_selector topologies;
} berth__storage_class_facts;

struct berth__storage_class_record {
    berth__stored record;
    berth__storage_class_facts *facts;
};

typedef struct berth__csi_driver_facts {
    berth__stored_facts head;
    bool storage_capacity;
    bool must_be_installed; /* preventPodSchedulingIfMissing */
} berth__csi_driver_facts;

typedef struct berth__csi_driver_record {
    berth__stored record;
    berth__csi_driver_facts *facts;
} berth__csi_driver_record;

/* Kept on the shelves of its class, by the largest volume that fits. */
typedef struct berth__capacity_facts {
    berth__stored_facts head;
    berth__sym class_name;
    bool usable;           /* it has a limit and a node topology */
    bool everywhere;       /* the topology is {} */
    berth__node_term term; /* the topology as one term of a node selector */
    berth__interned_node_selector chooses;
    __int128 limit;   /* units */
    int64_t capacity; /* of all volumes together, units */
} berth__capacity_facts;

typedef struct berth__capacity {
    berth__stored record;
    uint64_t arrival;
    berth__capacity_facts *facts;
} berth__capacity;

/* ---- nodes as drivers see them ---- */

typedef struct berth__driver_limit {
    berth__sym driver;
    int32_t count;
} berth__driver_limit;

typedef struct berth__csi_node_facts {
    berth__stored_facts head;
    const berth__driver_limit *limits; /* drivers with a limit; each once, sorted */
    uint32_t limit_count;
    const uint64_t *drivers; /* all drivers, sorted */
    uint32_t driver_count;
    /* Bit 1 << berth__in_tree of each plugin that the annotation lists, or that counts as
     * listed. */
    uint32_t migrated;
} berth__csi_node_facts;

/* The limit of a driver on a node, or NULL. */
const berth__driver_limit *berth__csi_limit(const berth__csi_node_facts *facts, berth__sym driver);

/* Whether a driver is installed on a node. */
bool berth__csi_installed(const berth__csi_node_facts *facts, berth__sym driver);

/* By the name of a node in a CSINode or a VolumeAttachment. */
struct berth__storage_node {
    berth__stored record;
    uint32_t id;
    berth__csi_node_facts *facts; /* NULL: no CSINode */
    berth__listed_attachment *first_attachment;
    uint32_t attachment_count;
};

typedef struct berth__attachment_facts {
    berth__stored_facts head;
    berth__sym attacher;
    berth__sym node_name;   /* 0: not given */
    berth__sym volume_name; /* 0: not given */
} berth__attachment_facts;

/* A VolumeAttachment. */
struct berth__listed_attachment {
    berth__stored record;
    berth__attachment_facts *facts;
    berth__storage_node *node; /* the records of the names, or NULL */
    berth__pv *volume;
    berth__listed_attachment *next_of_node, *next_of_pv;
};

/* ---- the store ---- */

/* A change that can alter what is attached to nodes: a claim's id, or a storage node's id with bit
 * 31 set. */
enum {
    BERTH__STORAGE_JOURNAL = BERTH__LIMIT(4096, 16),
    BERTH__STORAGE_SWEEP_MIN = 1024, /* number of records and disks before the first sweep */
};
#define BERTH__STORAGE_NODE_BIT (UINT32_C(1) << 31)

/* A change of devices, device classes or their claims, in a journal of its own: the record's id,
 * with its kind in the two highest bits. Reservations change claims, too. */
enum { BERTH__DEVICE_JOURNAL = BERTH__LIMIT(4096, 8) };
#define BERTH__DEVICE_CLAIM_BITS UINT32_C(0)
#define BERTH__DEVICE_SLICE_BITS (UINT32_C(1) << 30)
#define BERTH__DEVICE_CLASS_BITS (UINT32_C(2) << 30)
#define BERTH__DEVICE_RULE_BITS (UINT32_C(3) << 30)
#define BERTH__DEVICE_KIND_BITS (UINT32_C(3) << 30)

/* Records of a kind by number. */
typedef struct berth__numbered {
    berth__stored **items;
    uint32_t count, capacity;
} berth__numbered;

/* The volume chosen for a claim (NULL: none exists yet; it will be provisioned). */
typedef struct berth__volume_choice {
    berth__claim *claim;
    berth__pv *volume;
} berth__volume_choice;

typedef struct berth__storage {
    berth__model *model;
    /* Owner of the facts; NULL: another store owns them. On a branch that changed storage objects:
     * the branch's owner, which frees the facts that it made. */
    berth__cow_owner *cow;
    berth__arena arena;                     /* records */
    berth__stored *free[BERTH_KIND_COUNT];  /* freed records, by kind; they keep their ids */
    berth__keymap tables[BERTH_KIND_COUNT]; /* used only for the kinds kept here */
    berth__keymap disks;
    berth__keymap reservations;  /* by pod, for volumes and for devices */
    bool idle_items;             /* some may hold nothing: see berth__storage_drop_idle */
    berth__shelves free_volumes; /* by class: volumes that any claim may take; amounts in nanos */
    berth__shelves capacities;   /* by class: CSIStorageCapacities; amounts in units */
    berth__numbered claims, nodes, slices, device_classes, device_claims;
    uint64_t class_changes;      /* of device classes, so far */
    uint32_t *device_journal;    /* entry i is at device_journal[i % BERTH__DEVICE_JOURNAL] */
    uint64_t device_journal_end; /* entries ever written */
    uint64_t nodes_named;        /* how often a node's record got a name */
    berth__disk **disk_list;     /* by id; NULL: free */
    uint32_t disk_count, disk_capacity;
    uint32_t *free_disks; /* free ids; has room for all */
    uint32_t free_disk_count;
    uint32_t free_disk_capacity;
    uint32_t in_use;   /* records and disks */
    uint32_t sweep_at; /* number of records and disks at which a sweep is due */
    uint32_t *gone;    /* rows of freed records, to be cleared when rows are next written */
    uint32_t gone_count, gone_capacity;
    uint32_t *journal;    /* entry i is at journal[i % BERTH__STORAGE_JOURNAL] */
    uint64_t journal_end; /* entries ever written */
    uint64_t arrivals;
    uint64_t reservation_serial;
    berth__stored *changed; /* records that differ from their rows, in a list */
    berth__undo_log *undo;  /* NULL: changes are final */
} berth__storage;

/* Make an empty store. `cow` NULL: the store never adds or removes objects, but follows rows
 * (storage_rows.h). Errors: BERTH_E_NOMEM. */
berth_status berth__storage_create(berth__model *model, berth__cow_owner *cow,
                                   berth__storage **out);
void berth__storage_destroy(berth__storage *storage);

/* Whether the store keeps objects of this kind. */
bool berth__storage_keeps(berth_kind kind);

/* Add an object of a kind kept here, or replace the one of its name. Before add and remove, the
 * caller reserves room for 4 records in `undo`. Errors: BERTH_E_EXISTS, BERTH_E_NOT_FOUND
 * (replace), BERTH_E_NOMEM; then nothing has changed that the records in `undo` do not undo. */
berth_status berth__storage_add(berth__storage *storage, const berth_object *object, bool replace,
                                berth_error *error);

/* Errors: BERTH_E_NOT_FOUND, BERTH_E_NOMEM (only after a publication). */
berth_status berth__storage_remove(berth__storage *storage, berth_kind kind,
                                   berth_str namespace_name, berth_str name, berth_error *error);

/* Records by name, or NULL. A record may lack an object. */
berth__claim *berth__storage_claim(const berth__storage *storage, berth__sym namespace_name,
                                   berth__sym name);
berth__storage_class_record *berth__storage_class_find(const berth__storage *storage,
                                                       berth__sym name);
berth__csi_driver_record *berth__storage_driver(const berth__storage *storage, berth__sym name);
berth__storage_node *berth__storage_node_find(const berth__storage *storage, berth__sym name);

/* Records by id. */
static inline berth__claim *berth__storage_claim_at(const berth__storage *storage, uint32_t id)
{
    return (berth__claim *)storage->claims.items[id];
}
static inline berth__storage_node *berth__storage_node_at(const berth__storage *storage,
                                                          uint32_t id)
{
    return (berth__storage_node *)storage->nodes.items[id];
}

/* The record of a claim, made if it does not exist; NULL when out of memory. */
berth__claim *berth__storage_claim_make(berth__storage *storage, berth__sym namespace_name,
                                        berth__sym name);

/* The interned form of a pod's inline volume; NULL when out of memory. Use `find` only for volumes
 * that are interned already. */
berth__disk *berth__storage_disk_make(berth__storage *storage, const berth__pod_volume *volume);
berth__disk *berth__storage_disk_find(const berth__storage *storage,
                                      const berth__pod_volume *volume);

/* ---- freeing records (storage_sweep.c) ---- */

/* Whether enough records are new to make a search for unneeded ones worthwhile. */
static inline bool berth__storage_sweep_is_due(const berth__storage *storage)
{
    return BERTH_UNLIKELY(storage->in_use >= storage->sweep_at);
}

/* First report each record or disk that something outside of the store mentions. Then free the
 * other records and disks that nothing in the store mentions. No transaction may be open and no
 * decision in progress. Records stay if there is no memory to free them. */
static inline void berth__storage_keep(berth__stored *record)
{
    record->kept = true;
}
void berth__storage_sweep(berth__storage *storage);

/* ---- identity: what counts as one attachment (storage_identity.c) ---- */

/* Whether a volume of an in-tree plugin counts as its CSI driver's on a node (NULL: no driver knows
 * the node). Source: kube-scheduler v1.32, plugins/nodevolumelimits/utils.go. */
bool berth__storage_migrated(const berth__storage_node *node, berth__in_tree in_tree);

berth__attachments berth__storage_claim_attachments(const berth__storage *storage,
                                                    const berth__claim *claim,
                                                    const berth__storage_node *node);
berth__attachments berth__storage_disk_attachments(const berth__storage *storage,
                                                   const berth__disk *disk,
                                                   const berth__storage_node *node);

/* The name for an in-tree plugin where drivers are counted, in the engine's era. Sets `*ok` to
 * false when out of memory. */
berth__sym berth__storage_in_tree_driver(berth__storage *storage, berth__in_tree in_tree, bool *ok);

/* The attachment that a VolumeAttachment lists; 0: it is not counted. v1.15 counts none. */
berth__attachment berth__storage_listed_attachment(const berth__storage *storage,
                                                   const berth__listed_attachment *listed);

/* ---- reservations (storage_reserve.c) ---- */

/* Reserve what a placement chose. A volume or claim that is already bound or reserved accordingly
 * is only recorded in the pod's list. The caller has reserved room for 2 records in `undo`; for
 * unreserve and forget, for one. Errors: BERTH_E_NOMEM, nothing reserved. */
berth_status berth__storage_reserve(berth__storage *storage, uint32_t pod,
                                    const berth__volume_choice *choices, uint32_t count,
                                    berth__sym node_name);

/* Give back what the pod's placement reserved. Does nothing if it reserved nothing. */
void berth__storage_unreserve(berth__storage *storage, uint32_t pod);

/* The pod was removed. Everything that it reserved, devices included, stays reserved. The next pod
 * may get its index. */
void berth__storage_forget(berth__storage *storage, uint32_t pod);

/* The choice of a pod's placement for its i-th claim; false: there is none. */
bool berth__storage_choice(const berth__storage *storage, uint32_t pod, uint32_t i,
                           berth__volume_choice *out);

/* Make every follower of the journal read everything again, as if it had fallen too far behind. */
void berth__storage_note_all(berth__storage *storage);

/* Whether a volume's claimRef (or reservation) refers to the claim. */
bool berth__pv_is_for(const berth__pv *volume, const berth__claim *claim);

/* The node that a claim will be provisioned for; 0: undecided. */
static inline berth__sym berth__claim_node(const berth__claim *claim)
{
    return claim->assumed_node != 0 ? claim->assumed_node : claim->facts->selected_node;
}

/* ---- between the files of this module ---- */

/* Compile an object into facts of its kind; NULL when out of memory. */
berth__stored_facts *berth__storage_compile(berth__storage *storage, const berth_object *object);

/* A volume's node affinity, without the parts that kube-scheduler ignores. */
berth__interned_node_selector berth__storage_affinity(berth__storage *storage, berth__arena *arena,
                                                      const berth_node_selector *source, bool *ok);

/* Drop items in pods' lists that hold no reservation, because another pod had reserved the volume
 * or device, or because it was bound already. In a store that follows snapshots they are left over
 * from an earlier branch, and a later reservation might get their serials. Cost: linear in the pods
 * with reservations if there may be any, else constant. */
void berth__storage_drop_idle(berth__storage *storage);

/* Mark the records that pods' reservations mention as needed. */
void berth__storage_keep_reserved(berth__storage *storage);

/* Free a disk that is on no list. */
void berth__storage_free_disk(berth__storage *storage, berth__disk *disk);

/* Fill in identity and translation of a volume's facts, and of an interned disk. */
void berth__storage_identify_pv(berth__storage *storage, const berth_persistent_volume *source,
                                berth__pv_facts *facts, bool *ok);
void berth__storage_identify_disk(berth__storage *storage, berth__disk *disk, bool *ok);

/* Why a pod's inline volume can't be translated to a CSI driver, in the words of kube-scheduler;
 * absent: it can, or need not. Memory comes from `arena`. */
berth_str berth__storage_disk_problem(const berth__storage *storage,
                                      const berth__pod_volume *volume, berth__arena *arena,
                                      bool *ok);
void berth__storage_identify_class(berth__storage *storage, const berth_storage_class *source,
                                   berth__storage_class_facts *facts, bool *ok);

/* The plugins in an annotation's list, as bits. */
uint32_t berth__storage_migrated_plugins(berth_str list);

/* Whether any claim may take the volume, ignoring reservations. */
bool berth__pv_is_free(const berth__pv_facts *facts);

/* Link a volume into its claim's list; unlink it. */
void berth__pv_link(berth__pv *volume, berth__claim *claim);
void berth__pv_unlink(berth__pv *volume);

berth__shelf_item berth__pv_item(berth__pv *volume, const berth__pv_facts *facts);

/* End the reservation of the volume or the claim. */
void berth__storage_supersede_pv(berth__storage *storage, berth__pv *volume);
void berth__storage_supersede_claim(berth__storage *storage, berth__claim *claim);
void berth__storage_supersede_devices(berth__storage *storage, berth__device_claim *claim);

/* A record's reservation as a value: read it, and restore it after it was superseded, if there was
 * one. */
typedef struct berth__held {
    uint64_t serial; /* 0: not reserved */
    uint32_t holder;
    berth__claim *reserved;                        /* of a volume */
    berth__sym assumed_node;                       /* of a claim */
    const struct berth__device_allocation *chosen; /* of a claim of devices */
} berth__held;

berth__held berth__storage_held(const berth__stored *record);
void berth__storage_hold_again(berth__storage *storage, berth__stored *record,
                               const berth__held *held);

/* The record of any kind kept here, made if it does not exist; NULL when out of memory. */
berth__stored *berth__storage_named(berth__storage *storage, berth_kind kind,
                                    berth__sym namespace_name, berth__sym name);

/* The same for an object that is added: the record also gets a place in the order of arrival. */
berth__stored *berth__storage_make_record(berth__storage *storage, berth_kind kind,
                                          berth__sym namespace_name, berth__sym name);

/* The facts of a record's object, or NULL. The object's place in the order of arrival (0: none
 * yet), or NULL if its kind has no order. */
berth__stored_facts *berth__storage_facts(const berth__stored *record);
uint64_t *berth__storage_arrival(berth__stored *record);

/* Mark the record's row as outdated. */
static inline void berth__storage_touch(berth__storage *storage, berth__stored *record)
{
    if (record->changed)
        return;
    record->changed = true;
    record->next_changed = storage->changed;
    storage->changed = record;
}

/* Note the change of a device record in the journal of devices. */
void berth__storage_note_device(berth__storage *storage, berth__stored *record);

/* The number of a record, or NULL if its kind has no numbers. */
uint32_t *berth__storage_number(berth__stored *record);

/* The size of a kind's records; 0: the kind is not kept. */
size_t berth__storage_record_bytes(berth_kind kind);

/* Free facts that no version shows. Accepts NULL. */
void berth__stored_facts_free(berth__stored_facts *facts);

/* Replace the record's facts (NULL: by none). The former facts are released, or kept while this may
 * be undone. Returns false, with nothing changed, when out of memory. */
bool berth__storage_replace_facts(berth__storage *storage, berth__stored *record,
                                  berth__stored_facts *facts);

/* Replace the record's facts by another store's (NULL: by none). Returns false, with nothing
 * changed, when out of memory; removing facts does not fail. */
bool berth__storage_borrow(berth__storage *storage, berth__stored *record,
                           berth__stored_facts *facts);

/* Take over a reservation that another store made; end one of any origin. Returns false, with
 * nothing changed, when out of memory. */
bool berth__storage_adopt(berth__storage *storage, berth__stored *record, const berth__held *held);
void berth__storage_disown(berth__storage *storage, berth__stored *record);

#endif
