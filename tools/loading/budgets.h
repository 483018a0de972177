/* PodDisruptionBudgets as `kubectl drain` meets them: a budget allows a number of evictions, and
 * another one whenever an evicted pod runs elsewhere.
 * Source: kubernetes v1.36 pkg/registry/core/pod/storage/eviction.go. */
#ifndef BERTH_TOOLS_BUDGETS_H
#define BERTH_TOOLS_BUDGETS_H

#include <stdbool.h>
#include <stddef.h>

#include "berth/berth.h"
#include "cli/words.h"

typedef struct budget {
    berth_object *object;
    int32_t left; /* evictions that the budget still allows */
} budget;

/* Zeroed: none. */
typedef struct budgets {
    word_table names; /* "NAMESPACE/NAME", numbered as `items` */
    budget *items;
    size_t count;
    size_t capacity;
} budgets;

enum { BUDGET_NONE = -1, BUDGET_SEVERAL = -2 };

/* Keep a copy of a PodDisruptionBudget; it replaces an earlier one of the same name. Other objects
 * are ignored. */
void budgets_add(budgets *b, const berth_object *object);

/* Whether a budget covers a pod, no matter whether evictions are left. */
bool budget_selects(const budget *one, const berth_engine *engine, berth_pod_id pod);

/* Reset all budgets to the evictions that their objects allow. */
void budgets_begin(budgets *b);

/* Which budget covers a pod: its place, BUDGET_NONE, or BUDGET_SEVERAL. The API refuses evictions
 * of pods with several budgets. */
int budgets_of(const budgets *b, const berth_engine *engine, berth_pod_id pod);

/* budgets_take uses up one eviction and returns false if none is left. budgets_give returns one
 * once the pod runs elsewhere. */
bool budgets_take(budgets *b, int place);
void budgets_give(budgets *b, int place);

/* A budget's name: "default/db"; empty without one (place < 0). Borrowed. */
berth_str budgets_name(const budgets *b, int place);

void budgets_free(budgets *b);

#endif
