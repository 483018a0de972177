/* A step of a Deployment makes new pods up to the surge, retries pending ones, and removes old pods
 * down to the number that must be available. StatefulSets and DaemonSets replace one pod after
 * another. */
#include "loading/rollouts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/terminal.h"
#include "loading/planned.h"

/* A rollout in progress. */
typedef struct play {
    berth_engine *engine;
    planned *plan;
    const rollout_player *player;
    rollout *result;
    berth_pod_id *waiting; /* new pods without a node */
    size_t waiting_count;
    int64_t wanted;
    int64_t old_left, old_running; /* old pods still to be removed, and how many of them run */
    int64_t kept;                  /* old pods that stay and run */
    int64_t made, placed;          /* new pods, and how many of them have a node */
} play;

/* ---- steps ---- */

static int64_t part_of(berth_count_or_percent bound, int64_t whole, bool up)
{
    return bound.percent ? (whole * bound.value + (up ? 99 : 0)) / 100 : bound.value;
}

static void note_level(play *p)
{
    const int64_t all = p->old_left + p->kept + p->made;
    const int64_t running = p->old_running + p->kept + p->placed;
    if ((uint64_t)all > p->result->most)
        p->result->most = (uint64_t)all;
    if ((uint64_t)running < p->result->fewest)
        p->result->fewest = (uint64_t)running;
}

static berth_status make(play *p, const berth_object *pod, bool *placed, berth_error *error)
{
    berth_pod_id id;
    TRY(p->player->add(p->player->context, pod, &id, error));
    p->made++;
    TRY(p->player->decide(p->player->context, id, placed, error));
    if (*placed)
        p->placed++;
    else
        p->waiting[p->waiting_count++] = id;
    note_level(p);
    return BERTH_OK;
}

static berth_status try_again(play *p, bool *progress, berth_error *error)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->waiting_count; i++) {
        bool placed;
        TRY(p->player->decide(p->player->context, p->waiting[i], &placed, error));
        p->placed += placed;
        *progress |= placed;
        if (!placed)
            p->waiting[kept++] = p->waiting[i];
    }
    p->waiting_count = kept;
    return BERTH_OK;
}

static berth_status take_away(play *p, old_pod *old, berth_error *error)
{
    p->old_left--;
    p->old_running -= old->node != BERTH_NODE_NONE;
    TRY(planned_remove(p->engine, old, error));
    note_level(p);
    return BERTH_OK;
}

/* Remove up to `most` old pods: pending ones first, then the youngest. `only_waiting`: only pending
 * ones. */
static berth_status take_some(play *p, int64_t most, bool only_waiting, bool *progress,
                              berth_error *error)
{
    for (int waits = 1; waits >= (only_waiting ? 1 : 0); waits--)
        for (size_t i = p->plan->old_count; i-- > 0 && most > 0;) {
            old_pod *old = &p->plan->old[i];
            if (old->gone || (old->node == BERTH_NODE_NONE) != (waits != 0))
                continue;
            TRY(take_away(p, old, error));
            *progress = true;
            most--;
        }
    return BERTH_OK;
}

/* ---- Deployments ---- */

static berth_status roll_deployment(play *p, berth_error *error)
{
    planned *plan = p->plan;
    const bool at_once = plan->rollout == BERTH_ROLLOUT_RECREATE;
    int64_t surge = at_once ? 0 : part_of(plan->max_surge, p->wanted, true);
    int64_t unavailable = at_once ? p->wanted : part_of(plan->max_unavailable, p->wanted, false);
    bool progress = true;
    if (surge == 0 && unavailable == 0)
        unavailable = 1;
    const int64_t least = p->wanted - unavailable;
    while (progress && (p->old_left > 0 || p->placed < p->wanted)) {
        progress = false;
        TRY(try_again(p, &progress, error));
        int64_t room = at_once && p->old_left > 0 ? 0 : p->wanted + surge - p->old_left - p->made;
        for (; room > 0 && p->made < (int64_t)plan->held_count; room--) {
            bool placed;
            TRY(make(p, plan->held[p->made], &placed, error));
            progress |= placed;
        }
        const int64_t spare = p->old_left + p->made - least - (p->made - p->placed);
        if (spare > 0)
            TRY(take_some(p, spare, true, &progress, error));
        const int64_t running = p->old_running + p->placed - least;
        if (running > 0 || at_once)
            TRY(take_some(p, at_once ? p->old_left : running, false, &progress, error));
    }
    return BERTH_OK;
}

