/* berth replay: plays a trace on a cluster in virtual time and reports the results. */
#include <stdio.h>
#include <string.h>

#include "cli/exits.h"
#include "commands/commands.h"
#include "inspect/inspection.h"
#include "loading/engine_setup.h"
#include "replay/replay.h"
#include "replay/replay_files.h"
#include "replay/replay_input.h"
#include "replay/replay_plot.h"
#include "replay/replay_report.h"
#include "report/format_words.h"
#include "traces/trace_envelope.h"

static const char *const format_names[] = {"text", "json", NULL};
static const char *const lost_names[] = {"restart", "drop", NULL};

typedef struct replay_command {
    engine_setup setup;
    replay_input input;
    int format;
    int lost;
    int plots;
    bool plots_given;
    bool pods;
    bool strict;
    const char *folder;
    /* seconds, as given */
    const char *sample_interval;
    const char *bind_latency;
    const char *until;
    const char *failure_mean;
    const char *repair;
    replay_options options;
    replay_files files;
    replay_speed speed;
} replay_command;

static const command_help help = {
    .name = "replay",
    .synopsis = "[OPTION...] TRACE | openb NODES.csv PODS.csv | --synthetic SPEC",
    .text =
        "Runs a trace through the scheduling queue and the engine in virtual time: pods arrive,\n"
        "wait, are placed, run and leave; nodes fail and return. Reports how long pods waited,\n"
        "how full and how fragmented the cluster was, and which pods found no place and why. The\n"
        "same trace, options and seed give the same report with any number of threads.\n\n"
        "TRACE is a file of JSON lines, gzip or not, sorted by time; '-' is standard input. Times\n"
        "and durations S are seconds. A pod with a duration leaves that long after it was bound;\n"
        "other pods stay until they are removed. Pod and Node are Kubernetes objects. A\n"
        "template needs no node name. \"labels\" may stand beside \"name\". With \"count\" the\n"
        "names are N-0 to N-(K-1). Lines:\n" TRACE_LINES_HELP "\n"
        "Fragmentation of a resource is the share of its free amount on nodes without room for a\n"
        "pod, averaged over the pods seen so far.\n",
    .examples =
        "  berth replay --output-dir out openb nodes.csv pods.csv\n"
        "  berth replay --no-departures openb nodes_gpu_only.csv pods.csv\n"
        "  berth replay -f cluster.json --node-mtbf 86400 --node-repair 900 trace.jsonl.gz\n"
        "  berth replay -o out trace.jsonl.gz && berth report -f out -o replay.html\n"
        "  berth replay --synthetic nodes=5000,pods=1000000,workload=basic\n",
};

enum { FILE_OPTIONS = 4, RUN_OPTIONS = 7, OWN_OPTIONS = FILE_OPTIONS + RUN_OPTIONS };

static void file_options(replay_command *c, option options[FILE_OPTIONS])
{
    const option list[FILE_OPTIONS] = {
        {.name = "output-dir",
         .letter = 'o',
         .kind = OPTION_TEXT,
         .value = "DIR",
         .target = &c->folder,
         .help = "write report.json, series.csv, waits.csv and plots there"},
        {.name = "pods",
         .kind = OPTION_FLAG,
         .target = &c->pods,
         .help = "also write pods.csv there: one line per pod"},
        {.name = "plots",
         .kind = OPTION_CHOICE,
         .value = "KIND",
         .target = &c->plots,
         .given = &c->plots_given,
         .choices = replay_plots_names,
         .help = "kind of plots, made by gnuplot"},
        {.name = "format",
         .kind = OPTION_CHOICE,
         .value = "FORMAT",
         .target = &c->format,
         .choices = format_names,
         .help = "form of the report on standard output"},
    };
    memcpy(options, list, sizeof(list));
}

static void run_options(replay_command *c, option options[RUN_OPTIONS])
{
    const option list[RUN_OPTIONS] = {
        {.name = "sample-interval",
         .kind = OPTION_TEXT,
         .value = "S",
         .target = &c->sample_interval,
         .help = "virtual seconds between two rows of the series (default:\nchosen for 512 to "
                 "1024 rows)"},
        {.name = "bind-latency",
         .kind = OPTION_TEXT,
         .value = "S",
         .target = &c->bind_latency,
         .help = "virtual seconds from a decision to its binding (default 0)"},
        {.name = "until",
         .kind = OPTION_TEXT,
         .value = "S",
         .target = &c->until,
         .help = "stop at this time of the trace"},
        {.name = "node-mtbf",
         .kind = OPTION_TEXT,
         .value = "S",
         .target = &c->failure_mean,
         .help = "let each node fail at random, on average S after it came,\nuntil the trace "
                 "ends or --until"},
        {.name = "node-repair",
         .kind = OPTION_TEXT,
         .value = "S",
         .target = &c->repair,
         .help = "seconds until a failed node returns (default 600)"},
        {.name = "lost-pods",
         .kind = OPTION_CHOICE,
         .value = "WHAT",
         .target = &c->lost,
         .choices = lost_names,
         .help = "what happens to pods that were evicted or lost their node:\n"
                 "they are submitted again, or dropped"},
        {.name = "strict",
         .kind = OPTION_FLAG,
         .target = &c->strict,
         .help = "stop at an event that changes nothing, such as the removal\nof a pod that is not "
                 "there, instead of counting it"},
    };
    memcpy(options, list, sizeof(list));
}

/* ---- the options' values ---- */

typedef struct seconds_option {
    const char *name;
    const char *text;
    int64_t *out_ns;
    bool zero_is_fine;
} seconds_option;

