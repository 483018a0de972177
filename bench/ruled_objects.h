/* Nodes and pods that give every default plugin work, except those of volumes, for macro- and
 * micro-benchmarks. Public headers only. */
#ifndef BERTH_BENCH_RULED_OBJECTS_H
#define BERTH_BENCH_RULED_OBJECTS_H

#include "workloads/draft.h"

/* Number of owners of ruled pods: pod I belongs to owner I modulo RULED_OWNERS. */
enum { RULED_OWNERS = 64 };

/* Fill in node `idx`, with 32 cpu, 256Gi and 110 pods, in one of 3 zones. One node in eight has a
 * soft taint, one in sixteen a hard one that ruled pods tolerate, one in 32 a hard one that no pod
 * tolerates, one in 64 takes no pods, one in four has the image of the pods. */
void ruled_node(draft *d, uint32_t idx);

/* Fill in pod `idx`. No two pods request the same cpu, so each is a kind of its own. With `rules`
 * it has required and preferred node affinity, a toleration, a host port, hard and soft spreading,
 * pod anti-affinity and preferred pod affinity. It runs on node `on_node`; UINT32_MAX: it is
 * pending. */
void ruled_pod(draft *d, uint64_t idx, bool rules, uint32_t on_node);

#endif
