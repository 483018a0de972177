/* The journal of changed slots and the log that follows it: writing a change and applying it to the
 * log, and reading the runs of entries that a tree reads, from the log and from before it. */
#include <stdlib.h>

#include "harness.h"
#include "index/slot_log.h"
#include "inside_cluster.h"

typedef struct journal {
    berth__view *view;
    berth__slot_log *log;
    uint32_t slot;
} journal;

/* Change `count` slots, in groups of three neighbours as a rotation leaves them, and let the log
 * follow. */
static void change(journal *j, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        berth__view_write(j->view, j->slot);
        j->slot = (j->slot + 3) % INSIDE_NODES;
    }
    berth__slot_log_follow(j->log, j->view);
}

static bool open_journal(bench_state *state, journal *j)
{
    inside_cluster *inside = inside_cluster_get(INSIDE_RULES);
    *j =
        (journal){.view = &inside->cluster.view, .log = aligned_alloc(64, sizeof(berth__slot_log))};
    if (!inside->ok || j->log == NULL) {
        bench_fail(state, "the cluster could not be made");
        free(j->log);
        return false;
    }
    j->log->order = UINT64_MAX; /* the epoch of no layout */
    berth__slot_log_follow(j->log, j->view);
    return true;
}

static void journal_follow(bench_state *state)
{
    uint32_t count = (uint32_t)bench_argument(state);
    journal j;
    if (!open_journal(state, &j))
        return;
    while (bench_next(state))
        change(&j, count);
    bench_items(state, bench_rounds(state) * count);
    bench_time_per(state, "ns_per_change", count);
    free(j.log);
}
BENCH(journal_follow, ((bench_range){1, 512}))

/* Read all entries since `age` changes ago. */
static void read_back(bench_state *state, uint32_t age)
{
    journal j;
    if (!open_journal(state, &j))
        return;
    change(&j, age);
    while (bench_next(state)) {
        const berth__slot_states *states;
        uint32_t first;
        for (uint64_t at = j.view->journal_end - age; at != j.view->journal_end;) {
            at += berth__slot_log_read(j.log, j.view, at, &states, &first);
            bench_keep(states->columns[0][first]);
        }
    }
    bench_items(state, bench_rounds(state) * age);
    bench_time_per(state, "ns_per_change", age);
    free(j.log);
}

/* Entries that the log holds: no copy is needed. */
BENCH_OF(journal_read_recent, BENCH_ONCE, read_back, 512)

/* Three quarters of these entries are older than the log and are looked up slot by slot. */
BENCH_OF(journal_read_older, BENCH_ONCE, read_back, 4 * BERTH__LOG)
