/* Counters of an engine's decisions: which path they took, and why they scanned.
 *
 * Counters start at 0 when the engine is created and only grow; for the figures of an hour,
 * subtract two readings. They are plain numbers written by the engine's thread, which costs an
 * instruction or two for each decision. A branch has counters of its own. A rollback does not reset
 * them. */
#ifndef BERTH_STATISTICS_H
#define BERTH_STATISTICS_H

#include "berth/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a decision scanned nodes although the index might have answered. Append only. */
#define BERTH_SCAN_REASON_LIST(X)                                                     \
    X(PATH, "the engine's path is scan")                                              \
    X(EXPLAINED, "an explanation was asked for")                                      \
    X(NEW, "its kind of pod has not come back often enough for a tree")               \
    X(BEHIND, "its tree was so far behind that a scan cost less than repairing it")   \
    X(NOMINATED, "it is nominated, or others are and a filter may fail")              \
    X(NAMED, "it names its nodes")                                                    \
    X(FILTER, "a filter's verdict on a node follows from more than the node")         \
    X(SCORE, "a score depends on which nodes fit, and only its plugin knows how")     \
    X(DOMAINS, "scores tell more classes of nodes apart than the index keeps")        \
    X(CLOSED, "a node is closed, and no filter of the profile counts pods")           \
    X(MEMORY, "there was no memory for a tree")                                       \
    X(PART, "only some of the nodes take part: a PodGroup is tried domain by domain") \
    X(EXTENDERS, "an extender is asked about the nodes that fit")

typedef enum berth_scan_reason {
#define X(name, text) BERTH_SCAN_##name,
    BERTH_SCAN_REASON_LIST(X)
#undef X
        BERTH_SCAN_REASON_COUNT
} berth_scan_reason;

/* The text of a reason, never freed; "" for an unknown number. Threads: any. */
BERTH_API const char *berth_scan_reason_text(berth_scan_reason reason);

typedef struct berth_statistics {
    uint32_t size;        /* set by the caller: sizeof(berth_statistics) */
    uint32_t trees;       /* search trees that the index holds now */
    uint64_t tree_bytes;  /* memory of these trees */
    uint64_t decisions;   /* decisions that ended with an answer, without preemption's what-ifs */
    uint64_t placed;      /* of those, decisions that placed the pod, */
    uint64_t errors;      /* ended with an error of a plugin, */
    uint64_t indexed;     /* were answered by the index (decisions that were neither indexed nor
                            scanned ended before any node was visited), */
    uint64_t early_stops; /* found enough nodes before visiting all */
    uint64_t visited;     /* nodes that scans visited */
    uint64_t questions;   /* of query.h, and checks while branches are committed */
    uint64_t trees_built;
    uint64_t trees_dropped;
    uint64_t repairs;   /* leaves recomputed in existing trees */
    uint64_t scans[16]; /* decisions that scanned, by berth_scan_reason */
    uint64_t layouts;   /* layouts of all nodes that were made because nodes came or went */
} berth_statistics;

/* Copy the counters. Threads: the engine's. Errors: BERTH_E_ARG (the struct's size). */
BERTH_API berth_status berth_engine_statistics(const berth_engine *engine, berth_statistics *out,
                                               berth_error *error);

/* Refusals by plugin and reason since the engine was created. berth_engine_refusal_kinds returns
 * how many distinct ones there are. berth_engine_refusals returns how often the i-th occurred, in
 * the order in which they first appeared, and what it is (each output may be NULL); 0 beyond the
 * last.
 *
 * A decision with an explanation counts each refused node once for each of its reasons, and a pod
 * that was refused before any node was visited once, without a plugin. When a scheduler's attempt
 * finds no node, each plugin that refused the pod counts once, without a reason. Other decisions do
 * not collect reasons and count nothing. Reasons may contain names of objects; after 256 distinct
 * ones, all others count as the last one, which has neither plugin nor reason.
 *
 * Owner: texts are borrowed until the engine is destroyed. Threads: the engine's. */
BERTH_API uint32_t berth_engine_refusal_kinds(const berth_engine *engine);
BERTH_API uint64_t berth_engine_refusals(const berth_engine *engine, uint32_t i, berth_str *plugin,
                                         berth_str *reason, berth_code *code);

#ifdef __cplusplus
}
#endif

#endif
