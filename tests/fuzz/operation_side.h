/* An engine under fuzzed operations, with everything made from it: a scheduler, pins, branches,
 * transactions. The result of an operation is a list of numbers; two sides that find their answers
 * in different ways must have equal results. */
#ifndef BERTH_TESTS_FUZZ_OPERATION_SIDE_H
#define BERTH_TESTS_FUZZ_OPERATION_SIDE_H

#include "berth/berth.h"
#include "berth/branch.h"
#include "berth/query.h"
#include "berth/read.h"
#include "berth/scheduler.h"
#include "berth/template.h"
#include "operation_pool.h"

enum {
    OPERATION_BYTES = 4, /* bytes of an operation: its verb and three arguments */
    SIDE_BRANCHES = 2,
    SIDE_PINS = 3,
    SIDE_DEPTH = 4, /* depth of nested transactions */
    SIDE_LATER = 8, /* answers that are still due */
    RESULT_MAX = 96,
};

/* Each verb is a family of public calls; the arguments choose the object and the details. The
 * weights are numbers of the 256 bytes, so that each verb has one. */
#define OPERATION_LIST(X) \
    X(ADD_POD, 18)        \
    X(UPDATE_POD, 8)      \
    X(REMOVE_POD, 8)      \
    X(SCHEDULE, 33)       \
    X(DECIDE, 30)         \
    X(EXPLAIN, 4)         \
    X(BIND, 10)           \
    X(UNBIND, 16)         \
    X(NOMINATE, 5)        \
    X(CORDON, 3)          \
    X(CLOSE, 4)           \
    X(ADD_NODE, 8)        \
    X(UPDATE_NODE, 4)     \
    X(REMOVE_NODE, 3)     \
    X(CHANGE_OTHER, 10)   \
    X(GROUP, 5)           \
    X(FIT_COUNT, 3)       \
    X(ADD_LIKE, 6)        \
    X(BEGIN, 6)           \
    X(COMMIT, 4)          \
    X(ROLLBACK, 6)        \
    X(PUBLISH, 3)         \
    X(PIN, 3)             \
    X(BRANCH, 3)          \
    X(TARGET, 4)          \
    X(COMMIT_BRANCH, 2)   \
    X(TRIM, 1)            \
    X(SCHEDULER, 1)       \
    X(STEP, 10)           \
    X(ADVANCE, 3)         \
    X(ANSWER, 4)          \
    X(FITS, 6)            \
    X(FEASIBLE, 3)        \
    X(ROTATE, 2)          \
    X(FORBIDDEN, 2)       \
    X(ADD_NODES, 1)       \
    X(READ, 8)            \
    X(POST, 5)            \
    X(OBJECTS, 1)

typedef enum operation_verb {
#define X(name, weight) OPERATION_##name,
    OPERATION_LIST(X)
#undef X
        OPERATION_VERBS
} operation_verb;

extern const char *const operation_names[OPERATION_VERBS];

/* The verb of a byte, by the weights above. */
operation_verb operation_of(uint8_t byte);

/* The result of an operation. */
typedef struct operation_result {
    berth_status status;
    uint32_t count;
    uint64_t numbers[RESULT_MAX];
} operation_result;

typedef struct operation_side {
    const operation_pool *pool;
    berth_engine *engine;
    berth_scheduler *scheduler;
    berth_explanation *explanation;
    berth_engine *branches[SIDE_BRANCHES];
    uint64_t digests[1 + SIDE_BRANCHES][SIDE_DEPTH]; /* where transactions began, by target */
    berth_snapshot *pins[SIDE_PINS];
    uint64_t pin_digests[SIDE_PINS];
    uint32_t target; /* 0: the engine; i: branch i - 1 */
    int64_t now_ns;
    berth_binding_id late_bindings[SIDE_LATER];
    berth_pod_id late_victims[SIDE_LATER];
    uint32_t binding_count, victim_count;
    operation_result *result;
    const char *broken; /* the invariant that this side has broken; NULL: none */
    berth_error error;
} operation_side;

void operation_side_open(operation_side *side, const operation_pool *pool, berth_path path,
                         const berth_allocator *allocator);
void operation_side_close(operation_side *side);

/* Carries out one operation; OPERATION_BYTES at `bytes`. */
void operation_run(operation_side *side, const uint8_t *bytes, operation_result *out);

/* The checks of the engine, its scheduler, its pinned snapshots and its branches; NULL, or what is
 * broken. */
const char *operation_side_check(operation_side *side);

/* ---- between the files of a side ---- */

berth_engine *operation_target(const operation_side *side);
berth_pod_id operation_pod(const operation_side *side, uint8_t which);
berth_node_id operation_node(const operation_side *side, uint8_t which);
void operation_note(operation_side *side, uint64_t number);
void operation_note_text(operation_side *side, berth_str text);
void operation_note_node(operation_side *side, berth_node_id node);
void operation_note_placement(operation_side *side, const berth_placement *placement);

/* Branches, transactions, snapshots (operation_versions.c); the scheduler (operation_loop.c);
 * looking (operation_read.c, operation_told.c). */
berth_status operation_versions(operation_side *side, operation_verb verb, const uint8_t *argument);
berth_status operation_loop(operation_side *side, operation_verb verb, const uint8_t *argument);
berth_status operation_read(operation_side *side, operation_verb verb, const uint8_t *argument);
void operation_end_versions(operation_side *side);
void operation_note_explanation(operation_side *side);
void operation_read_devices(operation_side *side, const uint8_t *argument);
void operation_read_requests(operation_side *side, const uint8_t *argument);

#endif
