/* How many more pods of each specification of a manifest fit, as `berth capacity -o json` counts.
 * Arguments: max, together, summary, namespace. */
#include "cli/exits.h"
#include "live/answer/answers.h"
#include "plans/capacity_count.h"

static berth_status read_question(answer_room *room, capacity_count *count, bool *summary,
                                  berth_error *error)
{
    const question *asked = room->asked;
    const berth_str manifest = {asked->body, (uint32_t)asked->length};
    TRY(answer_number(asked, "max", UINT32_MAX, &count->max, error));
    TRY(answer_flag(asked, "together", &count->together, error));
    TRY(answer_flag(asked, "summary", summary, error));
    return podspecs_read_text(&count->specs, manifest, "manifest", &room->input, room->branch,
                              error);
}

berth_status answer_capacity(answer_room *room, output *o, berth_error *error)
{
    capacity_count count = {.engine = room->branch, .input = &room->input, .cancel = room->cancel};
    bool summary = false;
    berth_status status = read_question(room, &count, &summary, error);
    if (status == BERTH_OK)
        status = capacity_count_run(&count, error);
    if (status == BERTH_OK)
        capacity_count_write(&count, summary, o);
    capacity_count_free(&count);
    return status;
}
