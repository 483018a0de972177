/* What the parts of the reader share: reader.c takes text apart into objects, item.c sees each of
 * them through, defaulting.c does what an API server would have done to it, workload.c makes pods
 * of its template, and deferred.c keeps what cannot be decided before all input is read. */
#ifndef BERTH_KUBE_READER_STATE_H
#define BERTH_KUBE_READER_STATE_H

#include "base/arena.h"
#include "base/keymap.h"
#include "base/names.h"
#include "berth/kube.h"
#include "kube/decode_tables.h"
#include "kube/ready_piece.h"
#include "kube/shapes.h"
#include "text/heading.h"
#include "text/json.h"

typedef struct berth__replica berth__replica; /* see replica.c */

/* One PriorityClass. */
typedef struct berth__priority_class {
    berth_str name;
    int32_t value;
    berth_str preemption_policy; /* absent: PreemptLowerPriority */
    bool global_default;
} berth__priority_class;

/* One RuntimeClass: a pod of its name with what it adds to one. */
typedef struct berth__runtime_class {
    berth_str name;
    const berth_pod *adds; /* meta.name, overhead, node_selector, tolerations */
} berth__runtime_class;

/* One ResourceClaimTemplate, by "NAMESPACE/NAME"; it lies in the arena of what is kept. */
typedef struct berth__claim_template {
    berth__keymap_entry entry;
    const berth_resource_claim *claim; /* what it makes; of its metadata labels and annotations */
} berth__claim_template;

/* What is put off until berth_reader_finish. */
typedef enum berth__deferred_what {
    BERTH__DEFERRED_OBJECT,     /* needs a class or template that has not been read yet */
    BERTH__DEFERRED_CLAIMS,     /* the claims of a StatefulSet, unless the input has them */
    BERTH__DEFERRED_DAEMON_SET, /* its pods need the nodes */
    BERTH__DEFERRED_REPLACED,   /* a later object of the same kind and name counts instead */
} berth__deferred_what;

/* One object of the input on its way through the reader. */
typedef struct berth__item {
    const berth__json *tree;
    void *object; /* decoded from it ahead, or NULL; the reader's to change */
    berth_kind object_kind;
    berth_str kind;
    berth_str api_version;
    berth_str made_name; /* out of metadata.generateName, where that takes the name's place */
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
    const uint32_t *sizes; /* of objects, as the caller knows them */
    size_t batch_bytes;    /* of text that a helper hands over at once (ahead.h) */
    berth__json_parser *json;
    berth__arena tree;   /* the tree at hand */
    berth__arena object; /* what is decoded from it */
    berth__arena pod;    /* what a workload's pods do not share */
    berth__arena kept;   /* everything below, until the reader is destroyed */
    berth__priority_class *classes;
    uint32_t class_count;
    uint32_t class_capacity;
    berth__names class_names;
    uint32_t global_class; /* number + 1 of the one for pods that name none; 0: there is none */
    berth__runtime_class *runtime_classes;
    uint32_t runtime_class_count;
    uint32_t runtime_class_capacity;
    berth__keymap templates;      /* of claims */
    berth__keymap seen_workloads; /* see workload_change.h */
    berth__keymap changes;        /* likewise: workloads of manifests */
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
    const berth__known_kind *last_known; /* of the last item that notes were made of */
    uint32_t names_made;                 /* from metadata.generateName */
    berth__patterns *patterns;           /* NULL: none are looked for */
    berth__replica *replicas;            /* by the patterns' places */
    uint32_t replica_count;
    uint32_t replica_capacity;
    uint64_t classes_learnt;       /* and templates, repeated ones too */
    berth__pattern_id registering; /* of the pod that is handed out next; serial 0: none */
    bool finishing;                /* nothing more will come: what is unknown stays so */
    /* of the call at hand */
    const berth__item *item; /* that is being worked on */
    berth_object_fn each;
    void *context;
    berth_error *error;
    berth_error origin;
    berth_error refusal;  /* for the caller's function to fill */
    berth_engine *engine; /* NULL but in berth_reader_finish */
    bool refused;         /* the caller's function failed: the error is its own */
};

/* ---- reader.c ---- */

/* ---- item.c ---- */

/* Name the input in an error, or the object. */
void berth__error_item(berth_error *error, const berth_reader *reader, const berth__item *item);

/* The namespace of an object that says `given`. */
berth_str berth__reader_namespace(const berth_reader *reader, berth_str given);
void berth__error_source(berth_error *error, const char *source);

/* Decode and hand out one object of the input, or make its pods, or defer it. */
berth_status berth__reader_item(berth_reader *reader, berth__item *item);

/* The item's name, made if need be; E_INVALID if there is none. */
berth_status berth__reader_name(berth_reader *reader, const berth__item *item,
                                berth_metadata *meta);