/* ---- StatefulSets and DaemonSets ---- */

/* Sorts by ordinal, the order in which a StatefulSet makes its pods. */
static int by_ordinal(const void *a, const void *b)
{
    const berth_object *left = *(berth_object *const *)a;
    const berth_object *right = *(berth_object *const *)b;
    const int64_t first = planned_ordinal(left->as.pod->meta.name);
    const int64_t second = planned_ordinal(right->as.pod->meta.name);
    return (first > second) - (first < second);
}

static old_pod *place_of(const play *p, const berth_object *fresh)
{
    return planned_place(p->engine, p->plan, fresh->as.pod);
}

/* Replace one pod. The old pod is removed before the new one is placed, or, with a surge, once the
 * new one runs. */
static berth_status replace(play *p, const berth_object *fresh, bool surges, bool *placed,
                            berth_error *error)
{
    old_pod *old = place_of(p, fresh);
    if (!surges)
        TRY(take_away(p, old, error));
    TRY(make(p, fresh, placed, error));
    if (surges && *placed)
        TRY(take_away(p, old, error));
    return BERTH_OK;
}

/* Replace pods from the highest ordinal down, each once the one before it runs. Missing pods are
 * made first. */
static berth_status roll_stateful_set(play *p, berth_error *error)
{
    planned *plan = p->plan;
    const size_t count = plan->held_count;
    const int64_t unavailable = part_of(plan->max_unavailable, p->wanted, true);
    bool placed = true;
    qsort(plan->held, count, sizeof(berth_object *), by_ordinal);
    for (size_t i = 0; i < count && placed; i++)
        if (place_of(p, plan->held[i]) == NULL)
            TRY(make(p, plan->held[i], &placed, error));
    for (size_t i = count;
         i-- > 0 && (int64_t)p->waiting_count < (unavailable > 1 ? unavailable : 1);)
        if (place_of(p, plan->held[i]) != NULL)
            TRY(replace(p, plan->held[i], false, &placed, error));
    return BERTH_OK;
}

static berth_status roll_daemon_set(play *p, berth_error *error)
{
    planned *plan = p->plan;
    const int64_t surge = part_of(plan->max_surge, p->wanted, true);
    const int64_t unavailable = part_of(plan->max_unavailable, p->wanted, true);
    const int64_t most = surge > 0 ? surge : unavailable > 1 ? unavailable : 1;
    int64_t waiting = 0;
    bool placed;
    for (size_t i = 0; i < plan->held_count; i++) /* first the nodes that have no pod yet */
        if (place_of(p, plan->held[i]) == NULL)
            TRY(make(p, plan->held[i], &placed, error));
    for (size_t i = 0; i < plan->held_count && waiting < most; i++) {
        if (place_of(p, plan->held[i]) == NULL)
            continue;
        TRY(replace(p, plan->held[i], surge > 0, &placed, error));
        waiting += !placed;
    }
    return BERTH_OK;
}

/* ---- all rollouts ---- */

static berth_status roll(play *p, berth_error *error)
{
    const planned *plan = p->plan;
    p->waiting = heap_new(plan->held_count + 1, sizeof(*p->waiting));
    p->wanted = (int64_t)(plan->by_node ? plan->met : plan->what.wanted);
    for (size_t i = 0; i < plan->old_count; i++) {
        const bool runs = plan->old[i].node != BERTH_NODE_NONE;
        p->old_left += !plan->old[i].stays && !plan->old[i].gone;
        p->old_running += runs && !plan->old[i].stays && !plan->old[i].gone;
        p->kept += runs && plan->old[i].stays;
    }
    p->result->fewest = UINT64_MAX;
    note_level(p);
    berth_status status = !plan->by_identity ? roll_deployment(p, error)
                          : plan->by_node    ? roll_daemon_set(p, error)
                                             : roll_stateful_set(p, error);
    p->result->replaced = (uint64_t)p->placed;
    p->result->left = (uint64_t)p->old_left;
    p->result->stuck = (uint64_t)p->placed < plan->what.made;
    p->result->stuck_at = p->waiting_count > 0 ? p->waiting[0] : BERTH_POD_NONE;
    free(p->waiting);
    return status;
}

