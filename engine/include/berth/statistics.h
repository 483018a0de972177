/* What an engine's decisions came to, as numbers: by which path, and why by scan.
 *
 * Counters only grow, from the engine's making on; who wants those of an hour takes the difference
 * of two readings. They are the engine's own, plain numbers that its thread writes: counting costs
 * an instruction or two a decision. A branch has its own, from its making on. Transactions take
 * nothing back of them. */
#ifndef BERTH_STATISTICS_H
#define BERTH_STATISTICS_H

#include "berth/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a decision scanned nodes where the index might have answered. Append only. */
#define BERTH_SCAN_REASON_LIST(X)                                                   \
    X(PATH, "the engine's path is scan")                                            \
    X(EXPLAINED, "an explanation was asked for")                                    \
    X(NEW, "its kind of pod has not come back often enough for a tree")             \
    X(BEHIND, "its tree was so far behind that a scan cost less than repairing it") \
    X(NOMINATED, "it fits somewhere, and pods are nominated for nodes")             \
    X(NAMED, "it names its nodes")                                                  \
    X(FILTER, "a filter's verdict on a node follows from more than the node")       \
    X(SCORE, "a score depends on which nodes fit, and only its plugin knows how")   \
    X(DOMAINS, "scores tell more classes of nodes apart than the index keeps")      \
    X(CLOSED, "a node is closed, and no filter of the profile counts pods")         \
    X(MEMORY, "there was no memory for a tree")

typedef enum berth_scan_reason {
#define X(name, text) BERTH_SCAN_##name,
    BERTH_SCAN_REASON_LIST(X)
#undef X
        BERTH_SCAN_REASON_COUNT
} berth_scan_reason;

/* The words of a reason, never freed; those of another number are "". Threads: any. */
BERTH_API const char *berth_scan_reason_text(berth_scan_reason reason);

typedef struct berth_statistics {
    uint32_t size;        /* set by the caller: sizeof(berth_statistics) */
    uint32_t trees;       /* of the index, held now */
    uint64_t tree_bytes;  /* that they take */
    uint64_t decisions;   /* that came to an answer; preemption's own what-ifs are none */
    uint64_t placed;      /* of those; so many were placed, */
    uint64_t errors;      /* failed by a plugin's error, */
    uint64_t indexed;     /* answered by the index. Those that are neither indexed nor scanned ended
                            before any node was looked at */
    uint64_t early_stops; /* ended with enough nodes, others not looked at */
    uint64_t visited;     /* nodes that scans looked at */
    uint64_t questions;   /* asked by query.h, or by who commits a branch */
    uint64_t trees_built;
    uint64_t trees_dropped;
    uint64_t repairs;   /* leaves worked out anew in trees that were there */
    uint64_t scans[16]; /* decisions that scanned, by berth_scan_reason; room for more of them */
} berth_statistics;

/* Copy the counters. Threads: the engine's. Errors: E_ARG (the struct's size). Cost: constant. */
BERTH_API berth_status berth_engine_statistics(const berth_engine *engine, berth_statistics *out,
                                               berth_error *error);

/* Refusals by plugin and reason, over the engine's life: how many different ones are known; and of
 * the i-th, in the order in which they first came, what it is (each output may be NULL) and how
 * often it was: 0 beyond the last.
 *
 * Counted are, of decisions with an explanation, a node for each of its reasons, and a pod that was
 * refused before any node was visited (no plugin is known then); and of a scheduler's attempts that
 * found no node, each plugin that stood in the way (no reason). Other decisions do not look why a
 * node refuses, and count nothing. Reasons may name objects: after 256 different ones all others
 * are the last, without plugin and reason.
 *
 * Owner: texts are borrowed until the engine is destroyed. Threads: the engine's. Cost:
 * constant. */
BERTH_API uint32_t berth_engine_refusal_kinds(const berth_engine *engine);
BERTH_API uint64_t berth_engine_refusals(const berth_engine *engine, uint32_t i, berth_str *plugin,
                                         berth_str *reason, berth_code *code);

#ifdef __cplusplus
}
#endif

#endif
