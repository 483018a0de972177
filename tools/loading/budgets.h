/* PodDisruptionBudgets as the eviction of pods takes from them, the way `kubectl drain` asks for
 * it: a budget allows so many evictions, and allows the next once a pod that was evicted runs
 * elsewhere. Source: kubernetes v1.36 pkg/registry/core/pod/storage/eviction.go. */
#ifndef BERTH_TOOLS_BUDGETS_H
#define BERTH_TOOLS_BUDGETS_H

#include <stdbool.h>
#include <stddef.h>

#include "berth/berth.h"
#include "cli/words.h"

typedef struct budget {
    berth_object *object;
    int32_t left; /* evictions that it still allows */
} budget;

/* Zeroed: none. */
typedef struct budgets {
    word_table names; /* "NAMESPACE/NAME", numbered as `items` */
    budget *items;
    size_t count;
    size_t capacity;
} budgets;

enum { BUDGET_NONE = -1, BUDGET_SEVERAL = -2 };

/* Keep a copy of a PodDisruptionBudget, in place of one of its name; other objects are passed
 * over. */
void budgets_add(budgets *b, const berth_object *object);

/* Whether a budget covers a pod, disrupted or not. */
bool budget_selects(const budget *one, const berth_engine *engine, berth_pod_id pod);

/* All of them allow what they say again. */
void budgets_begin(budgets *b);

/* Which one covers a pod: its place, BUDGET_NONE, or BUDGET_SEVERAL, and then an eviction is
 * refused. */
int budgets_of(const budgets *b, const berth_engine *engine, berth_pod_id pod);

/* Take an eviction; false if none is left. Give one back, once the pod runs elsewhere. */
bool budgets_take(budgets *b, int place);
void budgets_give(budgets *b, int place);

/* "default/db" */
void budgets_name(const budgets *b, int place, char *out, size_t size);

void budgets_free(budgets *b);

#endif
