/* The messages of preemption: that of the attempt itself, and the texts appended to it. Internal to
 * preemption. Errors of all functions: BERTH_E_NOMEM. */
#ifndef BERTH_DECIDE_PREEMPTION_WORDS_H
#define BERTH_DECIDE_PREEMPTION_WORDS_H

#include "decide/preemption.h"
#include "explain/message.h"

/* Why the trials of a preemption found no node. */
typedef struct berth__preemption_trials {
    uint32_t potential_count; /* nodes on which evictions might have helped */
    berth__histogram reasons;
    berth__histogram errors; /* errors of filters in trials */
} berth__preemption_trials;

/* Write the message of the attempt itself. */
berth_status berth__preemption_say_attempt(const berth__decider *decider,
                                           berth_explanation *explanation);

/* Append texts to the message. */
berth_status berth__preemption_append(berth_explanation *explanation, const berth_str *parts,
                                      uint32_t count);

/* Append preemption's message: alone, or with the message about the devices of claims. */
berth_status berth__preemption_say_alone(berth_explanation *explanation, berth_str words);
berth_status berth__preemption_say(const berth__attempt *attempt, berth_explanation *explanation,
                                   berth_str words);

/* Append why no node was found. */
berth_status berth__preemption_say_hopeless(const berth__attempt *attempt,
                                            berth_explanation *explanation,
                                            const berth__preemption_trials *trials);

/* Record the nominated node and the victims; `count` includes those that are leaving already. */
berth_status berth__preemption_say_choice(const berth__decider *decider,
                                          berth_explanation *explanation,
                                          const berth__preemption *chosen, uint32_t count);

/* The message of DynamicResources. Its state is made by preFilter, unless that refused the pod.
 * Trials of preemption change this state, so a message from before the trials is kept. Absent when
 * out of memory. */
berth_str berth__preemption_about_claims(const berth__attempt *attempt,
                                         berth_explanation *explanation);

#endif
