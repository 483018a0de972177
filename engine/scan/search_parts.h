/* What the files that make up a search ask of each other; nobody else includes this.
 *   search.c        memory, the walk, selection
 *   search_score.c  scores
 *
 * A walk that is bound to visit every node scores a tile as soon as it is filtered, while the tile
 * is in the cache: totals and raw values of the scorers that do not wait for the walk's end. Others
 * come after it, as do all where the walk may be cut, or nodes may be taken back. */
#ifndef BERTH_SCAN_SEARCH_PARTS_H
#define BERTH_SCAN_SEARCH_PARTS_H

#include "scan/search.h"

enum {
    /* Walks over fewer segments than this stay on the calling thread: below it, waking workers
     * costs more than they save (bench: 100 to 200 ns a segment, a few microseconds a round of
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

/* The tile that the walk begins in the midst of, and so meets twice; UINT32_MAX if it does not.
 * It is scored after the walk. */
static inline uint32_t berth__search_split_tile(const berth__search *search)
{
    return search->range.start % BERTH__TILE != 0 ? search->range.start / BERTH__TILE : UINT32_MAX;
}

/* Before a walk: which scorers there are, and memory for them. Errors: E_NOMEM. */
berth_status berth__search_begin_scores(berth__search *search);

/* During a walk with `scores_now`: score the slots of a tile that were found. Threads: the
 * worker that has the tile. */
void berth__search_score_found(berth__search *search, uint32_t tile, const berth__mask *found,
                               berth__search_worker *own);

#endif
