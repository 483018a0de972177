/* Why pods found no place: messages grouped by their reasons, whatever the numbers of nodes in
 * them. */
#ifndef BERTH_TOOLS_REPLAY_REASONS_H
#define BERTH_TOOLS_REPLAY_REASONS_H

#include "cli/words.h"

typedef struct reason_group {
    uint64_t pods;
    char *example; /* the first message, whole */
} reason_group;

/* Zeroed: empty. */
typedef struct replay_reasons {
    word_table names; /* "Insufficient cpu, node(s) were unschedulable", in order of first sight */
    reason_group *groups;
    size_t group_capacity;
} replay_reasons;

/* Count a pod with kube-scheduler's message of failure: "0/5 nodes are available: 2 Insufficient
 * cpu, 3 node(s) were unschedulable. preemption: ...", or any other text, which stands for
 * itself. */
void replay_reasons_add(replay_reasons *reasons, berth_str message);

/* The groups' numbers, the most frequent first; freed with free. */
uint32_t *replay_reasons_rank(const replay_reasons *reasons);

void replay_reasons_free(replay_reasons *reasons);

#endif
