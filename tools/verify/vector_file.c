/* Reads files of decision vectors with one line in memory at a time. */
#include "verify/vector_file.h"

#include <string.h>

#include "traces/json_slice.h"

berth_status vector_file_open(vector_file *v, const char *path, berth_error *error)
{
    *v = (vector_file){.lines = {.path = path}};
    berth_status status = line_file_open(&v->lines, path, error);
    if (status == BERTH_OK)
        progress_start(&v->bar, path, v->lines.size_bytes);
    return status;
}

void vector_file_close(vector_file *v)
{
    progress_end(&v->bar);
    line_file_close(&v->lines);
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

berth_status vector_file_next(vector_file *v, vector_scenario *out, bool *more, berth_error *error)
{
    *out = (vector_scenario){.expected = NULL};
    berth_status status = line_file_next(&v->lines, more, error);
    if (status != BERTH_OK || !*more)
        return status;
    progress_update(&v->bar, line_file_offset(&v->lines));
    const berth_str line = {v->lines.line, (uint32_t)v->lines.len};
    const berth_str expected = json_slice_member(line, "expected");
    out->scenario = json_slice_member(line, "scenario");
    if (out->scenario.data == NULL || expected.data == NULL)
        return line_file_fail(&v->lines, error, BERTH_E_PARSE,
                              "not a JSON object with scenario and expected");
    copy_name(out, json_slice_member(out->scenario, "name"));
    json_error_t details;
    out->expected = json_loadb(expected.data, expected.len, 0, &details);
    if (out->expected == NULL)
        return line_file_fail(&v->lines, error, BERTH_E_PARSE, "%s", details.text);
    if (json_is_array(json_object_get(out->expected, "decisions")))
        return BERTH_OK;
    vector_scenario_release(out);
    return line_file_fail(&v->lines, error, BERTH_E_INVALID, "expected.decisions is not a list");
}

void vector_scenario_release(vector_scenario *scenario)
{
    json_decref(scenario->expected);
    scenario->expected = NULL;
}
