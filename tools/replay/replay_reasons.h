/* Groups messages about unplaced pods by their reasons, ignoring the numbers of nodes. */
#ifndef BERTH_TOOLS_REPLAY_REASONS_H
#define BERTH_TOOLS_REPLAY_REASONS_H

#include "cli/words.h"

typedef struct reason_group {
    uint64_t pods;
    char *example; /* the first message, in full */
} reason_group;

/* Zeroed: empty. */
typedef struct replay_reasons {
    word_table names; /* sorted reasons of each group, in order of appearance */
    reason_group *groups;
    size_t group_capacity;
} replay_reasons;

/* Count a pod with kube-scheduler's message of failure: "0/5 nodes are available: 2 Insufficient
 * cpu, 3 node(s) were unschedulable. preemption: ...". Any other text is a group of its own. */
void replay_reasons_add(replay_reasons *reasons, berth_str message);

/* The numbers of the groups, most frequent first; freed with free. */
uint32_t *replay_reasons_rank(const replay_reasons *reasons);

void replay_reasons_free(replay_reasons *reasons);

#endif
