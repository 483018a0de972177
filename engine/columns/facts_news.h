/* Facts news: which slots got other facts since data was derived from a layout, so that the data
 * can be repaired for these slots instead of derived again.
 *
 * A layout notes its last changes in a ring, each with the epochs that the layout had before. No
 * epoch is used twice. So if a note has the epoch of some data, that note and those after it are
 * all that has happened since, even if the data comes from another copy of the layout, as in a
 * snapshot or a branch.
 *
 * Threads: those that may read the layout; `add`, `moved` and `lose`: its owner's. */
#ifndef BERTH_COLUMNS_FACTS_NEWS_H
#define BERTH_COLUMNS_FACTS_NEWS_H

#include "columns/layout.h"

/* What data depends on, and by which epoch of the layout it is therefore valid. */
typedef enum berth__facts_kind {
    BERTH__ON_ALL,    /* epoch */
    BERTH__ON_RULES,  /* rule_epoch: all but images and amounts */
    BERTH__ON_LABELS, /* label_epoch */
} berth__facts_kind;

/* Some notes of a layout, in order of time. */
typedef struct berth__facts_news {
    uint64_t next, end; /* numbers of notes */
    uint32_t changes;   /* of all of them, see berth__facts_change */
    uint64_t images;    /* the same */
} berth__facts_news;

/* Note changes of a slot's facts, and of these images, which begin the new epoch `epoch`. */
void berth__facts_news_add(berth__layout *layout, uint32_t slot, uint32_t changes, uint64_t images,
                           uint64_t epoch);

/* Note that the layout has become a copy, or has lost its columns: the facts are the same, but
 * nothing may point into it. */
void berth__facts_news_moved(berth__layout *layout, uint64_t epoch);

/* Begin an epoch for which no data can be repaired that depends on all facts. */
void berth__facts_news_lose(berth__layout *layout, uint64_t epoch);

/* What has changed since a layout had an epoch that is over; false: that is not known. Cost: the
 * notes since then. */
bool berth__facts_news_since(const berth__layout *layout, berth__facts_kind kind, uint64_t epoch,
                             berth__facts_news *out);

/* The next note with one of these changes; NULL: there is no other. */
const berth__facts_note *berth__facts_news_next(const berth__layout *layout,
                                                berth__facts_news *news, uint32_t changes);

#endif
