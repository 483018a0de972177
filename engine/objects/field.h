/* Describes the fields of Kubernetes objects: the name of each in JSON, its place in the C struct,
 * and what it is made of. A table lists the fields of one JSON object. Everything that goes through
 * objects field by field follows these tables, so that a field is written down only once: deep
 * copies (object_copy.c), reading (kube/decode.c), writing (kube/encode.c) and notes about fields
 * that Kubernetes does not know (kube/notes.c).
 *
 * Order: a table begins with the fields that Berth reads, which are written in this order. Fields
 * that only Kubernetes knows follow.
 *
 * Source: k8s.io/api v0.36; v0.37 for PodGroups, DeviceTaintRules and fields that came with it. */
#ifndef BERTH_OBJECTS_FIELD_H
#define BERTH_OBJECTS_FIELD_H

#include <stddef.h>

#include "berth/objects.h"

typedef enum berth__field_type {
    BERTH__FIELD_END = 0,
    BERTH__FIELD_UNREAD,    /* a field that Kubernetes knows and Berth does not read */
    BERTH__FIELD_NOTHING,   /* no member of the struct: only the form reads and writes it */
    BERTH__FIELD_STR,       /* berth_str */
    BERTH__FIELD_BOOL,      /* bool */
    BERTH__FIELD_INT32,     /* int32_t */
    BERTH__FIELD_INT64,     /* int64_t */
    BERTH__FIELD_TIME,      /* int64_t, RFC 3339 to nanoseconds */
    BERTH__FIELD_PRESENT,   /* bool: the field is present and not null */
    BERTH__FIELD_COUNT,     /* berth_count_or_percent */
    BERTH__FIELD_QUANTITY,  /* berth_quantity, not negative */
    BERTH__FIELD_RESOURCES, /* berth_resources, not negative */
    BERTH__FIELD_MAP,       /* berth_map */
    BERTH__FIELD_KEYS,      /* berth_strs: an object's keys */
    BERTH__FIELD_STRS,      /* berth_strs */
    BERTH__FIELD_STRUCT,    /* an object, whose fields are in the struct at the offset */
    BERTH__FIELD_POINTER,   /* an object, in a struct of its own; NULL if the field is absent */
    BERTH__FIELD_LIST,      /* a list of objects: pointer and count; non-NULL even if empty */
    BERTH__FIELD_TABLE,     /* an object of objects: a list of items that begin with their keys */
} berth__field_type;

/* How a field is written in JSON, where its type alone does not say it. kube/forms.h has a reader
 * and a writer for each. */
typedef enum berth__field_form {
    BERTH__FORM_PLAIN = 0,
    BERTH__FORM_UNWRITTEN,      /* not in this JSON object; listed for copies */
    BERTH__FORM_RESTART_POLICY, /* BOOL: "Always" */
    BERTH__FORM_RESTART_RULES,  /* BOOL: a rule has the action RestartAllContainers */
    BERTH__FORM_HOST_USERS,     /* BOOL: the field is false */
    BERTH__FORM_EMPTY_OBJECT,   /* BOOL: present, without fields that matter */
    BERTH__FORM_NAMES,          /* STRS: a list of objects with a `name` */
    BERTH__FORM_TOPOLOGY_KEYS,  /* STRS: a list of objects with a `key` */
    BERTH__FORM_JSON,           /* STR: any JSON, as text */
    BERTH__FORM_QUANTITIES,     /* LIST of berth_quantity */
    BERTH__FORM_MAP_SELECTOR,   /* POINTER to a berth_label_selector: a plain map of labels */
    BERTH__FORM_POD_VOLUME,     /* STRUCT, a berth_volume_source: one of a pod volume's fields */
    BERTH__FORM_VOLUME,         /* the same: one of the fields of a PersistentVolume's spec */
    BERTH__FORM_OPERATOR_IN,    /* STR: always "In", and not written */
    BERTH__FORM_ALLOWED,        /* INT32: written unless the budget has no status */
    BERTH__FORM_STATUS_ABSENT,  /* a budget without status.disruptionsAllowed */
    BERTH__FORM_NO_REPLICAS,    /* written as 0: the pods are written themselves */
    BERTH__FORM_BASIC_POLICY,   /* of a pod group that is no gang */
    BERTH__FORM_BASIC_COMPOSITE_POLICY, /* the same, of a composite one */
    BERTH__FORM_FLAT_REQUEST,           /* v1beta1: the fields of `exactly` in the request itself */
    BERTH__FORM_BASIC_DEVICE,           /* v1beta1: the fields of the device below `basic` */
    BERTH__FORM_DEVICE_ATTRIBUTE,       /* one of the fields `int`, `bool`, `string`, ... */
    BERTH__FORM_COUNT
} berth__field_form;

