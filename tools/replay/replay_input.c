/* Provides the input of a replay: a cluster that is read or made, and a trace. */
#include "replay/replay_input.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/words.h"
#include "workloads/workloads.h"

enum { PROGRESS_EVERY = 256 };

option_group replay_input_options(replay_input *input)
{
    const option own[] = {
        {.name = "file",
         .letter = 'f',
         .kind = OPTION_TEXTS,
         .alias = "filename",
         .value = "FILE",
         .target = &input->cluster_files,
         .help = "a cluster to start with: objects in JSON or YAML, gzip or\nnot, or a folder of "
                 "such files; repeatable, or a list\nwith commas"},
        {.name = "recursive",
         .letter = 'R',
         .kind = OPTION_FLAG,
         .target = &input->recursive,
         .help = "read the subfolders of a folder, too"},
        {.name = "synthetic",
         .kind = OPTION_TEXT,
         .value = "SPEC",
         .target = &input->synthetic,
         .help = "make the trace: nodes=N,zones=N,pods=N,running=N,\n"
                 "workload=NAME,seed=N (see 'berth generate --help')"},
        {.name = "draw",
         .kind = OPTION_NUMBER,
         .value = "P",
         .min = 1,
         .max = 1000,
         .target = &input->draw_percent,
         .help = "of openb: draw tasks at random until they ask for P percent\n"
                 "of the GPUs, one a second, and let them stay"},
        {.name = "no-departures",
         .kind = OPTION_FLAG,
         .target = &input->no_departures,
         .help = "pods stay for ever, whatever the trace says"},
    };
    memcpy(input->options, own, sizeof(own));
    trace_arrivals_options(&input->arrivals, input->options + sizeof(own) / sizeof(own[0]));
    return (option_group){input->options, REPLAY_INPUT_OPTIONS, OPTIONS_INPUT};
}

static bool is_openb(const replay_input *input)
{
    return input->operands.count > 0 && strcmp(input->operands.items[0], "openb") == 0;
}

static int check_synthetic(const replay_input *input, const char *command)
{
    workload_spec spec = workload_spec_default();
    char reason[256];
    if (input->operands.count > 0)
        return exit_usage(command, "a trace and --synthetic exclude each other");
    if (!workload_spec_parse(input->synthetic, &spec, reason, sizeof(reason)))
        return exit_usage(command, "--synthetic: %s", reason);
    return EXIT_DONE;
}

int replay_input_check(replay_input *input, const char *command)
{
    bool arrivals = (input->arrivals.duration_s | input->arrivals.per_hour) != 0;
    if (arrivals && input->synthetic == NULL)
        return exit_usage(command, "--pod-duration and --arrivals-per-hour need --synthetic");
    if (input->draw_percent > 0 && !is_openb(input))
        return exit_usage(command, "--draw needs the openb trace");
    int code =
        input_files_expand(&input->cluster_names, &input->cluster_files, input->recursive, command);
    if (code != EXIT_DONE)
        return code;
    if (input->synthetic != NULL)
        return check_synthetic(input, command);
    if (input->operands.count == 0)
        return exit_usage(command, "no trace: name one, or give --synthetic");
    if (is_openb(input) && input->operands.count != 3)
        return exit_usage(command, "openb takes two files: NODES.csv PODS.csv");
    if (!is_openb(input) && input->operands.count > 1)
        return exit_usage(command, "one trace at a time; clusters are named with -f");
    return EXIT_DONE;
}

bool replay_input_is_open(const replay_input *input)
{
    return input->cluster_files.count > 0 || (input->synthetic == NULL && !is_openb(input));
}

/* ---- between the source and the replay ---- */

static void show_progress(replay_input *input)
{
    if (input->event_count++ % PROGRESS_EVERY != 0 || !input->bar.terminal)
        return;
    progress_update(&input->bar, input->lines.lines.file != NULL
                                     ? line_file_offset(&input->lines.lines)
                                     : input->event_count);
}

