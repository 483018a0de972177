/* Reads comma-separated values by line and column name. */
#include "traces/csv_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/options.h"

/* Split a line at its commas. Returns the number of cells, counting those beyond the room, too. */
static uint32_t split(char *line, const char **cells)
{
    line[strcspn(line, "\r\n")] = '\0';
    uint32_t count = 0;
    for (char *at = line; at != NULL; count++) {
        char *comma = strchr(at, ',');
        if (count < CSV_COLUMNS_MAX)
            cells[count] = at;
        if (comma != NULL)
            *comma++ = '\0';
        at = comma;
    }
    return count;
}

static berth_status fail(const csv_table *t, berth_error *error, berth_status code,
                         const char *field, const char *message)
{
    error_set(error, code, t->path, "%s", message);
    error->line = t->line_number;
    snprintf(error->field, sizeof(error->field), "%s", field);
    return code;
}

/* Read a line into t->line; false at the end or on failure. */
static bool read_line(csv_table *t)
{
    errno = 0;
    if (getline(&t->line, &t->line_capacity, t->file) < 0)
        return false;
    t->line_number++;
    return true;
}

static berth_status end_or_failure(const csv_table *t, berth_error *error)
{
    if (ferror(t->file) == 0)
        return BERTH_OK;
    return error_set(error, BERTH_E_IO, t->path, "%s", strerror(errno));
}

berth_status csv_table_open(csv_table *t, const char *path, berth_error *error)
{
    *t = (csv_table){.path = path, .file = fopen(path, "r")};
    if (t->file == NULL)
        return error_set(error, BERTH_E_IO, path, "%s", strerror(errno));
    if (!read_line(t)) {
        berth_status status = end_or_failure(t, error);
        return status != BERTH_OK ? status : fail(t, error, BERTH_E_PARSE, "", "the file is empty");
    }
    size_t len = strlen(t->line);
    t->header = heap_new(len + 1, 1);
    memcpy(t->header, t->line, len);
    t->column_count = split(t->header, t->names);
    if (t->column_count > CSV_COLUMNS_MAX)
        return fail(t, error, BERTH_E_PARSE, "", "more columns than any known trace has");
    return BERTH_OK;
}

void csv_table_close(csv_table *t)
{
    if (t->file != NULL)
        fclose(t->file);
    free(t->line);
    free(t->header);
}

uint32_t csv_table_column(const csv_table *t, const char *name, berth_error *error)
{
    for (uint32_t c = 0; c < t->column_count; c++)
        if (strcmp(t->names[c], name) == 0)
            return c;
    error_set(error, BERTH_E_INVALID, t->path, "the header has no column '%s'", name);
    error->line = 1;
    return CSV_COLUMN_NONE;
}

berth_status csv_table_next(csv_table *t, bool *more, berth_error *error)
{
    *more = read_line(t);
    if (!*more)
        return end_or_failure(t, error);
    uint32_t count = split(t->line, t->cells);
    if (count == t->column_count)
        return BERTH_OK;
    char message[96];
    snprintf(message, sizeof(message), "%" PRIu32 " cells, where the header has %" PRIu32, count,
             t->column_count);
    return fail(t, error, BERTH_E_PARSE, "", message);
}

berth_status csv_table_number(const csv_table *t, uint32_t column, uint64_t max, uint64_t *out,
                              berth_error *error)
{
    if (options_number(t->cells[column], 0, max, out))
        return BERTH_OK;
    char message[160];
    snprintf(message, sizeof(message), "'%.64s' is not a whole number from 0 to %" PRIu64,
             t->cells[column], max);
    return fail(t, error, BERTH_E_INVALID, t->names[column], message);
}