/* Traits of a field, or of the end of a table. */
enum {
    BERTH__FIELD_TELLS_EMPTY = 1, /* LIST: an empty list differs from an absent one */
    BERTH__FIELD_REPEATED = 2,    /* another field has the same place */
    BERTH__FIELD_OPEN = 4,        /* END: Kubernetes knows more fields than the table lists */
};

typedef struct berth__field berth__field;

struct berth__field {
    const char *key;            /* NULL: the form reads the JSON object itself */
    const berth__field *fields; /* STRUCT, POINTER, LIST, TABLE, UNREAD: of the parts; or NULL */
    uint8_t key_len;
    uint8_t type;
    uint8_t form;
    uint8_t traits;
    uint16_t offset;
    uint16_t count_offset;     /* LIST, TABLE */
    uint16_t size;             /* POINTER, LIST, TABLE: of the struct */
    uint16_t has_offset_and_1; /* of a bool that says whether the field is present; 0: none */
};

/* The C types of the field types, which the compiler compares with the member's. */
typedef berth_str berth__c_STR;
typedef bool berth__c_BOOL;
typedef int32_t berth__c_INT32;
typedef int64_t berth__c_INT64;
typedef int64_t berth__c_TIME;
typedef bool berth__c_PRESENT;
typedef berth_count_or_percent berth__c_COUNT;
typedef berth_quantity berth__c_QUANTITY;
typedef berth_resources berth__c_RESOURCES;
typedef berth_map berth__c_MAP;
typedef berth_strs berth__c_KEYS;
typedef berth_strs berth__c_STRS;

/* The offset of a member, which must have that C type. */
#define BERTH__OFFSET_OF(c_type, type_, member) \
    (offsetof(type_, member) + 0 * sizeof((c_type *)NULL == &((type_ *)NULL)->member))
#define BERTH__KEY(k) .key = (k), .key_len = sizeof(k) - 1
#define BERTH__HAS(type_, flag) .has_offset_and_1 = BERTH__OFFSET_OF(bool, type_, flag) + 1

