/* The main function of a property test in rounds: reads options and runs a round for each seed from
 * the first on, until a round finds a difference. BERTH_TEST_SEED is the seed of a run without
 * --seed. */
#ifndef BERTH_TESTS_ROUNDS_H
#define BERTH_TESTS_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "effort.h"

typedef struct round_options {
    uint64_t seed;
    unsigned long rounds, ops;
    uint32_t nodes;     /* 0: chosen by the seed */
    uint32_t nodes_max; /* the largest --nodes; 0: the test has no such option */
} round_options;

static inline bool rounds_parse(int argc, char **argv, round_options *o)
{
    const char *seed = getenv("BERTH_TEST_SEED");
    o->seed = seed != NULL ? strtoull(seed, NULL, 0) : 1;
    o->rounds = effort(o->rounds);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seed") == 0)
            o->seed = strtoull(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--rounds") == 0)
            o->rounds = strtoul(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--ops") == 0)
            o->ops = strtoul(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--nodes") == 0 && o->nodes_max > 0)
            o->nodes = (uint32_t)strtoul(argv[i + 1], NULL, 0);
        else
            return false;
    }
    return argc % 2 == 1 && o->nodes <= o->nodes_max;
}

/* Returns the exit code: 1 after a round that found a difference, 2 for wrong options. */
static inline int rounds_run(int argc, char **argv, round_options o,
                             bool (*run_round)(const round_options *o, uint64_t seed))
{
    if (!rounds_parse(argc, argv, &o)) {
        fprintf(stderr, "usage: %s [--seed S] [--rounds N] [--ops N]%s\n", argv[0],
                o.nodes_max > 0 ? " [--nodes N]" : "");
        return 2;
    }
    printf("seed %llu, %lu rounds\n", (unsigned long long)o.seed, o.rounds);
    for (unsigned long i = 0; i < o.rounds; i++)
        if (!run_round(&o, o.seed + i))
            return 1;
    return 0;
}

#endif
