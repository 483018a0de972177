/* berth capacity: how many more of each pod fit, where, and what stops the next one. Everything is
 * tried in a transaction and rolled back. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/listing.h"
#include "cli/output.h"
#include "cli/plain_text.h"
#include "cli/table.h"
#include "cli/verbosity.h"
#include "commands/commands.h"
#include "plans/capacity_count.h"
#include "plans/plan_pods.h"

typedef struct capacity {
    engine_setup setup;
    cluster_input input;
    text_list podspec_files;
    input_files podspec_names; /* memory for their expanded names */
    text_list excluded;
    bool summary_only;
    listing list;
    capacity_count count;
} capacity;

static const command_help help = {
    .name = "capacity",
    .synopsis = "[OPTION...] (-f FILE... | --live) --podspec FILE...",
    .text =
        "Counts how many more pods of each specification the cluster has room for, and on which\n"
        "nodes, and reports what stops the next one, in kube-scheduler's words. A specification\n"
        "is a Pod or a workload with a pod template; its number of replicas does not matter. Each\n"
        "one is counted alone on the cluster as given; with --together, all share one cluster and\n"
        "take turns. Pods that wait in the cluster are not placed, except with --scale, where "
        "they\n"
        "are placed first. LimitRanges and ResourceQuotas of the pods' namespace apply as they do\n"
        "in an API server: a quota ends the count, too.\n",
    .examples =
        "  berth capacity -f cluster.json --podspec pod.yaml\n"
        "  berth capacity -f cluster.json --podspec pod.yaml --max 100 --summary\n"
        "  berth capacity -f cluster.json --podspec web.yaml --podspec db.yaml --together\n"
        "  berth capacity -f cluster.json --podspec pod.yaml --exclude-nodes node-17,node-18\n"
        "  sh -c \"$(berth dump)\" && berth capacity -f cluster.json --podspec job.yaml -o json\n"
        "  berth capacity --live --podspec job.yaml\n",
};

/* ---- nodes ---- */

static berth_status exclude_nodes(capacity *c, berth_error *error)
{
    for (size_t i = 0; i < c->excluded.count; i++) {
        const char *at = c->excluded.items[i];
        while (*at != '\0') {
            berth_str name = {at, (uint32_t)strcspn(at, ",")};
            at += name.len + (at[name.len] == ',');
            if (name.len == 0)
                continue;
            berth_status status =
                berth_engine_remove(c->count.engine, BERTH_KIND_NODE, (berth_str){0}, name, error);
            if (status != BERTH_OK)
                return status;
        }
    }
    return BERTH_OK;
}

/* ---- results ---- */

/* The words of --sort. */
static const char *const sort_names[] = {"given", "name", "fit", NULL};
enum { SORT_GIVEN, SORT_NAME, SORT_FIT };

static int by_object(const void *a, const void *b)
{
    const podspec *left = a;
    const podspec *right = b;
    return strcmp(left->object, right->object);
}

/* Sorts the smallest counts first: these are what runs short. */
static int by_fit(const void *a, const void *b)
{
    const podspec *left = a;
    const podspec *right = b;
    if (left->fit_count != right->fit_count)
        return left->fit_count < right->fit_count ? -1 : 1;
    return by_object(a, b);
}

static void sort_specs(capacity *c)
{
    if (c->list.sort != SORT_GIVEN)
        qsort(c->count.specs.items, c->count.specs.count, sizeof(*c->count.specs.items),
              c->list.sort == SORT_NAME ? by_object : by_fit);
}

static const char *stopped_by(const capacity *c, const podspec *spec)
{
    if (spec->message == NULL)
        return "the limit of --max";
    return c->list.format == OUTPUT_TABLE ? spec->brief : spec->message;
}

static void number_text(char text[24], uint64_t number)
{
    snprintf(text, 24, "%" PRIu64, number);
}

