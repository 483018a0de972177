/* berth capacity: how many more of each pod fit, where, and what stops the next. Everything is
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
#include "commands/commands.h"
#include "commands/podspec_claims.h"
#include "explain/device_lacks.h"
#include "explain/reason_sets.h"
#include "loading/cluster_input.h"
#include "loading/node_list.h"

/* One pod specification, and what came of it. */
typedef struct podspec {
    berth_pod_id like;     /* a pod of it, pending throughout */
    char *object;          /* "Deployment default/web" */
    char *name;            /* that its pods' names begin with */
    uint64_t serial;       /* of the last name */
    podspec_claims claims; /* of its pods' own */
    uint64_t fit_count;
    uint64_t *by_node; /* in the order of `nodes` */
    char *brief;       /* the same in short; NULL with it */
    char *message;     /* why no further one fits; NULL: nothing stopped it but --max */
} podspec;

typedef struct capacity {
    engine_setup setup;
    cluster_input input;
    text_list podspec_files;
    made_claims made; /* ResourceClaims for pods of these files */
    text_list excluded;
    uint64_t max; /* 0: no limit */
    bool together;
    bool summary_only;
    listing list;
    berth_engine *engine;
    berth_explanation *explanation;
    podspec *specs;
    size_t spec_count;
    size_t spec_capacity;
    berth_node_id *nodes; /* in search order */
    uint32_t node_count;
    uint32_t *place_of_node; /* by id: place in `nodes` */
    uint32_t place_count;
    uint64_t decision_count;
    double seconds;
} capacity;

static const command_help help = {
    .name = "capacity",
    .synopsis = "[OPTION...] -f FILE... --podspec FILE...",
    .text =
        "Counts how many more pods of each specification the cluster takes, on which nodes, and\n"
        "tells what stops the next one, in kube-scheduler's words. A specification is a Pod or\n"
        "any workload with a pod template; its number of replicas is not read. Each is counted\n"
        "alone, with the cluster as given; with --together they take turns in one cluster. Pods\n"
        "that wait in the cluster go on waiting.\n",
    .examples =
        "  berth capacity -f cluster.json --podspec pod.yaml\n"
        "  berth capacity -f cluster.json --podspec web.yaml --podspec db.yaml --together\n"
        "  sh -c \"$(berth dump)\" && berth capacity -f cluster.json --podspec job.yaml -o json\n",
};

/* ---- reading specifications ---- */

static char *copy_text(berth_str text)
{
    char *copy = heap_new((size_t)text.len + 1, 1);
    if (text.len > 0)
        memcpy(copy, text.data, text.len);
    return copy;
}

static bool is_taken(const capacity *c, berth_str namespace_name, const char *name)
{
    return berth_engine_find_pod(c->engine, namespace_name, words_of(name)) != BERTH_POD_NONE;
}

/* A name that no pod has: the pod's own, or one made from it. */
static char *free_name(const capacity *c, const berth_metadata *meta)
{
    size_t size = (size_t)meta->name.len + 32;
    char *name = heap_new(size, 1);
    snprintf(name, size, "%.*s", (int)meta->name.len, meta->name.data);
    for (unsigned i = 1; is_taken(c, meta->namespace_name, name); i++)
        snprintf(name, size, "%.*s-%u", (int)meta->name.len, meta->name.data, i);
    return name;
}

/* A pod of the specification as it would be created: on no node, at no point of its life. */
static berth_status add_podspec(capacity *c, const berth_pod *source, const char *described,
                                berth_error *error)
{
    podspec spec = {.object = copy_text(words_of(described))};
    berth_pod pod = *source;
    spec.name = free_name(c, &source->meta);
    podspec_claims_begin(&spec.claims, source, &c->made);
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = source};
    for (int i = 0; i < 2; i++) /* a claim that it names is all of its pods' */
        claim_book_see(&c->input.claims, &object);
    pod.meta.name = words_of(spec.name);
    pod.meta.deleting = false;
    pod.node_name = pod.nominated_node_name = pod.phase = (berth_str){0};
    c->specs = heap_grow(c->specs, &c->spec_capacity, c->spec_count + 1, sizeof(*c->specs));
    c->specs[c->spec_count++] = spec;
    return berth_engine_add_pod(c->engine, &pod, &c->specs[c->spec_count - 1].like, error);
}

