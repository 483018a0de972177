/* berth generate: writes a synthetic cluster as a Kubernetes List, or as a trace. */
#include <stdio.h>

#include "cli/exits.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "traces/trace_synthetic.h"
#include "traces/trace_writer.h"
#include "workloads/manifest.h"
#include "workloads/workloads.h"

typedef struct generate {
    workload_spec spec;
    bool trace;
    bool indent;
    trace_arrivals arrivals;
    output out;
    trace_writer trace_out;
    progress bar;
    uint64_t written;
} generate;

static const command_help help = {
    .name = "generate",
    .synopsis = "[OPTION...]",
    .text = "Writes a synthetic cluster to standard output: a Kubernetes List with one object a\n"
            "line, for kubectl and 'berth schedule'. The same options give the same bytes.\n"
            "With --trace it writes a trace for 'berth replay' instead: the nodes at time 0, then\n"
            "the pods one after the other, each with its run time.\n\n"
            "Workloads:\n" WORKLOAD_HELP,
    .examples = "  berth generate --nodes 5000 --zones 3 --pods 20000 --workload mixed > c.json\n"
                "  berth generate --nodes 100 --running 500 --pods 50 | berth schedule -f -\n"
                "  berth generate --nodes 10 --running 50 --seed 7 --indent > small.json\n"
                "  berth generate --nodes 5000 --pods 20000 | gzip > c.json.gz\n"
                "  berth generate --trace --nodes 500 --pods 100000 --workload basic > t.jsonl\n",
};

static berth_status count_written(generate *g, berth_error *error)
{
    if (++g->written % 1024 == 0)
        progress_update(&g->bar, g->written);
    if (ferror(stdout) != 0)
        return error_set(error, BERTH_E_IO, NULL, "standard output cannot be written");
    return BERTH_OK;
}

static berth_status write_object(void *context, const berth_object *object, berth_error *error)
{
    generate *g = context;
    manifest_write(&g->out, object);
    return count_written(g, error);
}

static berth_status write_event(void *context, const trace_event *event, const berth_error *origin,
                                berth_error *error)
{
    (void)origin;
    generate *g = context;
    berth_status status = trace_writer_put(&g->trace_out, event);
    if (status != BERTH_OK)
        return error_set(error, status, NULL, "%s", berth_status_text(status));
    return count_written(g, error);
}

static berth_status count_object(void *context, const berth_object *object, berth_error *error)
{
    (void)context;
    (void)object;
    (void)error;
    return BERTH_OK;
}

/* Check that the running pods fit before anything is written. */
static berth_status rehearse(const workload_spec *spec, berth_error *error)
{
    if (workload_running_count(spec) == 0)
        return BERTH_OK;
    workload_source *source = workload_source_create(spec);
    berth_status status = workload_source_make(source, WORKLOAD_NODES, count_object, NULL, error);
    if (status == BERTH_OK)
        status = workload_source_make(source, WORKLOAD_RUNNING, count_object, NULL, error);
    workload_source_destroy(source);
    return status;
}

static berth_status write_cluster(generate *g, berth_error *error)
{
    workload_source *source = workload_source_create(&g->spec);
    manifest_open(&g->out, stdout, g->indent ? MANIFEST_INDENTED : MANIFEST_FLAT);
    berth_status status = workload_source_make_all(source, write_object, g, error);
    if (status == BERTH_OK)
        manifest_close(&g->out);
    workload_source_destroy(source);
    return status;
}

static berth_status write_trace(generate *g, berth_error *error)
{
    berth_status status = trace_writer_open(&g->trace_out, stdout);
    if (status != BERTH_OK)
        return error_set(error, status, NULL, "%s", berth_status_text(status));
    status = trace_synthetic_read(&g->spec, &g->arrivals, write_event, g, error);
    trace_writer_close(&g->trace_out);
    return status;
}

static int run(generate *g)
{
    berth_error error = {.code = BERTH_OK};
    if (rehearse(&g->spec, &error) != BERTH_OK)
        return exit_error(help.name, &error);
    progress_start(&g->bar, "writing", workload_object_count(&g->spec));
    berth_status status = g->trace ? write_trace(g, &error) : write_cluster(g, &error);
    progress_end(&g->bar);
    if (status == BERTH_E_IO)
        return EXIT_INTERNAL; /* standard output failed; output_finish reports why */
    return status == BERTH_OK ? EXIT_DONE : exit_error(help.name, &error);
}

int cmd_generate(int argc, char **argv)
{
    generate g = {.spec = workload_spec_default()};
    text_list operands = {0};
    option options[WORKLOAD_OPTIONS];
    option arrivals[TRACE_ARRIVAL_OPTIONS];
    workload_spec_options(&g.spec, options);
    trace_arrivals_options(&g.arrivals, arrivals);
    const option own[] = {
        {.name = "seed",
         .kind = OPTION_NUMBER,
         .value = "S",
         .max = INT64_MAX,
         .target = &g.spec.seed,
         .help = "seed of all random choices (default 0)"},
        {.name = "indent",
         .kind = OPTION_FLAG,
         .target = &g.indent,
         .help = "write one value per line, as kubectl does"},
        {.name = "trace",
         .kind = OPTION_FLAG,
         .target = &g.trace,
         .help = "write a trace: pods arrive and end at random times"},
    };
    const option_group groups[] = {{options, WORKLOAD_OPTIONS, OPTIONS_OWN},
                                   OPTION_GROUP(own),
                                   {arrivals, TRACE_ARRIVAL_OPTIONS, OPTIONS_OWN}};
    char reason[128];
    options_result parsed = options_parse(&help, groups, 3, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN && operands.count > 0)
        code = exit_usage(help.name, "unexpected argument '%s'", operands.items[0]);
    else if (parsed == OPTIONS_RUN && g.trace && g.indent)
        code =
            exit_usage(help.name, "--indent does not go with --trace, which has an event a line");
    else if (parsed == OPTIONS_RUN && !g.trace &&
             (g.arrivals.duration_s | g.arrivals.per_hour) != 0)
        code = exit_usage(help.name, "--pod-duration and --arrivals-per-hour need --trace");
    else if (parsed == OPTIONS_RUN && !workload_spec_check(&g.spec, reason, sizeof(reason)))
        code = exit_usage(help.name, "--%s", reason);
    else if (parsed == OPTIONS_RUN)
        code = run(&g);
    text_list_free(&operands);
    return code;
}