static berth_status pass_on(void *context, const trace_event *event, const berth_error *origin,
                            berth_error *error)
{
    replay_input *input = context;
    show_progress(input);
    if (!input->no_departures || event->kind != BERTH_KIND_POD)
        return input->each(input->context, event, origin, error);
    if (event->verb == TRACE_REMOVE)
        return BERTH_OK;
    trace_event staying = *event;
    staying.duration_ns = staying.leave_ns = TRACE_NEVER;
    return input->each(input->context, &staying, origin, error);
}

/* ---- the cluster ---- */

static berth_status on_cluster_object(void *context, const berth_object *object,
                                      const berth_error *origin, berth_error *error)
{
    replay_input *input = context;
    const trace_event event = {
        .time_ns = input->start_ns,
        .kind = object->kind,
        .object = *object,
        .duration_ns = TRACE_NEVER,
        .leave_ns = TRACE_NEVER,
    };
    return pass_on(input, &event, origin, error);
}

static berth_status read_cluster(replay_input *input, berth_engine *engine, berth_error *error)
{
    for (size_t i = 0; i < input->cluster_files.count; i++)
        TRY(berth_reader_file(input->reader, input->cluster_files.items[i], on_cluster_object,
                              input, error));
    return berth_reader_finish(input->reader, engine, on_cluster_object, input, error);
}

/* ---- the trace ---- */

static berth_status read_lines(replay_input *input, berth_engine *engine, berth_error *error)
{
    TRY(trace_lines_open(&input->lines, input->operands.items[0], input->reader, engine, error));
    TRY(trace_lines_start(&input->lines, &input->start_ns, error));
    TRY(read_cluster(input, engine, error));
    input->bar.total = input->lines.lines.size_bytes;
    for (bool more = true; more;)
        TRY(trace_lines_next(&input->lines, pass_on, input, &more, error));
    return BERTH_OK;
}

static berth_status read_openb(replay_input *input, berth_engine *engine, berth_error *error)
{
    const trace_openb_options options = {
        .nodes_path = input->operands.items[1],
        .pods_path = input->operands.items[2],
        .draw_percent = input->draw_percent,
        .seed = input->seed,
    };
    TRY(read_cluster(input, engine, error));
    return trace_openb_read(&input->openb, &options, pass_on, input, error);
}

static berth_status read_synthetic(replay_input *input, berth_engine *engine, berth_error *error)
{
    char reason[256];
    workload_spec spec = workload_spec_default();
    spec.seed = input->seed;
    if (!workload_spec_parse(input->synthetic, &spec, reason, sizeof(reason)))
        return error_set(error, BERTH_E_ARG, NULL, "%s", reason);
    input->bar.total = workload_object_count(&spec);
    TRY(read_cluster(input, engine, error));
    return trace_synthetic_read(&spec, &input->arrivals, pass_on, input, error);
}

berth_status replay_input_read(replay_input *input, berth_engine *engine, trace_event_fn each,
                               void *context, berth_error *error)
{
    const berth_read_options options = {
        .size = sizeof(options),
        .apply_defaults = true,
        .default_kind = "Pod",
    };
    input->each = each;
    input->context = context;
    berth_status status = berth_reader_create(&options, &input->reader, error);
    if (status != BERTH_OK)
        return status;
    progress_start(&input->bar, "replaying", 0);
    if (input->synthetic != NULL)
        status = read_synthetic(input, engine, error);
    else if (is_openb(input))
        status = read_openb(input, engine, error);
    else
        status = read_lines(input, engine, error);
    progress_end(&input->bar);
    return status;
}

void replay_input_release(replay_input *input)
{
    berth_reader_destroy(input->reader);
    trace_lines_close(&input->lines);
    trace_openb_free(&input->openb);
    text_list_free(&input->cluster_files);
    input_files_free(&input->cluster_names);
    text_list_free(&input->operands);
}