/* Objects beside the pods are part of the cluster; those that are there already stay. What was made
 * for a pod is what each of its kind gets. */
static berth_status add_other(capacity *c, const berth_object *object, berth_error *error)
{
    if (made_claims_keep(&c->made, object))
        return BERTH_OK;
    berth_status status = berth_engine_add(c->engine, object, NULL, error);
    for (size_t s = 0; object->kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM && s < c->spec_count; s++)
        podspec_claims_offer(&c->specs[s].claims, object);
    if (status == BERTH_OK)
        claim_book_see(&c->input.claims, object);
    return status == BERTH_E_EXISTS ? BERTH_OK : status;
}

static berth_status on_read(void *context, const berth_object *object, const berth_error *origin,
                            berth_error *error)
{
    capacity *c = context;
    cluster_input_look(&c->input, object, origin);
    berth_status status = object->kind == BERTH_KIND_POD
                              ? add_podspec(c, object->as.pod, origin->object, error)
                              : add_other(c, object, error);
    if (status != BERTH_OK) {
        error->object[0] = '\0'; /* of the workload, not of a pod made of it */
        cluster_input_refused(&c->input, object, origin, error);
    }
    return status;
}

static berth_status read_podspecs(capacity *c, berth_error *error)
{
    berth_read_options options = cluster_input_reading(&c->input);
    options.templates = true;
    berth_reader *reader = NULL;
    berth_status status = berth_reader_create(&options, &reader, error);
    if (status != BERTH_OK)
        return status;
    for (size_t i = 0; i < c->podspec_files.count && status == BERTH_OK; i++)
        status = berth_reader_file(reader, c->podspec_files.items[i], on_read, c, error);
    if (status == BERTH_OK)
        status = berth_reader_finish(reader, c->engine, on_read, c, error);
    berth_reader_destroy(reader);
    if (status == BERTH_OK && c->spec_count == 0)
        status = error_set(error, BERTH_E_NOT_FOUND, c->podspec_files.items[0],
                           "there is neither a pod nor a pod template in it");
    return status;
}

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
    for (size_t s = 0; s < c->spec_count; s++)
        c->specs[s].by_node = heap_new(c->node_count, sizeof(uint64_t));
    return BERTH_OK;
}

/* ---- counting ---- */

/* Where devices are what ends it, which. */
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
    spec->message = copy_text(message);
    text_buffer brief = {0};
    reasons_text(c->explanation, &brief);
    tell_devices(c, pod, &brief);
    spec->brief = copy_text(text_str(&brief));
    text_free(&brief);
    return BERTH_OK;
}

static berth_status add_pod(capacity *c, podspec *spec, berth_pod_id *pod, berth_error *error)
{
    size_t size = strlen(spec->name) + 32;
    char *name = heap_new(size, 1);
    berth_status status;
    do {
        snprintf(name, size, "%s-%" PRIu64, spec->name, ++spec->serial);
        *error = (berth_error){.code = BERTH_OK};
        status = spec->claims.count > 0
                     ? podspec_claims_add_pod(&spec->claims, c->engine, name, pod, error)
                     : berth_engine_add_like(c->engine, spec->like, words_of(name), pod, error);
    } while (status == BERTH_E_EXISTS);
    free(name);
    return status;
}

