/* The state of a replay at evenly spaced times. */
#ifndef BERTH_TOOLS_REPLAY_SERIES_H
#define BERTH_TOOLS_REPLAY_SERIES_H

#include <stdbool.h>
#include <stdio.h>

#include "berth/status.h"
#include "cli/words.h"

enum {
    SERIES_AUTO_ROWS = 1024,
    SERIES_ROWS_MAX = 1000000,
};

/* The columns that every series has, with their names. */
#define SERIES_COLUMN_LIST(X)                                         \
    X(nodes)                                                          \
    X(running) /* pods on nodes, those on their way there included */ \
    X(waiting) /* pods in the queue; of these: */                     \
    X(gated)                                                          \
    X(backing_off)                                                    \
    X(unschedulable)                                                  \
    X(submitted) /* from here on: so far */                           \
    X(placements)                                                     \
    X(decisions)                                                      \
    X(finished)                                                       \
    X(evicted)                                                        \
    X(lost)

typedef struct series_counts {
#define X(name) uint64_t name;
    SERIES_COLUMN_LIST(X)
#undef X
} series_counts;

typedef struct series_cell {
    int64_t requested;
    int64_t allocatable;
    double fragmentation;
} series_cell;

typedef struct replay_series {
    int64_t interval_ns;
    bool automatic; /* the interval doubles whenever there are SERIES_AUTO_ROWS rows */
    int64_t origin_ns;
    int64_t next_ns; /* time of the next row: the origin plus a multiple of the interval */
    int64_t *times_ns;
    series_counts *counts;
    series_cell *cells; /* rows of `width` */
    size_t row_count;
    size_t time_capacity, count_capacity, cell_capacity;
    uint32_t width;
} replay_series;

/* Begin a series at `origin_ns`; `interval_ns` 0: automatic. */
void replay_series_init(replay_series *s, int64_t origin_ns, int64_t interval_ns);
void replay_series_free(replay_series *s);

/* Add a row at next_ns and advance next_ns. The row has `width` cells, at least as many as the row
 * before. Errors: BERTH_E_RANGE beyond SERIES_ROWS_MAX rows. */
berth_status replay_series_add(replay_series *s, const series_counts *counts,
                               const series_cell *cells, uint32_t width, berth_error *error);
/* Add the last row, at any time from next_ns minus the interval on. */
void replay_series_close(replay_series *s, int64_t time_ns, const series_counts *counts,
                         const series_cell *cells, uint32_t width);

/* The mean of a resource's fragmentation over the rows. */
double replay_series_mean_fragmentation(const replay_series *s, uint32_t resource);

/* Write comma-separated values with a header: time in seconds, the counts, and for each resource
 * the requested and allocatable amounts, the share requested, and fragmentation. */
void replay_series_write(const replay_series *s, const word_table *resources, FILE *file);

/* Writes a time in seconds without trailing zeros. `out` has room for 32 bytes. */
void replay_format_seconds(int64_t time_ns, char *out);

#endif
