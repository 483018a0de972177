/* Internal declarations of the search, shared by two files and included by no others:
 *   search.c        memory, the walk, selection
 *   search_score.c  scores
 *
 * A walk that will visit every node scores each tile as soon as it is filtered, while the tile is
 * in the cache: totals, and raw values of the scorers that need not wait for the walk's end. The
 * other scorers run after the walk. So do all scorers if the walk may be cut, or if found nodes
 * may be taken back. */
#ifndef BERTH_SCAN_SEARCH_PARTS_H
#define BERTH_SCAN_SEARCH_PARTS_H

#include "scan/search.h"

enum {
    /* Walks over fewer segments than this stay on the calling thread, because waking workers would
     * cost more than they save (bench: 100 to 200 ns a segment, a few microseconds to run the
     * workers). */
    BERTH__PARALLEL_SEGMENTS = 96,
    BERTH__SLICE_SEGMENTS = BERTH__HOME_TILES,
};

static inline const berth__layout *berth__search_layout(const berth__search *search)
{
    return search->decision.cycle->view->layout;
}

static inline uint32_t berth__search_groups(const berth__search *search)
{
    return search->crew.worker_count > 1 ? berth__workers_groups(search->crew.workers) : 1;
}

static inline uint32_t berth__search_group_of(const berth__search *search, uint32_t worker)
{
    return search->crew.worker_count > 1 ? berth__workers_group_of(search->crew.workers, worker)
                                         : 0;
}

/* The tile in whose middle the walk starts, and which it therefore visits twice; UINT32_MAX if
 * there is none. It is scored after the walk. */
static inline uint32_t berth__search_split_tile(const berth__search *search)
{
    return search->range.start % BERTH__TILE != 0 ? search->range.start / BERTH__TILE : UINT32_MAX;
}

/* Before a walk: find the scorers and reserve memory for them. Errors: BERTH_E_NOMEM. */
berth_status berth__search_begin_scores(berth__search *search);

/* During a walk that scores (scores.in_walk): score the found slots of a tile. Threads: the worker
 * that has the tile. */
void berth__search_score_found(berth__search *search, uint32_t tile, const berth__mask *found,
                               berth__search_worker *own);

#endif
