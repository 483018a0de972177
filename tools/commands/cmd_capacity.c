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
#include "cli/progress.h"
#include "cli/stopwatch.h"
#include "cli/table.h"
#include "cli/verbosity.h"
#include "commands/commands.h"
#include "commands/podspecs.h"
#include "explain/device_lacks.h"
#include "explain/reason_sets.h"
#include "loading/node_list.h"
#include "plans/plan_pods.h"

typedef struct capacity {
    engine_setup setup;
    cluster_input input;
    text_list podspec_files;
    input_files podspec_names; /* memory for their expanded names */
    text_list excluded;
    uint64_t max; /* 0: no limit */
    bool together;
    bool summary_only;
    listing list;
    berth_engine *engine;
    berth_explanation *explanation;
    podspecs specs;
    berth_node_id *nodes; /* in search order */
    uint32_t node_count;
    uint32_t *place_of_node; /* by id: place in `nodes` */
    uint32_t place_count;
    uint64_t decision_count;
    double seconds;
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
                berth_engine_remove(c->engine, BERTH_KIND_NODE, (berth_str){0}, name, error);
            if (status != BERTH_OK)
                return status;
        }
    }
    return BERTH_OK;
}

static berth_status list_nodes(capacity *c, berth_error *error)
{
    TRY(node_list_make(c->engine, &c->nodes, &c->node_count, error));
    for (uint32_t i = 0; i < c->node_count; i++)
        if (c->nodes[i] >= c->place_count)
            c->place_count = c->nodes[i] + 1;
    c->place_of_node = heap_new(c->place_count, sizeof(*c->place_of_node));
    for (uint32_t i = 0; i < c->node_count; i++)
        c->place_of_node[c->nodes[i]] = i;
    for (size_t s = 0; s < c->specs.count; s++)
        c->specs.items[s].by_node = heap_new(c->node_count, sizeof(uint64_t));
    return BERTH_OK;
}

/* ---- counting ---- */

/* If devices end the count, say which ones. */
static void tell_devices(const capacity *c, berth_pod_id pod, text_buffer *out)
{
    text_buffer lacks = {0};
    device_lacks_tell_all(c->engine, pod, c->explanation, &lacks);
    if (lacks.len > 0)
        text_add(out, ": %s", lacks.text);
    text_free(&lacks);
}

static berth_status explain(capacity *c, podspec *spec, berth_pod_id pod, berth_error *error)
{
    const berth_decide_options options = {.size = sizeof(options),
                                          .flags = BERTH_DECIDE_KEEP_ROTATION,
                                          .explanation = c->explanation};
    berth_placement placement;
    berth_status status = berth_engine_decide(c->engine, pod, &options, &placement, error);
    if (status != BERTH_OK)
        return status;
    berth_str message = berth_explanation_message(c->explanation);
    if (message.data == NULL)
        message = words_of("the attempt failed with an error");
    spec->message = heap_text(message.data, message.len);
    text_buffer brief = {0};
    reasons_text(c->explanation, &brief);
    tell_devices(c, pod, &brief);
    spec->brief = heap_text(brief.len > 0 ? brief.text : "", brief.len);
    text_free(&brief);
    return BERTH_OK;
}

/* Stop a specification because admission accepts no further pod. */
static void stop(podspec *spec, const char *message)
{
    spec->admitted = false;
    spec->message = heap_text(message, strlen(message));
    spec->brief = heap_text(message, strlen(message));
}

static bool is_refused(capacity *c, podspec *spec, berth_pod_id pod)
{
    char reason[512];
    if (!admission_refuses(&c->input.admission, c->engine, pod, spec->lacks, reason,
                           sizeof(reason)))
        return false;
    stop(spec, reason);
    return true;
}

/* Place one more pod. `*more`: another one may be tried. */
static berth_status place_one(capacity *c, podspec *spec, bool *more, berth_error *error)
{
    berth_pod_id pod;
    berth_placement placement;
    *more = false;
    if (spec->refusal != NULL) {
        stop(spec, spec->refusal);
        return BERTH_OK;
    }
    TRY(podspec_add_pod(spec, c->engine, &pod, error));
    if (is_refused(c, spec, pod))
        return BERTH_OK;
    TRY(berth_engine_schedule(c->engine, pod, &placement, error));
    c->decision_count++;
    *more = placement.verdict == BERTH_VERDICT_PLACED;
    if (!*more)
        return explain(c, spec, pod, error);
    spec->by_node[c->place_of_node[placement.node]]++;
    TRY(claim_book_placed(&c->input.claims, c->engine, pod, error));
    spec->fit_count++;
    *more = spec->fit_count != c->max;
    return BERTH_OK;
}