static int read_seconds(replay_command *c)
{
    const seconds_option list[] = {
        {"sample-interval", c->sample_interval, &c->options.sample_interval_ns, false},
        {"bind-latency", c->bind_latency, &c->options.bind_latency_ns, true},
        {"until", c->until, &c->options.until_ns, true},
        {"node-mtbf", c->failure_mean, &c->options.failure_mean_ns, false},
        {"node-repair", c->repair, &c->options.repair_ns, true},
    };
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        const seconds_option *o = &list[i];
        if (o->text == NULL)
            continue;
        berth_str text = {o->text, (uint32_t)strlen(o->text)};
        if (!trace_seconds(text, o->out_ns) || (*o->out_ns == 0 && !o->zero_is_fine))
            return exit_usage(help.name, "--%s takes a number of seconds, not '%s'", o->name,
                              o->text);
    }
    return EXIT_DONE;
}

static int check(replay_command *c)
{
    c->options = (replay_options){
        .until_ns = TRACE_NEVER,
        .repair_ns = INT64_C(600000000000),
        .restart = c->lost == 0,
        .strict = c->strict,
        .seed = c->setup.seed,
    };
    int code = replay_input_check(&c->input, help.name);
    if (code == EXIT_DONE)
        code = read_seconds(c);
    if (code != EXIT_DONE)
        return code;
    if (c->folder != NULL && is_format_word(c->folder))
        return exit_usage(help.name,
                          "--output-dir names a folder, and '%s' is a format: '--format json' "
                          "prints the report as JSON. For a folder of that name, say "
                          "--output-dir ./%s",
                          c->folder, c->folder);
    if (c->folder == NULL && (c->pods || c->plots_given))
        return exit_usage(help.name, "--pods and --plots need --output-dir");
    if (c->repair != NULL && c->failure_mean == NULL)
        return exit_usage(help.name, "--node-repair needs --node-mtbf");
    c->options.keep_copies = replay_input_is_open(&c->input) || c->options.failure_mean_ns > 0;
    c->input.seed = c->setup.seed;
    return EXIT_DONE;
}

/* ---- results ---- */

/* Draw the plots. Without gnuplot everything else is still written; this is an error only if plots
 * were requested. */
static int draw(const replay_command *c)
{
    berth_error error = {.code = BERTH_OK};
    if (c->folder == NULL || c->plots == PLOTS_NONE)
        return EXIT_DONE;
    if (replay_plot_run(c->folder, "plots.gp", (replay_plots)c->plots, &error) == BERTH_OK)
        return EXIT_DONE;
    exit_error(help.name, &error);
    return error.code == BERTH_E_NOT_FOUND && !c->plots_given ? EXIT_DONE : EXIT_INTERNAL;
}

static int show(replay_command *c, const replay *r)
{
    berth_error error = {.code = BERTH_OK};
    if (c->format == 0)
        replay_report_print(r, &c->speed, stdout);
    else
        replay_report_write(r, &c->speed, stdout);
    if (replay_files_write(&c->files, r, (replay_plots)c->plots, &error) != BERTH_OK) {
        exit_error(help.name, &error);
        return EXIT_INTERNAL;
    }
    return draw(c);
}

/* ---- the command ---- */

static berth_status play(replay_command *c, replay *r, berth_engine *engine, berth_error *error)
{
    stopwatch watch;
    stopwatch_start(&watch);
    if (c->setup.config != NULL)
        c->options.backoff = berth_scheduler_config_backoff(c->setup.config);
    c->options.pods_file = c->files.pods;
    TRY(replay_open(r, &c->options, engine, error));
    berth_status status = replay_input_read(&c->input, engine, replay_event, r, error);
    if (status != BERTH_OK && !r->stopped)
        return status;
    TRY(replay_finish(r, error));
    if (c->failure_mean != NULL && r->failures_end_ns <= r->start_ns)
        fprintf(stderr, "berth replay: no node failed, because the trace ends at its start (no "
                        "durations, no later events); set an end with --until\n");
    stopwatch_stop(&watch);
    c->speed.seconds = stopwatch_seconds(&watch);
    c->speed.decision_seconds = stopwatch_microseconds(&r->watch, r->step_ticks) / 1e6;
    return BERTH_OK;
}

static int run(replay_command *c)
{
    berth_error error = {.code = BERTH_OK};
    berth_engine *engine = NULL;
    replay r = {.engine = NULL};
    int code = EXIT_DONE;
    berth_status status = engine_setup_resolve(&c->setup, &error);
    inspection_config(c->setup.config, help.name);
    if (status == BERTH_OK)
        status = engine_setup_create(&c->setup, &engine, &error);
    if (status == BERTH_OK)
        status = replay_files_open(&c->files, c->folder, c->pods, &error);
    if (status == BERTH_OK)
        status = play(c, &r, engine, &error);
    code = status == BERTH_OK ? show(c, &r) : exit_error(help.name, &error);
    replay_close(&r);
    berth_engine_destroy(engine);
    return code;
}

int cmd_replay(int argc, char **argv)
{
    replay_command c = {.format = 0, .setup.places_groups = true};
    option own[OWN_OPTIONS];
    file_options(&c, own);
    run_options(&c, own + FILE_OPTIONS);
    const option_group groups[] = {replay_input_options(&c.input),
                                   {own, OWN_OPTIONS, OPTIONS_OWN},
                                   engine_setup_options(&c.setup)};
    options_result parsed = options_parse(&help, groups, 3, &c.input.operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN)
        code = check(&c);
    if (parsed == OPTIONS_RUN && code == EXIT_DONE)
        code = run(&c);
    replay_files_close(&c.files);
    replay_input_release(&c.input);
    engine_setup_release(&c.setup);
    return code;
}
