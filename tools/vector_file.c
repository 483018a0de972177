/* Reading of decision vectors, a line in memory at a time. */
#include "vector_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "exits.h"
#include "heap.h"
#include "json_slice.h"

enum { READ_BYTES = 1 << 16 };

berth_status vector_file_open(vector_file *v, const char *path, berth_error *error)
{
    *v = (vector_file){.path = path};
    struct stat info = {0};
    if (stat(path, &info) != 0)
        return error_set(error, BERTH_E_IO, path, "%s", strerror(errno));
    if (S_ISDIR(info.st_mode))
        return error_set(error, BERTH_E_IO, path, "%s", strerror(EISDIR));
    errno = 0;
    v->file = gzopen(path, "rb");
    if (v->file == NULL)
        return error_set(error, BERTH_E_IO, path, "%s",
                         errno != 0 ? strerror(errno) : "out of memory");
    gzbuffer(v->file, READ_BYTES);
    progress_start(&v->bar, path, (uint64_t)info.st_size);
    return BERTH_OK;
}

void vector_file_close(vector_file *v)
{
    progress_end(&v->bar);
    if (v->file != NULL)
        gzclose(v->file);
    free(v->line);
}

static berth_status read_failure(const vector_file *v, berth_error *error)
{
    int code = 0;
    const char *text = gzerror(v->file, &code);
    if (code == Z_OK || code == Z_STREAM_END)
        return BERTH_OK;
    error_set(error, code == Z_ERRNO ? BERTH_E_IO : BERTH_E_PARSE, v->path, "%s",
              code == Z_ERRNO ? strerror(errno) : text);
    error->line = v->line_number + 1;
    return error->code;
}

/* Read up to the next line break into v->line; an empty line at the end of the file is no line. */
static berth_status read_line(vector_file *v, bool *more, berth_error *error)
{
    v->line_len = 0;
    for (;;) {
        v->line = heap_grow(v->line, &v->line_capacity, v->line_len + READ_BYTES, 1);
        if (gzgets(v->file, v->line + v->line_len, READ_BYTES) == NULL)
            break;
        v->line_len += strlen(v->line + v->line_len);
        if (v->line_len > UINT32_MAX / 2)
            return error_set(error, BERTH_E_RANGE, v->path, "a line of more than 2 GiB");
        if (v->line_len > 0 && v->line[v->line_len - 1] == '\n')
            break;
    }
    *more = v->line_len > 0;
    v->line_number += *more ? 1 : 0;
    progress_update(&v->bar, (uint64_t)gzoffset(v->file));
    return read_failure(v, error);
}

static berth_status fail(const vector_file *v, berth_error *error, berth_status code,
                         const char *message)
{
    error_set(error, code, v->path, "%s", message);
    error->line = v->line_number;
    return code;
}

static void copy_name(vector_scenario *out, berth_str quoted)
{
    size_t len = quoted.len > 2 ? quoted.len - 2 : 0;
    if (len >= sizeof(out->name))
        len = sizeof(out->name) - 1;
    if (len > 0)
        memcpy(out->name, quoted.data + 1, len);
    out->name[len] = '\0';
}

berth_status vector_file_next(vector_file *v, vector_scenario *out, bool *more,
                              berth_error *error)
{
    *out = (vector_scenario){.expected = NULL};
    berth_status status = read_line(v, more, error);
    if (status != BERTH_OK || !*more)
        return status;
    const berth_str line = {v->line, (uint32_t)v->line_len};
    const berth_str expected = json_slice_member(line, "expected");
    out->scenario = json_slice_member(line, "scenario");
    if (out->scenario.data == NULL || expected.data == NULL)
        return fail(v, error, BERTH_E_PARSE, "not a JSON object with scenario and expected");
    copy_name(out, json_slice_member(out->scenario, "name"));
    json_error_t details;
    out->expected = json_loadb(expected.data, expected.len, 0, &details);
    if (out->expected == NULL)
        return fail(v, error, BERTH_E_PARSE, details.text);
    if (!json_is_array(json_object_get(out->expected, "decisions")))
        return fail(v, error, BERTH_E_INVALID, "expected.decisions is not a list");
    return BERTH_OK;
}

void vector_scenario_release(vector_scenario *scenario)
{
    json_decref(scenario->expected);
    scenario->expected = NULL;
}