/* Count `count` specifications from `first` on, in turn, until each is stopped. */
static berth_status count_in_turn(capacity *c, size_t first, size_t count, progress *bar,
                                  berth_error *error)
{
    bool *more = heap_new(count, sizeof(*more));
    size_t left = count;
    berth_status status = berth_engine_begin(c->engine, error);
    if (status != BERTH_OK) {
        free(more);
        return status;
    }
    memset(more, true, count * sizeof(*more));
    admission_save(&c->input.admission);
    while (left > 0 && status == BERTH_OK)
        for (size_t i = 0; i < count && status == BERTH_OK; i++) {
            if (!more[i])
                continue;
            status = place_one(c, &c->specs.items[first + i], &more[i], error);
            left -= !more[i];
            if (c->decision_count % 64 == 0)
                progress_update(bar, c->decision_count);
        }
    free(more);
    berth_engine_rollback(c->engine, NULL);
    claim_book_restore(&c->input.claims);
    admission_restore(&c->input.admission);
    return status;
}

static berth_status count_all(capacity *c, berth_error *error)
{
    berth_status status = BERTH_OK;
    stopwatch watch;
    progress bar;
    progress_start(&bar, "placing", 0);
    stopwatch_start(&watch);
    if (c->together)
        status = count_in_turn(c, 0, c->specs.count, &bar, error);
    for (size_t i = 0; i < c->specs.count && !c->together && status == BERTH_OK; i++)
        status = count_in_turn(c, i, 1, &bar, error);
    stopwatch_stop(&watch);
    progress_end(&bar);
    c->seconds = stopwatch_seconds(&watch);
    return status;
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
        qsort(c->specs.items, c->specs.count, sizeof(*c->specs.items),
              c->list.sort == SORT_NAME ? by_object : by_fit);
}

static uint32_t used_nodes(const capacity *c, const podspec *spec)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < c->node_count; i++)
        used += spec->by_node[i] > 0;
    return used;
}

static const char *stopped_by(const capacity *c, const podspec *spec)
{
    if (spec->message == NULL)
        return "the limit of --max";
    return c->list.format == OUTPUT_TABLE ? spec->brief : spec->message;
}

static double decisions_a_second(const capacity *c)
{
    return c->seconds > 0.0 ? (double)c->decision_count / c->seconds : 0.0;
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
        for (size_t s = 0; s < c->specs.count; s++) {
            char fit[24], nodes[24];
            number_text(fit, c->specs.items[s].fit_count);
            number_text(nodes, used_nodes(c, &c->specs.items[s]));
            const char *const cells[] = {c->specs.items[s].object, fit, nodes,
                                         stopped_by(c, &c->specs.items[s])};
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
        for (size_t s = 0; s < c->specs.count; s++)
            for (uint32_t i = 0; i < c->node_count; i++) {
                char pods[24];
                if (c->specs.items[s].by_node[i] == 0)
                    continue;
                number_text(pods, c->specs.items[s].by_node[i]);
                const berth_str cells[] = {words_of(c->specs.items[s].object),
                                           berth_engine_node_name(c->engine, c->nodes[i]),
                                           words_of(pods)};
                for (uint32_t k = 0; k < 3; k++) {
                    if (writing)
                        table_cell(&t, cells[k]);
                    else
                        table_measure(&t, k, cells[k].len);
                }
            }
    }
}