/* A StatefulSet that shrinks removes the pods with the highest ordinals first. */
static berth_status scale_down(play *p, berth_error *error)
{
    for (size_t i = 0; i < p->plan->old_count && p->plan->by_identity && !p->plan->by_node; i++) {
        old_pod *old = &p->plan->old[i];
        bool wanted = old->stays;
        for (size_t k = 0; k < p->plan->held_count && !wanted && !old->gone; k++)
            wanted = place_of(p, p->plan->held[k]) == old;
        if (!wanted)
            TRY(planned_remove(p->engine, old, error));
    }
    return BERTH_OK;
}

berth_status rollouts_play(changes *c, berth_engine *engine, const rollout_player *player,
                           berth_error *error)
{
    c->rollouts = heap_new(c->plan_count + 1, sizeof(*c->rollouts));
    for (size_t i = 0; i < c->plan_count; i++) {
        if (!c->plans[i].plays)
            continue;
        rollout *result = &c->rollouts[c->rollout_count++];
        *result = (rollout){.what = &c->plans[i].what};
        play p = {.engine = engine, .plan = &c->plans[i], .player = player, .result = result};
        TRY(scale_down(&p, error));
        TRY(roll(&p, error));
    }
    return BERTH_OK;
}

/* ---- output ---- */

size_t rollouts_count(const changes *c)
{
    return c != NULL ? c->rollout_count : 0;
}

const rollout *rollouts_at(const changes *c, size_t number)
{
    return &c->rollouts[number];
}

static void say(const rollout *one, const berth_engine *engine, char *text, size_t size)
{
    berth_str namespace_name = {0}, name = {0};
    char stuck[640] = "";
    int len = 0;
    if (one->stuck)
        len = snprintf(stuck, sizeof(stuck), ", %" PRIu64 " old pod%s", one->left,
                       one->left == 1 ? " stays" : "s stay");
    if (one->stuck_at != BERTH_POD_NONE) {
        berth_engine_pod_name(engine, one->stuck_at, &namespace_name, &name);
        snprintf(stuck + len, sizeof(stuck) - (size_t)len, "; %.*s/%.*s finds no node",
                 (int)namespace_name.len, namespace_name.data, (int)name.len, name.data);
    }
    snprintf(text, size,
             "%s %s/%s %s: %" PRIu64 " of %" PRIu64 " replaced%s; %" PRIu64
             " pods at most, %" PRIu64 " running at least",
             one->what->kind, one->what->namespace_name, one->what->name,
             one->stuck ? "gets stuck" : "goes through", one->replaced, one->what->made, stuck,
             one->most, one->fewest);
}

void rollouts_print(const changes *c, const berth_engine *engine, FILE *file)
{
    for (size_t i = 0; i < rollouts_count(c); i++) {
        char text[1400];
        say(rollouts_at(c, i), engine, text, sizeof(text));
        fputs(i == 0 ? "Rollouts     " : "             ", file);
        terminal_wrap(file, text, strlen(text), 13, 15);
        fputc('\n', file);
    }
}

void rollouts_write(const changes *c, const berth_engine *engine, output *o)
{
    output_key(o, "rollouts");
    output_array(o);
    for (size_t i = 0; i < rollouts_count(c); i++) {
        const rollout *one = rollouts_at(c, i);
        berth_str namespace_name = {0}, name = {0};
        output_object(o);
        output_pair_text(o, "kind", one->what->kind);
        output_pair_text(o, "namespace", one->what->namespace_name);
        output_pair_text(o, "name", one->what->name);
        output_pair_int(o, "toReplace", (int64_t)one->what->made);
        output_pair_int(o, "replaced", (int64_t)one->replaced);
        output_pair_int(o, "oldLeft", (int64_t)one->left);
        output_pair_int(o, "mostPods", (int64_t)one->most);
        output_pair_int(o, "fewestRunning", (int64_t)one->fewest);
        output_key(o, "stuck");
        output_bool(o, one->stuck);
        if (one->stuck_at != BERTH_POD_NONE) {
            berth_engine_pod_name(engine, one->stuck_at, &namespace_name, &name);
            output_pair_str(o, "stuckAt", name);
        }
        output_object_end(o);
    }
    output_array_end(o);
}
