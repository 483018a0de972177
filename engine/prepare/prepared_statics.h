/* The part of a prepared kind that outlives changes of other nodes: verdicts and raw scores by tile
 * (prepared.h declares what others call). */
#ifndef BERTH_PREPARE_PREPARED_STATICS_H
#define BERTH_PREPARE_PREPARED_STATICS_H

#include "prepare/prepared.h"

/* The memory of the arrays; free them. */
size_t berth__statics_bytes(const berth__prepared_statics *statics);
void berth__statics_free(const berth_allocator *allocator, berth__prepared_statics *statics);

/* After the stages of a kind have been prepared: find out which scorers are static, and forget the
 * tiles that other facts may have changed. Returns false when out of memory. */
bool berth__statics_prepare(const berth__decision *decision);

#endif
