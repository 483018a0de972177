/* Keeps the time series of a replay as rows in memory: an automatic series must be able to thin
 * them out, and every series to widen them. */
#include "replay/replay_series.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/table.h"
#include "traces/trace.h"

static const int64_t first_interval_ns = 1000000;

void replay_series_init(replay_series *s, int64_t origin_ns, int64_t interval_ns)
{
    *s = (replay_series){.origin_ns = origin_ns,
                         .next_ns = origin_ns,
                         .interval_ns = interval_ns > 0 ? interval_ns : first_interval_ns,
                         .automatic = interval_ns == 0};
}

void replay_series_free(replay_series *s)
{
    free(s->times_ns);
    free(s->counts);
    free(s->cells);
}

/* Keep the rows at multiples of twice the interval. */
static void thin_out(replay_series *s)
{
    size_t kept = 0;
    s->interval_ns *= 2;
    for (size_t row = 0; row < s->row_count; row++) {
        if ((s->times_ns[row] - s->origin_ns) % s->interval_ns != 0)
            continue;
        s->times_ns[kept] = s->times_ns[row];
        s->counts[kept] = s->counts[row];
        memmove(s->cells + kept * s->width, s->cells + row * s->width,
                s->width * sizeof(*s->cells));
        kept++;
    }
    s->row_count = kept;
}

/* Widen the rows; new cells are 0. */
static void widen(replay_series *s, uint32_t width)
{
    size_t from = s->width;
    s->cells =
        heap_grow(s->cells, &s->cell_capacity, (s->row_count + 1) * width, sizeof(*s->cells));
    for (size_t row = s->row_count; row-- > 0;) {
        memmove(s->cells + row * width, s->cells + row * from, from * sizeof(*s->cells));
        memset(s->cells + row * width + from, 0, (width - from) * sizeof(*s->cells));
    }
    s->width = width;
}

static void append(replay_series *s, int64_t time_ns, const series_counts *counts,
                   const series_cell *cells, uint32_t width)
{
    assert(width >= s->width);
    if (width > s->width)
        widen(s, width);
    size_t row = s->row_count++;
    s->times_ns = heap_grow(s->times_ns, &s->time_capacity, row + 1, sizeof(*s->times_ns));
    s->counts = heap_grow(s->counts, &s->count_capacity, row + 1, sizeof(*s->counts));
    s->cells = heap_grow(s->cells, &s->cell_capacity, (row + 1) * width, sizeof(*s->cells));
    s->times_ns[row] = time_ns;
    s->counts[row] = *counts;
    memcpy(s->cells + row * width, cells, width * sizeof(*cells));
}

berth_status replay_series_add(replay_series *s, const series_counts *counts,
                               const series_cell *cells, uint32_t width, berth_error *error)
{
    if (s->row_count == SERIES_ROWS_MAX)
        return error_set(error, BERTH_E_RANGE, NULL,
                         "more than %d samples: take a longer --sample-interval", SERIES_ROWS_MAX);
    append(s, s->next_ns, counts, cells, width);
    s->next_ns = trace_later(s->next_ns, s->interval_ns);
    if (s->automatic && s->row_count >= SERIES_AUTO_ROWS) {
        thin_out(s);
        s->next_ns = s->times_ns[s->row_count - 1] + s->interval_ns;
    }
    return BERTH_OK;
}

void replay_series_close(replay_series *s, int64_t time_ns, const series_counts *counts,
                         const series_cell *cells, uint32_t width)
{
    if (s->row_count > 0 && s->times_ns[s->row_count - 1] == time_ns)
        s->row_count--;
    append(s, time_ns, counts, cells, width);
}

double replay_series_mean_fragmentation(const replay_series *s, uint32_t resource)
{
    double sum = 0.0;
    for (size_t row = 0; row < s->row_count; row++)
        sum += s->cells[row * s->width + resource].fragmentation;
    return s->row_count > 0 ? sum / (double)s->row_count : 0.0;
}

void replay_format_seconds(int64_t time_ns, char *out)
{
    int len =
        snprintf(out, 32, "%" PRId64 ".%09" PRId64, time_ns / 1000000000, time_ns % 1000000000);
    while (out[len - 1] == '0')
        len--;
    out[out[len - 1] == '.' ? len - 1 : len] = '\0';
}

/* Writes the titles of a resource's columns. */
static void write_titles(berth_str resource, FILE *file)
{
    static const char *const columns[] = {"requested", "allocatable", "share", "fragmentation"};
    char *title = heap_new(resource.len + 32, 1);
    if (resource.len > 0)
        memcpy(title, resource.data, resource.len);
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        int len = snprintf(title + resource.len, 32, " %s", columns[i]);
        fputc(',', file);
        table_csv_text(file, (berth_str){title, resource.len + (uint32_t)len});
    }
    free(title);
}

static void write_header(const replay_series *s, const word_table *resources, FILE *file)
{
    static const char *const names[] = {
#define X(name) #name,
        SERIES_COLUMN_LIST(X)
#undef X
    };
    fputs("time", file);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        fprintf(file, ",%s", names[i]);
    for (uint32_t r = 0; r < s->width; r++)
        write_titles(word_table_get(resources, r), file);
    fputc('\n', file);
}

static void write_row(const replay_series *s, size_t row, FILE *file)
{
    char time[32];
    replay_format_seconds(s->times_ns[row], time);
    fputs(time, file);
#define X(name) fprintf(file, ",%" PRIu64, s->counts[row].name);
    SERIES_COLUMN_LIST(X)
#undef X
    for (uint32_t r = 0; r < s->width; r++) {
        const series_cell *cell = &s->cells[row * s->width + r];
        double share =
            cell->allocatable > 0 ? (double)cell->requested / (double)cell->allocatable : 0.0;
        fprintf(file, ",%" PRId64 ",%" PRId64 ",%.6f,%.6f", cell->requested, cell->allocatable,
                share, cell->fragmentation);
    }
    fputc('\n', file);
}

void replay_series_write(const replay_series *s, const word_table *resources, FILE *file)
{
    write_header(s, resources, file);
    for (size_t row = 0; row < s->row_count; row++)
        write_row(s, row, file);
}
