#include "live/answer/answer_room.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"

/* The reader keeps classes and templates, and its notes bring LimitRanges and ResourceQuotas to the
 * input's admission. */
static berth_status ignore(void *context, const berth_object *object, const berth_error *origin,
                           berth_error *error)
{
    (void)context;
    (void)object;
    (void)origin;
    (void)error;
    return BERTH_OK;
}

static berth_status read_standing(answer_room *room, berth_error *error)
{
    const berth_read_options options = cluster_input_reading(&room->input);
    TRY(berth_reader_create(&options, &room->input.reader, error));
    room->standing = standing_take(room->world->standing);
    return berth_reader_text(room->input.reader, standing_words(room->standing), "the API server",
                             ignore, NULL, error);
}

berth_status answer_room_open(answer_room *room, const answer_world *world, const question *asked,
                              berth_cancel_flag cancel, berth_error *error)
{
    *room = (answer_room){.world = world, .asked = asked, .cancel = cancel};
    room->input.cancel = cancel;
    room->input.add = true; /* the pods in question are added to those that run */
    room->input.namespace_name = question_argument(asked, "namespace");
    room->snapshot = live_copy_pin(world->copy);
    if (room->snapshot == NULL)
        return error_set(error, BERTH_E_STATE, NULL, "the cluster is not read yet");
    TRY(berth_branch_create(room->snapshot, &room->branch, error));
    return read_standing(room, error);
}

void answer_room_close(answer_room *room)
{
    if (room->world == NULL)
        return;
    cluster_input_release(&room->input);
    if (room->standing != NULL)
        standing_drop(room->world->standing, room->standing);
    berth_branch_drop(room->branch);
    if (room->snapshot != NULL)
        berth_snapshot_unpin(room->snapshot);
    room->world = NULL;
}

berth_status answer_room_time(const answer_room *room, berth_error *error)
{
    if (room->cancel == NULL || __atomic_load_n(room->cancel, __ATOMIC_RELAXED) == 0)
        return BERTH_OK;
    return error_set(error, BERTH_E_CANCELLED, NULL, "the time for an answer is up");
}

berth_status answer_number(const question *asked, const char *name, uint64_t max, uint64_t *out,
                           berth_error *error)
{
    const char *text = question_argument(asked, name);
    *out = 0;
    if (text == NULL)
        return BERTH_OK;
    if (text[0] != '\0' && strspn(text, "0123456789") == strlen(text) && strlen(text) < 19)
        *out = strtoull(text, NULL, 10);
    else
        *out = UINT64_MAX;
    return *out <= max ? BERTH_OK
                       : error_set(error, BERTH_E_ARG, NULL, "%s: '%s' is no number from 0 to %llu",
                                   name, text, (unsigned long long)max);
}

berth_status answer_flag(const question *asked, const char *name, bool *out, berth_error *error)
{
    const char *text = question_argument(asked, name);
    *out = text != NULL && strcmp(text, "true") == 0;
    return text == NULL || *out || strcmp(text, "false") == 0
               ? BERTH_OK
               : error_set(error, BERTH_E_ARG, NULL, "%s: '%s' is neither true nor false", name,
                           text);
}