static void print_specs(const capacity *c)
{
    static const char *const titles[] = {"PODSPEC", "FIT", "NODES", "STOPPED BY"};
    table t;
    table_open(&t, stdout, titles, 4, 1u << 1 | 1u << 2);
    for (int writing = 0; writing <= 1; writing++) {
        if (writing)
            table_head(&t);
        for (size_t s = 0; s < c->count.specs.count; s++) {
            char fit[24], nodes[24];
            number_text(fit, c->count.specs.items[s].fit_count);
            number_text(nodes, capacity_count_nodes(&c->count, &c->count.specs.items[s]));
            const char *const cells[] = {c->count.specs.items[s].object, fit, nodes,
                                         stopped_by(c, &c->count.specs.items[s])};
            for (uint32_t i = 0; i < 4; i++) {
                if (writing)
                    table_cell_text(&t, cells[i]);
                else if (i < 3)
                    table_measure(&t, i, (uint32_t)strlen(cells[i]));
            }
        }
    }
}

static void print_nodes(const capacity *c)
{
    static const char *const titles[] = {"PODSPEC", "NODE", "PODS"};
    table t;
    putchar('\n');
    table_open(&t, stdout, titles, 3, 1u << 2);
    for (int writing = 0; writing <= 1; writing++) {
        if (writing)
            table_head(&t);
        for (size_t s = 0; s < c->count.specs.count; s++)
            for (uint32_t i = 0; i < c->count.node_count; i++) {
                char pods[24];
                if (c->count.specs.items[s].by_node[i] == 0)
                    continue;
                number_text(pods, c->count.specs.items[s].by_node[i]);
                const berth_str cells[] = {
                    words_of(c->count.specs.items[s].object),
                    berth_engine_node_name(c->count.engine, c->count.nodes[i]), words_of(pods)};
                for (uint32_t k = 0; k < 3; k++) {
                    if (writing)
                        table_cell(&t, cells[k]);
                    else
                        table_measure(&t, k, cells[k].len);
                }
            }
    }
}

static void write_results(const capacity *c)
{
    output o;
    output_open(&o, stdout, (output_format)c->list.format, 4);
    output_object(&o);
    output_schema(&o, help.name);
    capacity_count_write(&c->count, c->summary_only, &o);
    output_object_end(&o);
    output_close(&o);
}

/* Prints "Deployment team/web" in kubectl's form: deployment/team/web. */
static void print_name(const char *object)
{
    const size_t kind = strcspn(object, " ");
    char *name = heap_text(object, strlen(object));
    for (size_t i = 0; i < kind; i++)
        if (name[i] >= 'A' && name[i] <= 'Z')
            name[i] = (char)(name[i] - 'A' + 'a');
    if (name[kind] == ' ')
        name[kind] = '/';
    plain_text_line(stdout, "%s", name);
    free(name);
}

static void show(const capacity *c)
{
    if (c->list.format == OUTPUT_NAME) {
        for (size_t i = 0; i < c->count.specs.count; i++)
            if (c->count.specs.items[i].fit_count > 0)
                print_name(c->count.specs.items[i].object);
        return;
    }
    if (listing_is_flat(&c->list)) {
        print_specs(c);
        return;
    }
    if (!listing_is_table(&c->list)) {
        write_results(c);
        return;
    }
    print_specs(c);
    if (!c->summary_only)
        print_nodes(c);
    cluster_version_print(&c->input.version, &c->setup, stdout);
    verbosity_note("%" PRIu64 " decisions in %.6f s, %.0f a second", c->count.decision_count,
                   c->count.seconds, capacity_count_rate(&c->count));
}

/* ---- the command ---- */

/* With --scale, first place all pending pods, including those that an autoscaler adds. */
static berth_status place_scaled(capacity *c, berth_error *error)
{
    berth_pod_id *pods = NULL;
    uint64_t count = 0;
    if (c->input.autoscalers.goal == SCALE_CURRENT)
        return BERTH_OK;
    berth_status status = plan_pending(c->count.engine, &pods, &count, error);
    for (uint64_t i = 0; i < count && status == BERTH_OK; i++) {
        berth_placement placement;
        if (cluster_input_skipped(&c->input, pods[i]) == NULL)
            status = berth_engine_schedule(c->count.engine, pods[i], &placement, error);
    }
    free(pods);
    return status;
}

