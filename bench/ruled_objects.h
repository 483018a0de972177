/* Nodes and pods that give every default plugin but those of volumes something to look at, for
 * macro- and micro-benchmarks alike. Public headers only. */
#ifndef BERTH_BENCH_RULED_OBJECTS_H
#define BERTH_BENCH_RULED_OBJECTS_H

#include "workloads/draft.h"

/* Owners that ruled pods belong to: pod I to number I modulo so many. */
enum { RULED_OWNERS = 64 };

/* Put node `idx` together, of 32 cpu, 256Gi and 110 pods in one of 3 zones. One node in eight
 * has a soft taint, one in sixteen a hard one that ruled pods tolerate, one in 32 one that
 * nobody does, one in 64 takes no pods, one in four has the pods' image. */
void ruled_node(draft *d, uint32_t idx);

/* Put pod `idx` together: no two ask for the same cpu, so that each is of a kind of its own.
 * With `rules`: required and preferred node affinity, a toleration, a host port, hard and soft
 * spreading, pod anti-affinity and preferred pod affinity. `on_node`: it runs on that node;
 * UINT32_MAX: it waits. */
void ruled_pod(draft *d, uint64_t idx, bool rules, uint32_t on_node);

#endif