static void write_spec(const capacity *c, const podspec *spec, output *o)
{
    output_object(o);
    output_pair_text(o, "podspec", spec->object);
    output_pair_int(o, "fit", (int64_t)spec->fit_count);
    if (spec->message != NULL)
        output_pair_text(o, "message", spec->message);
    output_key(o, "admitted");
    output_bool(o, spec->admitted);
    output_key(o, "limited");
    output_bool(o, spec->message == NULL);
    if (!c->summary_only) {
        output_key(o, "nodes");
        output_array(o);
        for (uint32_t i = 0; i < c->node_count; i++) {
            if (spec->by_node[i] == 0)
                continue;
            output_object(o);
            output_pair_str(o, "node", berth_engine_node_name(c->engine, c->nodes[i]));
            output_pair_int(o, "pods", (int64_t)spec->by_node[i]);
            output_object_end(o);
        }
        output_array_end(o);
    }
    output_object_end(o);
}

static void write_results(const capacity *c)
{
    output o;
    output_open(&o, stdout, (output_format)c->list.format, 4);
    output_object(&o);
    output_schema(&o, help.name);
    output_key(&o, "podspecs");
    output_array(&o);
    for (size_t s = 0; s < c->specs.count; s++)
        write_spec(c, &c->specs.items[s], &o);
    output_array_end(&o);
    output_key(&o, "summary");
    output_object(&o);
    output_pair_int(&o, "nodes", c->node_count);
    output_key(&o, "together");
    output_bool(&o, c->together);
    output_pair_int(&o, "decisions", (int64_t)c->decision_count);
    output_pair_real(&o, "seconds", c->seconds, 6);
    output_pair_real(&o, "decisionsPerSecond", decisions_a_second(c), 0);
    output_object_end(&o);
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
        for (size_t i = 0; i < c->specs.count; i++)
            if (c->specs.items[i].fit_count > 0)
                print_name(c->specs.items[i].object);
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
    verbosity_note("%" PRIu64 " decisions in %.6f s, %.0f a second", c->decision_count, c->seconds,
                   decisions_a_second(c));
}

/* ---- the command ---- */

/* With --scale, first place all pending pods, including those that an autoscaler adds. */
static berth_status place_scaled(capacity *c, berth_error *error)
{
    berth_pod_id *pods = NULL;
    uint64_t count = 0;
    if (c->input.autoscalers.goal == SCALE_CURRENT)
        return BERTH_OK;
    berth_status status = plan_pending(c->engine, &pods, &count, error);
    for (uint64_t i = 0; i < count && status == BERTH_OK; i++) {
        berth_placement placement;
        if (cluster_input_skipped(&c->input, pods[i]) == NULL)
            status = berth_engine_schedule(c->engine, pods[i], &placement, error);
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
        status = engine_setup_create(&c->setup, &c->engine, error);
    if (status == BERTH_OK)
        status = cluster_input_load(&c->input, &c->setup, c->engine, error);
    if (status == BERTH_OK)
        status = exclude_nodes(c, error);
    if (status == BERTH_OK)
        status = place_scaled(c, error);
    if (status == BERTH_OK)
        status = podspecs_read(&c->specs, &c->podspec_files, &c->input, c->engine, error);
    if (status == BERTH_OK)
        status = cluster_input_report(&c->input, error);
    if (status == BERTH_OK)
        status = list_nodes(c, error);
    return status;
}

static int run(capacity *c)
{
    berth_error error = {.code = BERTH_OK};
    berth_status status = prepare(c, &error);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    status = berth_explanation_create(NULL, &c->explanation, &error);
    if (status != BERTH_OK)
        return exit_status(help.name, "making room for explanations", status);
    status = count_all(c, &error);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    sort_specs(c);
    show(c);
    bool all = true;
    for (size_t i = 0; i < c->specs.count; i++)
        all &= c->specs.items[i].fit_count > 0;
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
    podspecs_free(&c->specs);
    free(c->nodes);
    free(c->place_of_node);
    text_list_free(&c->podspec_files);
    input_files_free(&c->podspec_names);
    text_list_free(&c->excluded);
    berth_explanation_destroy(c->explanation);
    berth_engine_destroy(c->engine);
    cluster_input_release(&c->input);
    engine_setup_release(&c->setup);
}

int cmd_capacity(int argc, char **argv)
{
    capacity c = {.list.format = OUTPUT_TABLE};
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
         .target = &c.together,
         .help = "place one of each in turn until none fits, in one cluster"},
        {.name = "max",
         .kind = OPTION_NUMBER,
         .value = "N",
         .target = &c.max,
         .max = UINT32_MAX,
         .help = "stop after so many of each; 0: no limit (default)"},
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