/* Hand one finished object, which comes from `item`, to the caller. */
berth_status berth__reader_emit(berth_reader *reader, const berth__item *item, berth_kind kind,
                                const void *object);

/* Complete the error of an item that cannot be used with where it is. Returns `status`. */
berth_status berth__reader_fault(berth_reader *reader, const berth__item *item,
                                 berth_status status);

/* An error about one field of an item (printf style for the message). Returns E_INVALID. */
berth_status berth__reader_invalid(berth_reader *reader, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

berth_status berth__reader_no_memory(berth_reader *reader);

/* ---- defaulting.c ---- */

/* Whether an object was never given to an API server and is to be treated as if it were now. */
bool berth__is_fresh(const berth_reader *reader, const berth_metadata *meta);

/* Remember what later objects refer to. */
berth_status berth__register_priority_class(berth_reader *reader, const berth__item *item);
berth_status berth__register_storage_class(berth_reader *reader, const berth_storage_class *object);

/* Whether the class that a pod specification names may still come. */
bool berth__priority_class_is_awaited(const berth_reader *reader, const berth__json *spec);

/* Whether a claim names its class; one that does not gets the default class. */
bool berth__claim_has_class(const berth_persistent_volume_claim *object);

/* Fill in the pod's own requests where its limits or its containers imply them. Returns false when
 * out of memory. */
bool berth__default_pod_requests(berth__arena *arena, berth_pod *pod);

/* Defaults of a pod whose specification is `spec`, standing at `path`. New parts go to `arena`. */
berth_status berth__default_pod(berth_reader *reader, const berth__field_path *path,
                                const berth__json *spec, berth__arena *arena, berth_pod *pod);

/* Defaults of any other kind. */
berth_status berth__default_object(berth_reader *reader, berth_kind kind, void *object);

/* ---- runtime_class.c ---- */

berth_status berth__register_runtime_class(berth_reader *reader, const berth__item *item);

/* Whether the RuntimeClass that a pod specification names may still come. */
bool berth__runtime_class_is_awaited(const berth_reader *reader, const berth__json *spec);

/* Add to a pod what its RuntimeClass says. New parts go to `arena`. */
berth_status berth__apply_runtime_class(berth_reader *reader, const berth__field_path *path,
                                        const berth__json *spec, berth__arena *arena,
                                        berth_pod *pod);

/* ---- notes.c ---- */

/* Tell what is odd about an item that has just been met. */
void berth__note_item(berth_reader *reader, const berth__item *item);

/* Tell one thing of an item; nothing if nobody asks. */
void berth__note(berth_reader *reader, const berth__item *item, berth_note_kind what,
                 berth_str word, berth_str suggestion);

/* Tell of a workload: what one of a manifest comes to, or that one's pods are elsewhere. */
void berth__note_workload(berth_reader *reader, const berth__item *item, berth_note_kind what,
                          const berth_workload_note *workload);

/* Tell that an item is passed over. */
void berth__note_passed_over(berth_reader *reader, const berth__item *item);

/* ---- workload.c ---- */

/* Whether the item is a workload. */
bool berth__is_workload(const berth__item *item);

/* Make the pods of a workload that never met an API server. `*taken` is false if the item is
 * none. */
berth_status berth__workload_expand(berth_reader *reader, const berth__item *item, bool *taken);

/* The specification of the pods that an item stands for: its own, or its template's; NULL if
 * none. */
const berth__json *berth__workload_pod_spec(const berth__item *item);

/* The second half of a StatefulSet and of a DaemonSet. */
berth_status berth__workload_claims(berth_reader *reader, const berth__item *item);
berth_status berth__workload_daemons(berth_reader *reader, const berth__item *item);

/* ---- replica.c ---- */

/* Keep a finished pod, about to be handed out, as the one that the replicas of its pattern are
 * like. When out of memory, or for any other object, nothing is kept. */
void berth__replica_keep(berth_reader *reader, const berth_object *object);

/* The finished pod of a replica, its words filled in, good until the next; NULL: the text must be
 * read. */
berth_pod *berth__replica_of(const berth_reader *reader, const berth__ready_piece *ready);

void berth__replicas_free(berth_reader *reader);

/* ---- deferred.c ---- */

berth_status berth__defer(berth_reader *reader, berth__deferred_what what, const berth__item *item);

/* Work off all that is deferred. */
berth_status berth__deferred_finish(berth_reader *reader);

/* Note that the input has a claim; ask whether it has (once finishing). */
berth_status berth__claim_note(berth_reader *reader, const berth_metadata *meta);
bool berth__claim_is_known(const berth_reader *reader, berth_str namespace_name, berth_str name);

#endif
