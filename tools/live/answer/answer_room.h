/* Where one question is answered: a branch of the live copy, and what an API server would apply to
 * new pods there. */
#ifndef BERTH_LIVE_ANSWER_ROOM_H
#define BERTH_LIVE_ANSWER_ROOM_H

#include "live/answer/live_copy.h"
#include "live/answer/standing.h"
#include "live/serving/question.h"
#include "loading/cluster_input.h"

/* What all questions share. */
typedef struct answer_world {
    live_copy *copy;
    standing *standing;
    const engine_setup *setup;
    const char *title; /* of the cluster: its server */
} answer_world;

/* Zeroed: none. */
typedef struct answer_room {
    const answer_world *world;
    const question *asked;
    berth_cancel_flag cancel; /* set when the time is up */
    berth_snapshot *snapshot;
    berth_engine *branch;
    standing_text *standing;
    cluster_input input;
} answer_room;

/* Open a room; close it in any case. Errors: the engine's and the reader's. BERTH_E_STATE: the copy
 * is not synced. */
berth_status answer_room_open(answer_room *room, const answer_world *world, const question *asked,
                              berth_cancel_flag cancel, berth_error *error);
void answer_room_close(answer_room *room);

/* BERTH_E_CANCELLED when the time is up. */
berth_status answer_room_time(const answer_room *room, berth_error *error);

/* A number in the question's arguments; 0 if it is absent. Errors: BERTH_E_ARG. */
berth_status answer_number(const question *asked, const char *name, uint64_t max, uint64_t *out,
                           berth_error *error);
/* "true" or "false"; false if it is absent. Errors: BERTH_E_ARG. */
berth_status answer_flag(const question *asked, const char *name, bool *out, berth_error *error);

#endif
