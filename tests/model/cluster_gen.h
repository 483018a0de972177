/* Random clusters for the property tests: nodes, pods, other objects and profiles, all from one
 * seed. Everything lives in the generator's memory until gen_free. */
#ifndef BERTH_CLUSTER_GEN_H
#define BERTH_CLUSTER_GEN_H

#include <stdio.h>

#include "naive.h"

/* The features that generated pods may use beyond filters and scores that look at one node. */
enum {
    GEN_SPREAD = 1u << 0,
    GEN_AFFINITY = 1u << 1,
    GEN_VOLUMES = 1u << 2,
    GEN_PREEMPTION = 1u << 3, /* priorities, disruption budgets */
    GEN_LEGACY = 1u << 4,     /* profiles of v1.15 */
    GEN_ALL = 31,
    /* Most pods use claims that are bound when their pod is placed. There are only a few claims and
     * volumes, so pods compete for them. */
    GEN_CLAIMS = GEN_VOLUMES | 1u << 5,
};

/* Is the engine built with v1.15? */
#ifdef BERTH_NO_LEGACY
#define GEN_KNOWS_LEGACY false
#else
#define GEN_KNOWS_LEGACY true
#endif

typedef struct cluster_gen {
    naive_region region;
    uint64_t state;
    unsigned features;
    uint32_t kubernetes; /* objects of Kubernetes 1.N, see gen_set_release; 0: 1.32 */
    uint32_t release;    /* the same, for berth_engine_config.kubernetes */
    bool early_patch;    /* 1.36 before 1.36.3 */
    bool late_claims;    /* most pods have claims that are not bound yet */
    uint32_t node_names; /* nodes are named n0 to n(node_names - 1) */
    uint32_t zones;
    bool devices;                  /* from 1.34 on: devices, and pods with claims for them */
    const berth_pod *templates[6]; /* pods that later pods may resemble */
} cluster_gen;

void gen_init(cluster_gen *g, uint64_t seed, unsigned features);
void gen_free(cluster_gen *g);

/* Choose one of the releases whose decisions differ, by `pick`. */
void gen_set_release(cluster_gen *g, uint64_t pick);

uint64_t gen_next(cluster_gen *g);
uint32_t gen_below(cluster_gen *g, uint32_t bound);
bool gen_chance(cluster_gen *g, uint32_t percent);

const berth_node *gen_node(cluster_gen *g, uint32_t index);
/* Make a pod; `node` empty: pending. Its scheduler is one of `scheduler_count` named s0, s1, ... */
const berth_pod *gen_pod(cluster_gen *g, uint32_t serial, berth_str node, uint32_t scheduler_count);
/* Make an object that is neither a node nor a pod, with one of a few names of its kind, to which
 * pods refer. Returns false for a kind that is not generated. */
bool gen_object(cluster_gen *g, berth_kind kind, uint32_t index, berth_object *out);
uint32_t gen_object_names(berth_kind kind);

/* Print the special features of a pod or node, for the reader of a failed test. */
void gen_print_pod(FILE *out, const berth_pod *pod);
void gen_print_node(FILE *out, const berth_node *node);

/* Make a random variation of the default profile, named s<index>, with plugins that `has` accepts;
 * NULL accepts all. */
typedef bool (*gen_has_fn)(void *context, berth_str plugin);
berth_profile *gen_profile(cluster_gen *g, uint32_t index, const berth_profile *base,
                           gen_has_fn has, void *context);

/* Make a random profile with predicates and priorities of v1.15. It visits all nodes, because that
 * version has its own cursor, which otherwise decides which nodes come first. */
berth_profile *gen_legacy_profile(cluster_gen *g, uint32_t index);

#endif
