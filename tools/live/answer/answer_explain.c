/* Why a pod of the cluster gets its node, or none, as `berth explain -o json` shows.
 * Arguments: pod (NAME or NAMESPACE/NAME), nodes (how many are listed; 10), remedies. */
#include "cli/exits.h"
#include "cli/words.h"
#include "explain/explained.h"
#include "explain/pod_lookup.h"
#include "live/answer/answers.h"

enum { NODES = 10, MIN_FEASIBLE = 100 };

static berth_status find(const answer_room *room, berth_pod_id *pod, berth_error *error)
{
    const finished_pods none = {0};
    const char *name = question_argument(room->asked, "pod");
    const char *space = room->input.namespace_name;
    if (name == NULL || name[0] == '\0')
        return error_set(error, BERTH_E_ARG, NULL, "no pod named: pod=NAME or pod=NAMESPACE/NAME");
    return pod_lookup(room->branch, &none, space != NULL ? words_of(space) : (berth_str){0}, name,
                      pod, error);
}

berth_status answer_explain(answer_room *room, output *o, berth_error *error)
{
    berth_pod_id pod = BERTH_POD_NONE;
    explained made = {0};
    uint64_t nodes;
    bool plain;
    TRY(answer_number(room->asked, "nodes", INT32_MAX, &nodes, error));
    TRY(answer_flag(room->asked, "no-remedies", &plain, error));
    TRY(find(room, &pod, error));
    const explained_view view = {.node = BERTH_NODE_NONE,
                                 .enough = MIN_FEASIBLE,
                                 .nodes = nodes > 0 ? (uint32_t)nodes : NODES};
    berth_status status = explained_make(&made, room->branch, room->snapshot, pod, !plain, error);
    if (status == BERTH_OK)
        status = answer_room_time(room, error);
    if (status == BERTH_OK)
        status = explained_write(&made, &view, o, error);
    explained_free(&made);
    return status;
}
