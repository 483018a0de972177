/* Operations on an engine, drawn at random, so that two engines can be given the same: what each
 * comes to is a text, and so is everything that an engine tells of its state. */
#ifndef BERTH_ENGINE_SCRIPT_H
#define BERTH_ENGINE_SCRIPT_H

#include <stdatomic.h>

#include "berth/transaction.h"
#include "cluster_gen.h"

enum { SCRIPT_PROFILES = 3, GROUP_MAX = 4, FIT_MAX = 12 };

typedef enum verb {
    ADD,
    UPDATE,
    REMOVE,
    SCHEDULE,
    DECIDE,
    EXPLAIN,
    BIND,
    UNBIND,
    NOMINATE,
    CORDON,
    UNCORDON,
    CLOSE,
    OPEN,
    GROUP,
    FIT_COUNT,
    VERBS,
} verb;

/* One operation, as every engine is given it. */
typedef struct operation {
    verb verb;
    berth_object object; /* of ADD and UPDATE; of REMOVE: its kind */
    const berth_metadata *target;
    const berth_metadata *more[GROUP_MAX];
    uint32_t more_count;
    berth_str node;
} operation;

/* A text that grows. */
typedef struct text {
    char *bytes;
    size_t count;
} text;

typedef struct script {
    cluster_gen gen;
    berth_engine *engine; /* whose state says which operations make sense */
    berth_explanation *explanation;
    const berth_metadata **pods; /* of every pod there ever was */
    size_t pod_count;
    uint32_t pod_serial;
    bool nodes_and_pods; /* other objects do not change */
    bool nodes_stay;     /* nor do nodes, and there are no nominations */
    text scratch;
    const char *replay; /* a command that shows a failure again */
    unsigned long op;
    bool failed;
} script;

/* Of all scripts, on any thread. */
extern atomic_ulong script_operations, script_placed, script_indexed;

/* Two texts are the same, and a call succeeds; else the test has failed and says where. */
void script_same(script *t, const char *what, const char *wanted, const char *got);
void script_must(script *t, const char *call, berth_status status, const berth_error *error);

/* Everything that the engine tells without changing anything. */
void script_dump(const script *t, const berth_engine *engine, text *out);

/* The cluster to begin with, operation by operation: most objects and nodes, and some pods. */
void script_fill(script *t, void (*operate)(void *context, const operation *op), void *context);

operation script_operation(script *t);
operation script_add_pod(script *t);

/* The result of an operation as a text of the caller's. Reads nothing of the script but its
 * explanation and writes nothing but its scratch. */
char *script_run(script *t, berth_engine *engine, const operation *op);

#endif