/* A member of a C type. */
#define BERTH__FIELD(k, kind, type_, member)                                       \
    {                                                                              \
        BERTH__KEY(k), .type = BERTH__FIELD_##kind,                                \
                       .offset = BERTH__OFFSET_OF(berth__c_##kind, type_, member), \
    }
/* The same, with a bool that says whether the field is present. */
#define BERTH__FIELD_HAS(k, kind, type_, member, flag)                             \
    {                                                                              \
        BERTH__KEY(k), .type = BERTH__FIELD_##kind, BERTH__HAS(type_, flag),       \
                       .offset = BERTH__OFFSET_OF(berth__c_##kind, type_, member), \
    }
/* The same as FIELD, in a form of its own. */
#define BERTH__FIELD_AS(k, form_, kind, type_, member)                             \
    {                                                                              \
        BERTH__KEY(k), .type = BERTH__FIELD_##kind, .form = BERTH__FORM_##form_,   \
                       .offset = BERTH__OFFSET_OF(berth__c_##kind, type_, member), \
    }
/* The same as FIELD for a second name of a member. */
#define BERTH__FIELD_AGAIN(k, kind, type_, member)                                   \
    {                                                                                \
        BERTH__KEY(k), .type = BERTH__FIELD_##kind, .traits = BERTH__FIELD_REPEATED, \
                       .offset = BERTH__OFFSET_OF(berth__c_##kind, type_, member),   \
    }
/* Texts in a form of their own; `table` names the parts of each in JSON. */
#define BERTH__FIELD_STRS_AS(k, form_, type_, member, table)                                      \
    {                                                                                             \
        BERTH__KEY(k), .type = BERTH__FIELD_STRS, .form = BERTH__FORM_##form_, .fields = (table), \
                       .offset = BERTH__OFFSET_OF(berth_strs, type_, member),                     \
    }
/* The fields of a nested object, in the same struct. */
#define BERTH__FIELD_SAME(k, table)                                   \
    {                                                                 \
        BERTH__KEY(k), .type = BERTH__FIELD_STRUCT, .fields = (table) \
    }
#define BERTH__FIELD_SAME_HAS(k, type_, flag, table)                                           \
    {                                                                                          \
        BERTH__KEY(k), .type = BERTH__FIELD_STRUCT, .fields = (table), BERTH__HAS(type_, flag) \
    }
/* The fields of a nested object, in a struct that is a member. */
#define BERTH__FIELD_IN(k, type_, member, table)                       \
    {                                                                  \
        BERTH__KEY(k), .type = BERTH__FIELD_STRUCT, .fields = (table), \
                       .offset = offsetof(type_, member)               \
    }
#define BERTH__FIELD_IN_HAS(k, type_, member, flag, table)                                      \
    {                                                                                           \
        BERTH__KEY(k), .type = BERTH__FIELD_STRUCT, .fields = (table), BERTH__HAS(type_, flag), \
                       .offset = offsetof(type_, member)                                        \
    }
/* The fields of a nested object, in a struct that a member points to. */
#define BERTH__FIELD_TO(k, type_, member, table, pointee)                                        \
    {                                                                                            \
        BERTH__KEY(k), .type = BERTH__FIELD_POINTER, .fields = (table), .size = sizeof(pointee), \
                       .offset = BERTH__OFFSET_OF(const pointee *, type_, member),               \
    }
#define BERTH__FIELD_TO_AS(k, form_, type_, member, table, pointee)                \
    {                                                                              \
        BERTH__KEY(k), .type = BERTH__FIELD_POINTER, .form = BERTH__FORM_##form_,  \
                       .fields = (table), .size = sizeof(pointee),                 \
                       .offset = BERTH__OFFSET_OF(const pointee *, type_, member), \
    }
#define BERTH__LIST_OF(type_, member, count, table, element)               \
    .type = BERTH__FIELD_LIST, .fields = (table), .size = sizeof(element), \
    .offset = BERTH__OFFSET_OF(const element *, type_, member),            \
    .count_offset = BERTH__OFFSET_OF(uint32_t, type_, count)
#define BERTH__FIELD_MANY(k, type_, member, count, table, element)          \
    {                                                                       \
        BERTH__KEY(k), BERTH__LIST_OF(type_, member, count, table, element) \
    }
/* The same, of values instead of structs. */
#define BERTH__FIELD_MANY_AS(k, form_, type_, member, count, element)       \
    {                                                                       \
        BERTH__KEY(k), BERTH__LIST_OF(type_, member, count, NULL, element), \
            .form = BERTH__FORM_##form_                                     \
    }
/* The same as MANY, but an empty list differs from an absent one. */
#define BERTH__FIELD_MANY_OR_NONE(k, type_, member, count, table, element)   \
    {                                                                        \
        BERTH__KEY(k), BERTH__LIST_OF(type_, member, count, table, element), \
            .traits = BERTH__FIELD_TELLS_EMPTY                               \
    }
/* An object whose members are objects; the key of each is the first member of its struct. */
#define BERTH__FIELD_KEYED(k, type_, member, count, table, element)                            \
    {                                                                                          \
        BERTH__KEY(k), .type = BERTH__FIELD_TABLE, .fields = (table), .size = sizeof(element), \
                       .offset = BERTH__OFFSET_OF(const element *, type_, member),             \
                       .count_offset = BERTH__OFFSET_OF(uint32_t, type_, count)                \
    }
/* A member that a form reads from the JSON object itself, or none: its type says what to copy. */
#define BERTH__FIELD_SELF(form_, kind, type_, member)               \
    {                                                               \
        .type = BERTH__FIELD_##kind, .form = BERTH__FORM_##form_,   \
        .offset = BERTH__OFFSET_OF(berth__c_##kind, type_, member), \
    }
#define BERTH__FIELD_SELF_IN(form_, type_, member, table)                            \
    {                                                                                \
        .type = BERTH__FIELD_STRUCT, .form = BERTH__FORM_##form_, .fields = (table), \
        .offset = offsetof(type_, member)                                            \
    }
#define BERTH__FIELD_SELF_ONLY(form_)                             \
    {                                                             \
        .type = BERTH__FIELD_NOTHING, .form = BERTH__FORM_##form_ \
    }
/* A named field without a member of its own. */
#define BERTH__FIELD_ONLY(k, form_)                                              \
    {                                                                            \
        BERTH__KEY(k), .type = BERTH__FIELD_NOTHING, .form = BERTH__FORM_##form_ \
    }
/* A field that Kubernetes knows and Berth does not read, and one with parts. */
#define BERTH__FIELD_KNOWN(k)                      \
    {                                              \
        BERTH__KEY(k), .type = BERTH__FIELD_UNREAD \
    }
#define BERTH__FIELD_KNOWN_PARTS(k, table)                            \
    {                                                                 \
        BERTH__KEY(k), .type = BERTH__FIELD_UNREAD, .fields = (table) \
    }
/* The end of a table that lists every field that Kubernetes knows, of a table of a whole object,
 * and of a table that lists only what Berth reads. */
#define BERTH__FIELD_LAST        \
    {                            \
        .type = BERTH__FIELD_END \
    }
#define BERTH__FIELD_LAST_OF_OBJECT \
    BERTH__FIELD_KNOWN("apiVersion"), BERTH__FIELD_KNOWN("kind"), BERTH__FIELD_LAST
#define BERTH__FIELD_AND_OTHERS                               \
    {                                                         \
        .type = BERTH__FIELD_END, .traits = BERTH__FIELD_OPEN \
    }

#endif
