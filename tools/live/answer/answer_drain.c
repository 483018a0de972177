/* Whether the pods of nodes fit elsewhere if the nodes are drained, as `berth drain -o json` shows.
 * Arguments: nodes (with commas), selector or all; together, summary. */
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "live/answer/answers.h"
#include "plans/drain_plan.h"

/* `given`: the names, which are split in place; NULL: none. */
static berth_status read_nodes(answer_room *room, char *given, drain_plan *plan, text_list *names,
                               berth_error *error)
{
    char problem[LABEL_PROBLEM_BYTES], *left = NULL;
    plan->selector = question_argument(room->asked, "selector");
    TRY(answer_flag(room->asked, "all", &plan->all, error));
    if ((given != NULL) + (plan->selector != NULL) + plan->all != 1)
        return error_set(error, BERTH_E_ARG, NULL,
                         "one of nodes=NAME,NAME, selector=SELECTOR and all=true is needed");
    if (plan->selector != NULL && !label_query_parse(&plan->query, plan->selector, problem))
        return error_set(error, BERTH_E_ARG, NULL, "selector is '%s', and %s", plan->selector,
                         problem);
    if (given == NULL)
        return BERTH_OK;
    for (char *name = strtok_r(given, ",", &left); name != NULL; name = strtok_r(NULL, ",", &left))
        text_list_add(names, name);
    return names->count > 0 ? BERTH_OK
                            : error_set(error, BERTH_E_ARG, NULL, "nodes: it names none");
}

static berth_status see(void *context, const berth_object *object, berth_error *error)
{
    drain_plan *plan = context;
    (void)error;
    budgets_add(&plan->input->budgets, object);
    drain_plan_see(plan, object, BERTH_POD_NONE);
    return BERTH_OK;
}

/* Show the plan the budgets, volumes and claims of the engine, and the pods of the nodes. */
static berth_status see_all(answer_room *room, drain_plan *plan, berth_error *error)
{
    static const berth_kind kinds[] = {BERTH_KIND_POD_DISRUPTION_BUDGET,
                                       BERTH_KIND_PERSISTENT_VOLUME,
                                       BERTH_KIND_PERSISTENT_VOLUME_CLAIM};
    berth_engine *branch = room->branch;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        TRY(berth_engine_objects(branch, kinds[i], see, plan, error));
    for (size_t i = 0; i < plan->node_count; i++)
        for (berth_pod_id pod = berth_engine_next_pod(branch, plan->nodes[i].node, BERTH_POD_NONE);
             pod != BERTH_POD_NONE; pod = berth_engine_next_pod(branch, plan->nodes[i].node, pod)) {
            berth_object *object = NULL;
            TRY(berth_engine_pod_object(branch, pod, NULL, &object, error));
            local_volumes_see(&plan->volumes, object, pod);
            berth_object_destroy(object);
            drain_plan_mark(plan, pod, live_copy_traits(room->world->copy, pod));
        }
    return BERTH_OK;
}

berth_status answer_drain(answer_room *room, output *o, berth_error *error)
{
    drain_plan plan = {.engine = room->branch, .input = &room->input, .cancel = room->cancel};
    text_list names = {0};
    const char *argument = question_argument(room->asked, "nodes");
    char *given = argument != NULL ? heap_text(argument, strlen(argument)) : NULL;
    berth_status status = answer_flag(room->asked, "together", &plan.together, error);
    if (status == BERTH_OK)
        status = answer_flag(room->asked, "summary", &plan.summary_only, error);
    if (status == BERTH_OK)
        status = read_nodes(room, given, &plan, &names, error);
    if (status == BERTH_OK)
        status = drain_plan_choose(&plan, &names, error);
    if (status == BERTH_OK)
        status = see_all(room, &plan, error);
    if (status == BERTH_OK)
        status = drain_plan_run(&plan, error);
    if (status == BERTH_OK)
        drain_plan_write(&plan, o);
    drain_plan_free(&plan);
    text_list_free(&names);
    free(given);
    return status;
}
