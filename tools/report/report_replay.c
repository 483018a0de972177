/* Writes the data of a replay's report: report.json unchanged, and the rows of series.csv. Of a
 * long series only some rows are kept. */
#include "report/report_replay.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/output.h"
#include "cli/words.h"

enum { PATH_BYTES = 4096, ROWS_MAX = 1200 };

/* Reads a whole file, terminated; freed with free. */
static berth_status read_whole(const char *path, char **out, berth_error *error)
{
    char piece[65536];
    char *text = heap_new(1, 1);
    size_t capacity = 1;
    size_t length = 0;
    size_t bytes;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        free(text);
        return error_set(error, BERTH_E_IO, path, "%s", strerror(errno));
    }
    while ((bytes = fread(piece, 1, sizeof(piece), file)) > 0) {
        text = heap_grow(text, &capacity, length + bytes + 1, 1);
        memcpy(text + length, piece, bytes);
        length += bytes;
        text[length] = '\0';
    }
    bool lost = ferror(file) != 0;
    fclose(file);
    if (lost) {
        free(text);
        return error_set(error, BERTH_E_IO, path, "it could not be read");
    }
    *out = text;
    return BERTH_OK;
}

static berth_status write_report(const char *path, FILE *file, berth_error *error)
{
    json_error_t wrong;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &wrong);
    if (root == NULL || !json_is_object(root)) {
        json_decref(root);
        error_set(error, BERTH_E_PARSE, path, "%s",
                  root == NULL ? wrong.text : "a report of berth replay is an object");
        error->line = root == NULL && wrong.line > 0 ? (uint32_t)wrong.line : 0;
        return BERTH_E_PARSE;
    }
    json_dumpf(root, file, JSON_COMPACT);
    json_decref(root);
    return BERTH_OK;
}

/* ---- the series ---- */

static char *cut(char **text, char mark)
{
    char *part = *text;
    char *at = strchr(part, mark);
    *text = at != NULL ? at + 1 : part + strlen(part);
    if (at != NULL)
        *at = '\0';
    return part;
}

static uint32_t count_fields(const char *line)
{
    uint32_t count = 1;
    bool quoted = false;
    for (; *line != '\0'; line++) {
        quoted ^= *line == '"';
        count += *line == ',' && !quoted;
    }
    return count;
}

/* Cut off a title and remove its quotes, if any. */
static char *cut_title(char **text)
{
    char *title = *text;
    char *to = title;
    const char *at = title;
    for (bool quoted = false; *at != '\0' && (quoted || *at != ','); at++) {
        if (*at == '"' && !(quoted && at[1] == '"')) {
            quoted = !quoted;
            continue;
        }
        at += *at == '"';
        *to++ = *at;
    }
    *text += (at - title) + (*at == ',');
    *to = '\0';
    return title;
}

/* Write one row of numbers. Returns false if the line is something else. */
static bool write_row(char *line, uint32_t columns, output *o)
{
    if (count_fields(line) != columns)
        return false;
    bool right = true;
    output_array(o);
    for (uint32_t c = 0; c < columns; c++) {
        const char *field = cut(&line, ',');
        char *end;
        double value = strtod(field, &end);
        right = right && *field != '\0' && *end == '\0' && value == value && value < 1e300 &&
                value > -1e300;
        if (right && strchr(field, '.') != NULL)
            output_real(o, value, 6);
        else
            output_int(o, right ? strtoll(field, NULL, 10) : 0);
    }
    output_array_end(o);
    return right;
}

static size_t count_lines(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

static berth_status write_series(char *text, const char *path, output *o, berth_error *error)
{
    size_t lines = count_lines(text);
    size_t every = lines / ROWS_MAX + 1;
    char *names = cut(&text, '\n');
    uint32_t columns = count_fields(names);
    output_key(o, "columns");
    output_array(o);
    for (uint32_t c = 0; c < columns; c++)
        output_text(o, cut_title(&names));
    output_array_end(o);
    output_key(o, "rows");
    output_array(o);
    berth_status status = BERTH_OK;
    for (size_t i = 0; *text != '\0' && status == BERTH_OK; i++) {
        char *line = cut(&text, '\n');
        if ((i % every == 0 || *text == '\0') && !write_row(line, columns, o)) {
            status = error_set(error, BERTH_E_PARSE, path,
                               "a row of a series has %" PRIu32 " numbers", columns);
            error->line = (uint32_t)i + 2;
        }
    }
    output_array_end(o);
    return status;
}

static berth_status join(char path[PATH_BYTES], const char *folder, const char *name,
                         berth_error *error)
{
    if (snprintf(path, PATH_BYTES, "%s/%s", folder, name) < PATH_BYTES)
        return BERTH_OK;
    return error_set(error, BERTH_E_IO, folder, "%s", strerror(ENAMETOOLONG));
}

berth_status report_replay_write(const char *folder, const char *title, FILE *file,
                                 berth_error *error)
{
    char path[PATH_BYTES];
    char *text = NULL;
    output o;
    fputs("{\"report\": ", file);
    TRY(join(path, folder, "report.json", error));
    TRY(write_report(path, file, error));
    TRY(join(path, folder, "series.csv", error));
    TRY(read_whole(path, &text, error));
    fputs(", \"series\": ", file);
    output_open(&o, file, OUTPUT_JSON, 0);
    output_object(&o);
    berth_status status = write_series(text, path, &o, error);
    output_object_end(&o);
    fputs(", \"about\": ", file);
    output_open(&o, file, OUTPUT_JSON, 0);
    output_object(&o);
    output_pair_text(&o, "kind", "replay");
    output_pair_text(&o, "title", title);
    output_object_end(&o);
    fputs("}\n", file);
    free(text);
    return status;
}
