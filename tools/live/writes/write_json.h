/* The data of writes: JSON texts, times, the server's Status, and the pod that a write is about. */
#ifndef BERTH_LIVE_WRITE_JSON_H
#define BERTH_LIVE_WRITE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "berth/status.h"

/* Makes a text of a C string; NULL: an absent text. */
berth_str write_str(const char *text);

/* A JSON string; bytes that are not UTF-8 become question marks. A new reference. */
json_t *write_json_str(berth_str text);

/* The compact text of `value`; takes over its reference. Ends the program if memory is short.
 * Owner: freed with free. */
char *write_json_text(json_t *value);

/* Format a path. Owner: freed with free. */
char *write_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For "%.*s". */
#define WRITE_ARG(text) (int)(text).len, ((text).len > 0 ? (text).data : "")

/* A time of live_wall() as Kubernetes writes it: "2026-11-22T06:29:53Z", or with microseconds. */
enum { WRITE_TIME_BYTES = 32 };
void write_time(char out[WRITE_TIME_BYTES], int64_t wall_ns);
void write_micro_time(char out[WRITE_TIME_BYTES], int64_t wall_ns);

/* The Status of an answer; texts are truncated to their room, absent ones are "". */
typedef struct server_status {
    int code;
    char reason[64], kind[64]; /* details.kind: "pods/binding" */
    char message[1024];
} server_status;

/* A body that is not a Status is taken as the message. */
void server_status_read(server_status *out, berth_str body);

/* What is described like a pod: a pod, or a group in its place. */
typedef enum write_kind {
    WRITE_POD,
    WRITE_POD_GROUP,
    WRITE_COMPOSITE_POD_GROUP,
} write_kind;

/* A pod as the watch shows it. Texts may be absent. */
typedef struct write_pod {
    berth_str namespace_name, name, uid;
    berth_str scheduler_name; /* spec.schedulerName */
    uint64_t version;         /* metadata.resourceVersion */
    int64_t generation;       /* metadata.generation */
    berth_str scheduled;      /* its condition PodScheduled as JSON; absent: none */
    berth_str nominated;      /* status.nominatedNodeName */
    write_kind kind;
    bool placed;      /* a group was placed once */
    bool by_extender; /* an extender binds it, not the API server */
    /* about the decision, for metrics */
    uint32_t attempt;
    int64_t waited_ns, decided_ns; /* since its submission; when it was decided, by now() */
} write_pod;

/* A copy with all texts in one allocation. Owner: freed with free. */
write_pod *write_pod_copy(const write_pod *pod);

/* "pod", "podgroup" or "compositepodgroup". */
const char *write_preemptor_type(const write_pod *preemptor);

bool write_str_equal(berth_str a, berth_str b);

#endif