static berth_status prepare(capacity *c, berth_error *error)
{
    berth_status status = cluster_input_version(&c->input, &c->setup, error);
    if (status == BERTH_OK)
        status = engine_setup_resolve(&c->setup, error);
    c->input.more_follows = true;
    if (status == BERTH_OK)
        status = engine_setup_create(&c->setup, &c->count.engine, error);
    if (status == BERTH_OK)
        status = cluster_input_load(&c->input, &c->setup, c->count.engine, error);
    if (status == BERTH_OK)
        status = exclude_nodes(c, error);
    if (status == BERTH_OK)
        status = place_scaled(c, error);
    if (status == BERTH_OK)
        status =
            podspecs_read(&c->count.specs, &c->podspec_files, &c->input, c->count.engine, error);
    if (status == BERTH_OK)
        status = cluster_input_report(&c->input, error);
    return status;
}

static int run(capacity *c)
{
    berth_error error = {.code = BERTH_OK};
    berth_status status = prepare(c, &error);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    status = capacity_count_run(&c->count, &error);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    sort_specs(c);
    show(c);
    bool all = true;
    for (size_t i = 0; i < c->count.specs.count; i++)
        all &= c->count.specs.items[i].fit_count > 0;
    return c->list.exit_code && !all ? EXIT_NEGATIVE : EXIT_DONE;
}

static int check(capacity *c, const text_list *operands)
{
    size_t standard = 0;
    int code = cluster_input_check(&c->input, operands, help.name);
    if (code != EXIT_DONE)
        return code;
    if (c->podspec_files.count == 0)
        return exit_usage(help.name, "no pod to count: name a file with --podspec");
    code = input_files_expand(&c->podspec_names, &c->podspec_files, c->input.recursive, help.name);
    if (code != EXIT_DONE)
        return code;
    for (size_t i = 0; i < c->podspec_files.count; i++)
        standard += strcmp(c->podspec_files.items[i], "-") == 0;
    for (size_t i = 0; i < c->input.files.count; i++)
        standard += strcmp(c->input.files.items[i], "-") == 0;
    return standard > 1 ? exit_usage(help.name, "standard input ('-') can be read only once")
                        : EXIT_DONE;
}

static void release(capacity *c)
{
    text_list_free(&c->podspec_files);
    input_files_free(&c->podspec_names);
    text_list_free(&c->excluded);
    capacity_count_free(&c->count);
    berth_engine_destroy(c->count.engine);
    cluster_input_release(&c->input);
    engine_setup_release(&c->setup);
}

int cmd_capacity(int argc, char **argv)
{
    capacity c = {.list.format = OUTPUT_TABLE};
    c.count.input = &c.input;
    text_list operands = {0};
    const option own[] = {
        {.name = "podspec",
         .kind = OPTION_TEXTS,
         .value = "FILE",
         .target = &c.podspec_files,
         .help = "what to count: a Pod or a workload, one or more a file;\na folder, a list with "
                 "commas and repeatable as --file"},
        {.name = "together",
         .kind = OPTION_FLAG,
         .target = &c.count.together,
         .help = "place one of each in turn until none fits, in one cluster"},
        {.name = "max",
         .kind = OPTION_NUMBER,
         .value = "N",
         .target = &c.count.max,
         .max = UINT32_MAX,
         .help = "stop after N pods of each; 0: no limit (default)"},
        {.name = "exclude-nodes",
         .kind = OPTION_TEXTS,
         .value = "NAME,...",
         .target = &c.excluded,
         .help = "leave these nodes out of the cluster; repeatable"},
        {.name = "summary",
         .kind = OPTION_FLAG,
         .target = &c.summary_only,
         .help = "do not list how many pods go to which node"},
    };
    const option_group groups[] = {cluster_input_options(&c.input), engine_setup_options(&c.setup),
                                   listing_options(&c.list, LISTING_EXIT_CODE, sort_names,
                                                   "exit with 1 if something fits nowhere"),
                                   OPTION_GROUP(own)};
    options_result parsed = options_parse(&help, groups, 4, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    listing_apply(&c.list);
    if (parsed == OPTIONS_RUN)
        code = check(&c, &operands);
    if (parsed == OPTIONS_RUN && code == EXIT_DONE)
        code = run(&c);
    text_list_free(&operands);
    release(&c);
    return code;
}
