/* Random operations on an engine, which can be repeated on a second engine. The result of each
 * operation is a text, and so is the whole readable state of an engine. */
#ifndef BERTH_ENGINE_SCRIPT_H
#define BERTH_ENGINE_SCRIPT_H

#include <stdatomic.h>

#include "berth/query.h"
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
    ASK_FIT,
    ASK_ALL,
    VERBS,
} verb;

/* One operation, the same for every engine. */
typedef struct operation {
    verb verb;
    berth_object object; /* for ADD and UPDATE; for REMOVE: its kind */
    const berth_metadata *target;
    const berth_metadata *more[GROUP_MAX];
    uint32_t more_count;
    berth_str node;
} operation;

/* A growing text. */
typedef struct text {
    char *bytes;
    size_t count;
} text;

typedef struct script {
    cluster_gen gen;
    berth_engine *engine; /* its state determines which operations make sense */
    berth_explanation *explanation;
    const berth_metadata **pods; /* of every pod that ever existed */
    size_t pod_count;
    uint32_t pod_serial;
    bool nodes_and_pods; /* other objects do not change */
    bool nodes_stay;     /* nodes do not change, and there are no nominations */
    text scratch;
    berth_profile profiles[SCRIPT_PROFILES];
    char replay[160]; /* the command that replays a failure */
    unsigned long op;
    bool failed;
} script;

/* Totals of all scripts, from any thread. */
extern atomic_ulong script_operations, script_placed, script_indexed;

/* Check that two texts are equal, and that a call succeeds; otherwise the test fails with the
 * place. */
void script_same(script *t, const char *what, const char *wanted, const char *got);
void script_must(script *t, const char *call, berth_status status, const berth_error *error);

/* Prepares a round with clusters of every kind, which the program replays by `--seed`. */
void script_begin(script *t, const char *program, uint64_t seed, unsigned long ops);

/* Make the profiles, those of v1.15 with this probability, or any profile of one of both kinds. */
void script_profiles(script *t, uint32_t legacy_percent);
berth_profile script_profile(script *t, uint32_t index, bool legacy);

/* Makes profiles, in a fifth of the rounds those of v1.15, and a configuration with one or two
 * threads and any path. */
void script_config(script *t, uint64_t seed, berth_engine_config *config);

/* Creates the engine with the profiles and the version of the cluster, a twin with the same
 * configuration (may be NULL), and the explanation. */
void script_open(script *t, berth_engine_config *config, berth_engine **twin);

/* Frees all but the twin. */
void script_close(script *t);

/* Writes everything that can be read from the engine without changing it. */
void script_dump(const script *t, const berth_engine *engine, text *out);

/* Check the engine and a twin, and that their readable states are equal. */
void script_same_state(script *t, berth_engine *twin);

/* Create the initial cluster, operation by operation: most objects and nodes, and some pods. */
void script_fill(script *t, void (*operate)(void *context, const operation *op), void *context);

operation script_operation(script *t);
operation script_add_pod(script *t);

/* Runs an operation and returns its result as a text that the caller owns. It uses only the
 * explanation and the scratch memory of the script. */
char *script_run(script *t, berth_engine *engine, const operation *op);

#endif
