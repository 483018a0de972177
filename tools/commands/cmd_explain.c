/* berth explain: why a pod goes where it goes, or nowhere, node by node; and what would help. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "commands/commands.h"
#include "explain/explained.h"
#include "explain/pod_lookup.h"
#include "loading/cluster_input.h"
#include "plans/node_lookup.h"

typedef struct explain {
    engine_setup setup;
    cluster_input input;
    finished_pods finished;
    const char *node;
    uint64_t nodes;
    bool all;
    bool in_turn;
    bool no_remedies;
    bool exit_code;
    int format;
    berth_engine *engine;
    explained explained;
} explain;

static const command_help help = {
    .name = "explain",
    .synopsis = "[OPTION...] -f FILE... POD",
    .text =
        "Tells why a pod goes to its node, or to none: each node's verdict and reasons, each\n"
        "score before and after normalization and weight, whom preemption would evict; and for a\n"
        "pod that fits nowhere what the nearest nodes lack, and which smallest changes would make\n"
        "it fit, each tried on a branch of the cluster. POD is NAME or NAMESPACE/NAME. A pod that\n"
        "runs is taken off its node first: the answer is where it would go if it came now.\n"
        "The cluster is as it was given: other pending pods wait, unless --in-turn places those\n"
        "that a scheduler takes before this one.\n",
    .examples = "  berth explain -f cluster.json web-0\n"
                "  berth explain -f cluster.json prod/web-0 --node worker-17\n"
                "  berth explain -f cluster.json prod/web-0 --all -o json\n",
};

static void note_added(void *context, const berth_object *object, const berth_object_id *id)
{
    explain *x = context;
    if (object->kind == BERTH_KIND_POD && id->pod == BERTH_POD_NONE)
        finished_pods_see(&x->finished, object);
}

/* Place what a scheduler takes before the pod. */
static berth_status place_those_before(explain *x, berth_pod_id pod, berth_error *error)
{
    uint64_t count = 0;
    TRY(berth_engine_pending(x->engine, NULL, 0, &count, error));
    berth_pod_id *pods = heap_new(count, sizeof(*pods));
    berth_status status = berth_engine_pending(x->engine, pods, count, NULL, error);
    for (uint64_t i = 0; i < count && status == BERTH_OK && pods[i] != pod; i++) {
        berth_placement placement;
        if (cluster_input_skipped(&x->input, pods[i]) == NULL)
            status = berth_engine_schedule(x->engine, pods[i], &placement, error);
    }
    free(pods);
    return status;
}

static berth_status show(explain *x, const explained_view *view, berth_error *error)
{
    if (x->format == OUTPUT_TABLE || x->format == OUTPUT_WIDE)
        return explained_print(&x->explained, view, stdout, error);
    output o;
    output_open(&o, stdout, (output_format)x->format, 3); /* a node a line */
    output_object(&o);
    output_schema(&o, help.name);
    berth_status status = explained_write(&x->explained, view, &o, error);
    if (status != BERTH_OK)
        return status;
    output_object_end(&o);
    output_close(&o);
    return BERTH_OK;
}

static berth_status prepare(explain *x, const char *name, berth_pod_id *pod, berth_error *error)
{
    const char *namespace_name = x->input.namespace_name;
    berth_str in = namespace_name != NULL ? words_of(namespace_name) : (berth_str){0};
    x->setup.keep_objects = true;
    x->input.on_added = note_added;
    x->input.context = x;
    cluster_input_version(&x->input, &x->setup);
    TRY(engine_setup_resolve(&x->setup, error));
    TRY(engine_setup_create(&x->setup, &x->engine, error));
    TRY(cluster_input_load(&x->input, &x->setup, x->engine, error));
    return pod_lookup(x->engine, &x->finished, in, name, pod, error);
}

