/* Traces: a file of any bytes is either a trace with events, or an error with its place. The first
 * byte chooses the format: JSON lines, or openb's two tables. */
#include "fuzz.h"

#include <string.h>

#include "berth/berth.h"
#include "fuzz_file.h"
#include "traces/trace_lines.h"
#include "traces/trace_openb.h"

enum { EVENTS_MAX = 5000 }; /* a line may request a million nodes */

static berth_status take(void *context, const trace_event *event, const berth_error *origin,
                         berth_error *error)
{
    uint32_t *count = context;
    (void)origin;
    FUZZ_CHECK(event->time_ns >= 0 && event->verb <= TRACE_RETURN);
    if (++*count < EVENTS_MAX)
        return BERTH_OK;
    *error = (berth_error){.code = BERTH_E_RANGE, .message = "enough"};
    return BERTH_E_RANGE;
}

static void told(berth_status status, const berth_error *error)
{
    FUZZ_CHECK(status == BERTH_OK || (error->code == status && error->message[0] != '\0'));
}

static void read_lines(const char *path)
{
    const berth_read_options options = {
        .size = sizeof(options), .threads = 1, .apply_defaults = true, .default_kind = "Pod"};
    berth_error error = {.code = BERTH_OK};
    berth_engine_config config;
    berth_engine *engine;
    berth_reader *reader;
    trace_lines lines;
    uint32_t count = 0;
    int64_t start_ns = 0;
    bool more = true;
    berth_engine_config_init(&config);
    config.threads = 1;
    FUZZ_CHECK(berth_engine_create(&config, &engine, NULL) == BERTH_OK);
    FUZZ_CHECK(berth_reader_create(&options, &reader, NULL) == BERTH_OK);
    berth_status status = trace_lines_open(&lines, path, reader, engine, &error);
    if (status == BERTH_OK)
        status = trace_lines_start(&lines, &start_ns, &error);
    while (status == BERTH_OK && more)
        status = trace_lines_next(&lines, take, &count, &more, &error);
    told(status, &error);
    trace_lines_close(&lines);
    berth_reader_destroy(reader);
    berth_engine_destroy(engine);
}

/* A zero byte separates the tables. */
static void read_tables(const uint8_t *data, size_t size, uint8_t how)
{
    const uint8_t *zero = memchr(data, 0, size);
    const size_t at = zero != NULL ? (size_t)(zero - data) : size;
    fuzz_file nodes = fuzz_file_make(data, at);
    fuzz_file pods = fuzz_file_make(data + at + (at < size), size - at - (at < size));
    const trace_openb_options options = {.nodes_path = nodes.path,
                                         .pods_path = pods.path,
                                         .draw_percent = how / 2 % 2 * 10,
                                         .seed = how};
    berth_error error = {.code = BERTH_OK};
    trace_openb trace = {0};
    uint32_t count = 0;
    told(trace_openb_read(&trace, &options, take, &count, &error), &error);
    trace_openb_free(&trace);
    fuzz_file_drop(&nodes);
    fuzz_file_drop(&pods);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    if (data[0] % 2 == 1) {
        read_tables(data + 1, size - 1, data[0]);
        return 0;
    }
    fuzz_file file = fuzz_file_make(data + 1, size - 1);
    read_lines(file.path);
    fuzz_file_drop(&file);
    return 0;
}
