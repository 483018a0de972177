/* State shared by the parts of the reader: reader.c splits text into objects, item.c leads each
 * through the steps, defaulting.c adds what an API server would add, workload.c makes pods from its
 * template, and deferred.c keeps what can't be decided before all input is read. */
#ifndef BERTH_KUBE_READER_STATE_H
#define BERTH_KUBE_READER_STATE_H

#include "base/arena.h"
#include "base/keymap.h"
#include "base/names.h"
#include "berth/kube.h"
#include "kube/admission_fields.h"
#include "kube/decode.h"
#include "kube/kind_info.h"
#include "kube/ready_piece.h"
#include "text/heading.h"
#include "text/json.h"

typedef struct berth__replica berth__replica; /* see replica.c */

/* One RuntimeClass: a pod with the class's name that holds what the class adds to pods. */
typedef struct berth__runtime_class {
    berth_str name;
    const berth_pod *adds; /* meta.name, overhead, node_selector, tolerations */
} berth__runtime_class;

/* One ResourceClaimTemplate, by "NAMESPACE/NAME"; allocated in `kept`. */
typedef struct berth__claim_template {
    berth__keymap_entry entry;
    const berth_resource_claim *claim; /* to make; metadata: only labels and annotations */
} berth__claim_template;

/* Work that is deferred until berth_reader_finish. */
typedef enum berth__deferred_what {
    BERTH__DEFERRED_OBJECT,     /* needs a class or template that has not been read yet */
    BERTH__DEFERRED_CLAIMS,     /* the claims of a StatefulSet, unless the input has them */
    BERTH__DEFERRED_DAEMON_SET, /* its pods need the nodes */
    BERTH__DEFERRED_REPLICAS,   /* pods of a workload with too many replicas (many_replicas) */
    BERTH__DEFERRED_REPLACED,   /* a later object of the same kind and name counts instead */
} berth__deferred_what;

/* One object of the input on its way through the reader. */
typedef struct berth__item {
    const berth__json *tree;
    void *object; /* decoded ahead, or NULL; the reader may change it */
    berth_kind object_kind;
    berth_str kind;
    berth_str api_version;
    berth_str made_name; /* made from metadata.generateName, if there is no name */
    const char *source;
    uint32_t line;
    uint64_t offset;
} berth__item;

typedef struct berth__deferred {
    berth__deferred_what what;
    berth__item item;
} berth__deferred;

struct berth_reader {
    const berth_allocator *allocator;
    berth_read_options options;
    const uint32_t *sizes; /* of the caller's objects */
    size_t batch_bytes;    /* the size of text that a helper hands over at once (ahead.h) */
    berth__json_parser *json;
    berth__arena tree;   /* the present tree */
    berth__arena object; /* the object decoded from it */
    berth__arena pod;    /* parts that a workload's pods do not share */
    berth__arena kept;   /* everything below, until the reader is destroyed */
    berth__priority_class *classes;
    uint32_t class_count;
    uint32_t class_capacity;
    berth__names class_names;
    uint32_t global_class; /* number + 1 of the class for pods that name none; 0: there is none */
    berth__runtime_class *runtime_classes;
    uint32_t runtime_class_count;
    uint32_t runtime_class_capacity;
    berth__keymap templates;      /* of claims */
    berth__keymap seen_workloads; /* see workload_change.h */
    berth__keymap changes;        /* the same: workloads of manifests */
    const char *changing;         /* source of the last workload that waits as a change, or NULL */
    berth__names runtime_class_names;
    berth_str default_storage_class; /* absent: none seen */
    int64_t default_storage_class_time;
    berth__deferred *deferred;
    uint32_t deferred_count;
    uint32_t deferred_capacity;
    uint64_t *claims_seen; /* hashes of namespace and name */
    uint32_t claim_count;
    uint32_t claim_capacity;
    const berth__kind_info *last_known; /* of the last item that was checked for notes */
    uint32_t names_made;                /* from metadata.generateName */
    berth__patterns *patterns;          /* NULL: patterns are not used */
    berth__replica *replicas;           /* by the places of patterns */
    uint32_t replica_count;
    uint32_t replica_capacity;
    uint64_t classes_learnt;       /* including templates, and repeated ones */
    berth__pattern_id registering; /* of the next pod to hand out; serial 0: none */
    bool finishing;                /* the input is complete: what is unknown now stays unknown */
    /* of the present call */
    const berth__item *item; /* the present item */
    berth_object_fn each;
    void *context;
    berth_error *error;
    berth_error origin;
    berth_error refusal;  /* for the caller's function to fill */
    berth_engine *engine; /* NULL except in berth_reader_finish */
    bool refused;         /* the caller's function failed: the error is its own */
};

/* ---- reader.c ---- */

/* ---- item.c ---- */

/* Put the input's name, or the object's, into an error. */
void berth__error_item(berth_error *error, const berth_reader *reader, const berth__item *item);

/* The namespace of an object whose metadata says `given`. */
berth_str berth__reader_namespace(const berth_reader *reader, berth_str given);
void berth__error_source(berth_error *error, const char *source);