/* Place one more. `*more` tells whether another may be tried. */
static berth_status place_one(capacity *c, podspec *spec, bool *more, berth_error *error)
{
    berth_pod_id pod;
    berth_placement placement;
    berth_status status = add_pod(c, spec, &pod, error);
    if (status == BERTH_OK)
        status = berth_engine_schedule(c->engine, pod, &placement, error);
    if (status != BERTH_OK)
        return status;
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

/* Specifications from `first` on, in turn, until each is stopped. */
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
    while (left > 0 && status == BERTH_OK)
        for (size_t i = 0; i < count && status == BERTH_OK; i++) {
            if (!more[i])
                continue;
            status = place_one(c, &c->specs[first + i], &more[i], error);
            left -= !more[i];
            if (c->decision_count % 64 == 0)
                progress_update(bar, c->decision_count);
        }
    free(more);
    berth_engine_rollback(c->engine, NULL);
    claim_book_restore(&c->input.claims);
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
        status = count_in_turn(c, 0, c->spec_count, &bar, error);
    for (size_t i = 0; i < c->spec_count && !c->together && status == BERTH_OK; i++)
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

/* Least first: what is short. */
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
        qsort(c->specs, c->spec_count, sizeof(*c->specs),
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
    return c->list.format == OUTPUT_WIDE ? spec->message : spec->brief;
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
        for (size_t s = 0; s < c->spec_count; s++) {
            char fit[24], nodes[24];
            number_text(fit, c->specs[s].fit_count);
            number_text(nodes, used_nodes(c, &c->specs[s]));
            const char *const cells[] = {c->specs[s].object, fit, nodes,
                                         stopped_by(c, &c->specs[s])};
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
        for (size_t s = 0; s < c->spec_count; s++)
            for (uint32_t i = 0; i < c->node_count; i++) {
                char pods[24];
                if (c->specs[s].by_node[i] == 0)
                    continue;
                number_text(pods, c->specs[s].by_node[i]);
                const berth_str cells[] = {words_of(c->specs[s].object),
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
    for (size_t s = 0; s < c->spec_count; s++)
        write_spec(c, &c->specs[s], &o);
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

static void show(const capacity *c)
{
    if (c->list.format == OUTPUT_NAME) {
        for (size_t i = 0; i < c->spec_count; i++)
            if (c->specs[i].fit_count > 0)
                plain_text_line(stdout, "%s", c->specs[i].object);
        return;
    }
    if (!listing_is_table(&c->list)) {
        write_results(c);
        return;
    }
    print_specs(c);
    if (!c->summary_only)
        print_nodes(c);
    printf("\nDecisions    %" PRIu64 " in %.6f s, %.0f a second\n", c->decision_count, c->seconds,
           decisions_a_second(c));
}

/* ---- the command ---- */

static berth_status prepare(capacity *c, berth_error *error)
{
    cluster_input_version(&c->input, &c->setup);
    berth_status status = engine_setup_resolve(&c->setup, error);
    c->input.more_follows = true;
    if (status == BERTH_OK)
        status = engine_setup_create(&c->setup, &c->engine, error);
    if (status == BERTH_OK)
        status = cluster_input_load(&c->input, &c->setup, c->engine, error);
    if (status == BERTH_OK)
        status = exclude_nodes(c, error);
    if (status == BERTH_OK)
        status = read_podspecs(c, error);
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
    for (size_t i = 0; i < c->spec_count; i++)
        all &= c->specs[i].fit_count > 0;
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
    for (size_t i = 0; i < c->podspec_files.count; i++)
        standard += strcmp(c->podspec_files.items[i], "-") == 0;
    for (size_t i = 0; i < c->input.files.count; i++)
        standard += strcmp(c->input.files.items[i], "-") == 0;
    return standard > 1 ? exit_usage(help.name, "standard input ('-') can be read only once")
                        : EXIT_DONE;
}

static void release(capacity *c)
{
    for (size_t s = 0; s < c->spec_count; s++) {
        podspec_claims_free(&c->specs[s].claims);
        free(c->specs[s].object);
        free(c->specs[s].name);
        free(c->specs[s].message);
        free(c->specs[s].brief);
        free(c->specs[s].by_node);
    }
    free(c->specs);
    free(c->nodes);
    free(c->place_of_node);
    text_list_free(&c->podspec_files);
    made_claims_free(&c->made);
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
         .help = "what to count: a Pod or a workload, one or more a file;\nrepeatable"},
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
         .help = "leave out how many go to which node"},
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