static int run(explain *x, const char *name)
{
    berth_error error = {.code = BERTH_OK};
    berth_pod_id pod = BERTH_POD_NONE;
    explained_view view = {.node = BERTH_NODE_NONE,
                           .nodes = x->all ? UINT32_MAX : (uint32_t)x->nodes,
                           .wide = x->format == OUTPUT_WIDE};
    berth_status status = prepare(x, name, &pod, &error);
    if (status == BERTH_OK && x->node != NULL)
        status = node_lookup(x->engine, x->node, &view.node, &error);
    if (status == BERTH_OK && x->in_turn)
        status = place_those_before(x, pod, &error);
    const cluster_skip *skip = status == BERTH_OK ? cluster_input_skipped(&x->input, pod) : NULL;
    if (skip != NULL)
        view.note = word_table_get(&x->input.skip_reasons, skip->reason);
    view.refused = skip != NULL && skip->refused;
    bool seek = !x->no_remedies && view.node == BERTH_NODE_NONE;
    if (status == BERTH_OK)
        status = explained_make(&x->explained, x->engine, pod, seek, &error);
    if (x->in_turn)
        x->explained.ahead = 0; /* those that are left have had their turn */
    if (status == BERTH_OK)
        status = show(x, &view, &error);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    bool placed = x->explained.placement.verdict == BERTH_VERDICT_PLACED;
    return x->exit_code && (!placed || view.refused) ? EXIT_NEGATIVE : EXIT_DONE;
}

static int check(explain *x, const text_list *operands)
{
    static const text_list none = {0};
    int code = cluster_input_check(&x->input, &none, help.name);
    if (code != EXIT_DONE)
        return code;
    if (operands->count == 0)
        return exit_usage(help.name, "no pod named: NAME, or NAMESPACE/NAME");
    if (operands->count > 1)
        return exit_usage(help.name, "one pod at a time: unexpected argument '%s'",
                          operands->items[1]);
    if (x->format == OUTPUT_WIDE)
        terminal_set_wide();
    return EXIT_DONE;
}

int cmd_explain(int argc, char **argv)
{
    explain x = {.format = OUTPUT_TABLE, .nodes = 10};
    text_list operands = {0};
    const option own[] = {
        {.name = "node",
         .kind = OPTION_TEXT,
         .value = "NODE",
         .target = &x.node,
         .help = "tell of this node alone"},
        {.name = "nodes",
         .kind = OPTION_NUMBER,
         .value = "N",
         .max = INT32_MAX,
         .target = &x.nodes,
         .help = "nodes listed, of those that fit and of the others\n(default 10)"},
        {.name = "all", .kind = OPTION_FLAG, .target = &x.all, .help = "list every node"},
        {.name = "in-turn",
         .kind = OPTION_FLAG,
         .target = &x.in_turn,
         .help = "place the pending pods that come before it first"},
        {.name = "no-remedies",
         .kind = OPTION_FLAG,
         .target = &x.no_remedies,
         .help = "do not look for what would help"},
        {.name = "output",
         .letter = 'o',
         .kind = OPTION_CHOICE,
         .value = "FORMAT",
         .target = &x.format,
         .choices = output_wide_format_names,
         .help = "form of the results"},
        {.name = "exit-code",
         .kind = OPTION_FLAG,
         .target = &x.exit_code,
         .help = "exit with 1 if no node fits, or a LimitRange or quota\nrefuses the pod"},
    };
    const option_group groups[] = {cluster_input_options(&x.input), engine_setup_options(&x.setup),
                                   OPTION_GROUP(own)};
    options_result parsed = options_parse(&help, groups, 3, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN)
        code = check(&x, &operands);
    if (parsed == OPTIONS_RUN && code == EXIT_DONE)
        code = run(&x, operands.items[0]);
    text_list_free(&operands);
    explained_free(&x.explained);
    finished_pods_free(&x.finished);
    berth_engine_destroy(x.engine);
    cluster_input_release(&x.input);
    engine_setup_release(&x.setup);
    return code;
}