/* Decode and hand out one object of the input, or make its pods, or defer it. */
berth_status berth__reader_item(berth_reader *reader, berth__item *item);

/* The item's name, made if it has to be; BERTH_E_INVALID if there is none. */
berth_status berth__reader_name(berth_reader *reader, const berth__item *item,
                                berth_metadata *meta);

/* Hand one finished object, made from `item`, to the caller. */
berth_status berth__reader_emit(berth_reader *reader, const berth__item *item, berth_kind kind,
                                const void *object);

/* Complete the error of an unusable item with its position. Returns `status`. */
berth_status berth__reader_fault(berth_reader *reader, const berth__item *item,
                                 berth_status status);

/* An error about one field of an item (printf style for the message). Returns BERTH_E_INVALID. */
berth_status berth__reader_invalid(berth_reader *reader, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

berth_status berth__reader_no_memory(berth_reader *reader);

/* ---- defaulting.c ---- */

/* Whether no API server has seen the object yet, so that it gets the defaults now. */
bool berth__is_fresh(const berth_reader *reader, const berth_metadata *meta);

/* Remember objects that later objects refer to. */
berth_status berth__register_priority_class(berth_reader *reader, const berth__item *item);
berth_status berth__register_storage_class(berth_reader *reader, const berth_storage_class *object);

/* Whether the class that a pod specification names may still come. */
bool berth__priority_class_is_awaited(const berth_reader *reader, const berth__json *spec);

/* Whether a claim names its class; otherwise it gets the default class. */
bool berth__claim_has_class(const berth_persistent_volume_claim *object);

/* Fill in the pod's own requests where its limits or its containers imply them. Returns false when
 * out of memory. */
bool berth__default_pod_requests(berth__arena *arena, berth_pod *pod);

/* Apply defaults to a pod whose specification is `spec`, at `path`. New parts are allocated in
 * `arena`. */
berth_status berth__default_pod(berth_reader *reader, const berth__field_path *path,
                                const berth__json *spec, berth__arena *arena, berth_pod *pod);

/* Apply defaults to an object of any other kind. */
berth_status berth__default_object(berth_reader *reader, berth_kind kind, void *object);

/* ---- runtime_class.c ---- */

berth_status berth__register_runtime_class(berth_reader *reader, const berth__item *item);

/* Whether the RuntimeClass that a pod specification names may still come. */
bool berth__runtime_class_is_awaited(const berth_reader *reader, const berth__json *spec);

/* Add to a pod what its RuntimeClass adds. New parts are allocated in `arena`. */
berth_status berth__apply_runtime_class(berth_reader *reader, const berth__field_path *path,
                                        const berth__json *spec, berth__arena *arena,
                                        berth_pod *pod);

/* ---- notes.c ---- */

/* Report what is unusual about a new item. */
void berth__note_item(berth_reader *reader, const berth__item *item);

/* Report one note about an item, if the caller wants notes. */
void berth__note(berth_reader *reader, const berth__item *item, berth_note_kind what,
                 berth_str word, berth_str suggestion);

/* Report a note about a workload: what a manifest's workload changes, or that the pods of a known
 * one are listed elsewhere. */
void berth__note_workload(berth_reader *reader, const berth__item *item, berth_note_kind what,
                          const berth_workload_note *workload);

/* Report that an item is ignored. */
void berth__note_passed_over(berth_reader *reader, const berth__item *item);

/* ---- workload.c ---- */

/* Whether the item is a workload. */
bool berth__is_workload(const berth__item *item);

/* Make the pods of a workload that no API server has seen. `*taken` is false if the item is not
 * such a workload. */
berth_status berth__workload_expand(berth_reader *reader, const berth__item *item, bool *taken);

/* The specification of the item's pods: its own, or its template's; NULL if none. */
const berth__json *berth__workload_pod_spec(const berth__item *item);

/* The deferred part of a StatefulSet, of a workload with too many replicas, and of a DaemonSet. */
berth_status berth__workload_claims(berth_reader *reader, const berth__item *item);
berth_status berth__workload_replicas(berth_reader *reader, const berth__item *item);
berth_status berth__workload_daemons(berth_reader *reader, const berth__item *item);

/* ---- replica.c ---- */

/* Keep a finished pod, before it is handed out, as the model for the replicas of its pattern. Keeps
 * nothing when out of memory, or for any other object. */
void berth__replica_keep(berth_reader *reader, const berth_object *object);

/* The finished pod of a replica, with its words filled in, valid until the next call; NULL: the
 * text must be parsed. */
berth_pod *berth__replica_of(const berth_reader *reader, const berth__ready_piece *ready);

void berth__replicas_free(berth_reader *reader);

/* ---- deferred.c ---- */

berth_status berth__defer(berth_reader *reader, berth__deferred_what what, const berth__item *item);

/* Work off everything that is deferred. */
berth_status berth__deferred_finish(berth_reader *reader);

/* Note that the input has a claim; look a claim up (only while finishing). */
berth_status berth__claim_note(berth_reader *reader, const berth_metadata *meta);
bool berth__claim_is_known(const berth_reader *reader, berth_str namespace_name, berth_str name);

#endif
