/* berth generate: writes a synthetic cluster as a Kubernetes List. */
#include <stdio.h>

#include "commands.h"
#include "exits.h"
#include "manifest.h"
#include "progress.h"
#include "workloads.h"

typedef struct generate {
    output out;
    progress bar;
    uint64_t written;
} generate;

static const command_help help = {
    .name = "generate",
    .synopsis = "[OPTION...]",
    .text =
        "Writes a synthetic cluster on standard output: a Kubernetes List, one object a line,\n"
        "that kubectl and 'berth schedule' read. The same options give the same bytes.\n\n"
        "Workloads:\n" WORKLOAD_HELP,
    .examples = "  berth generate --nodes 5000 --zones 3 --pods 20000 --workload mixed > c.json\n"
                "  berth generate --nodes 100 --running 500 --pods 50 | berth schedule -f -\n",
};

static berth_status write_object(void *context, const berth_object *object, berth_error *error)
{
    generate *g = context;
    manifest_write(&g->out, object);
    if (++g->written % 1024 == 0)
        progress_update(&g->bar, g->written);
    if (ferror(stdout) != 0)
        return error_set(error, BERTH_E_IO, NULL, "standard output cannot be written");
    return BERTH_OK;
}

static berth_status count_object(void *context, const berth_object *object, berth_error *error)
{
    (void)context;
    (void)object;
    (void)error;
    return BERTH_OK;
}

/* Find out whether the running pods fit before anything is written. */
static berth_status rehearse(const workload_spec *spec, berth_error *error)
{
    if (spec->running == 0)
        return BERTH_OK;
    workload_source *source = workload_source_create(spec);
    berth_status status =
        workload_source_make(source, WORKLOAD_NODES, count_object, NULL, error);
    if (status == BERTH_OK)
        status = workload_source_make(source, WORKLOAD_RUNNING, count_object, NULL, error);
    workload_source_destroy(source);
    return status;
}

static berth_status write_all(generate *g, const workload_spec *spec, berth_error *error)
{
    workload_source *source = workload_source_create(spec);
    berth_status status = workload_source_make_all(source, write_object, g, error);
    workload_source_destroy(source);
    return status;
}

static int run(const workload_spec *spec)
{
    generate g = {.written = 0};
    berth_error error = {.code = BERTH_OK};
    if (rehearse(spec, &error) != BERTH_OK)
        return exit_error(help.name, &error);
    progress_start(&g.bar, "writing", workload_object_count(spec));
    manifest_open(&g.out, stdout);
    berth_status status = write_all(&g, spec, &error);
    progress_end(&g.bar);
    if (status != BERTH_OK)
        return EXIT_INTERNAL; /* standard output failed: output_finish says why */
    manifest_close(&g.out);
    return EXIT_DONE;
}

int cmd_generate(int argc, char **argv)
{
    workload_spec spec = workload_spec_default();
    text_list operands = {0};
    option options[WORKLOAD_OPTIONS];
    workload_spec_options(&spec, options);
    const option seed[] = {
        {.name = "seed", .kind = OPTION_NUMBER, .value = "S", .max = INT64_MAX,
         .target = &spec.seed, .help = "seed of everything random (default 0)"},
    };
    const option_group groups[] = {{options, WORKLOAD_OPTIONS}, OPTION_GROUP(seed)};
    options_result parsed = options_parse(&help, groups, 2, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN && operands.count > 0)
        code = exit_usage(help.name, "unexpected argument '%s'", operands.items[0]);
    else if (parsed == OPTIONS_RUN)
        code = run(&spec);
    text_list_free(&operands);
    return code;
}
