/* berth explain: why a pod gets its node or none, node by node, and what would help. Answers for
 * more than one pod are in explain_owner.c and explain_pending.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/text_buffer.h"
#include "commands/commands.h"
#include "commands/explain_request.h"
#include "explain/pod_lookup.h"
#include "plans/node_lookup.h"

enum { MIN_FEASIBLE = 100 }; /* kube-scheduler's minFeasibleNodesToFind */

/* The answer for one pod. */
typedef struct pod_answer {
    explain_request *x;
    explained explained;
} pod_answer;

static const command_help help = {
    .name = "explain",
    .synopsis = "[OPTION...] (-f FILE... | --live) POD | KIND/NAME | --pending",
    .text =
        "Explains why a pod goes to its node, or to none: the verdict and the reasons of each\n"
        "node, each score before and after normalization and weight, and whom preemption would\n"
        "evict. For a pod that fits nowhere it reports what the nearest nodes lack and which\n"
        "small changes would make the pod fit; each was tried on a branch of the cluster. POD is\n"
        "NAME or NAMESPACE/NAME. A pod that runs is taken off its node first: the answer is where\n"
        "it would go if it came now. Other pending pods wait, unless --in-turn places those that\n"
        "a scheduler takes before this one.\n"
        "\n"
        "A workload (deploy/web, sts/NAMESPACE/db, ds, rs, rc, job, cronjob) is explained by its\n"
        "pods: on which nodes they are, why others find none, and one of these in full. If all\n"
        "have a node, the answer is where one more pod would go. --pending explains all pending\n"
        "pods and groups those with the same reasons. Both place the pending pods first, as\n"
        "'berth schedule' does.\n",
    .examples = "  berth explain -f cluster.json web-0\n"
                "  berth explain -f cluster.json prod/web-0 --node worker-17\n"
                "  berth explain -f cluster.json prod/web-0 --all -o json\n"
                "  berth explain -f cluster.json -n prod deploy/web\n"
                "  berth explain -f cluster.json --pending\n"
                "  berth explain --live deploy/web\n",
};

static void note_added(void *context, const berth_object *object, const berth_object_id *id)
{
    explain_request *x = context;
    if (object->kind == BERTH_KIND_POD && id->pod == BERTH_POD_NONE)
        finished_pods_see(&x->finished, object);
}

/* Place the pods that a scheduler takes before this one. */
static berth_status place_those_before(explain_request *x, berth_pod_id pod, berth_error *error)
{
    uint64_t count = 0;
    TRY(berth_engine_pending(x->engine, NULL, 0, &count, error));
    berth_pod_id *pods = heap_new(count, sizeof(*pods));
    berth_status status = berth_engine_pending(x->engine, pods, count, NULL, error);
    for (uint64_t i = 0; i < count && status == BERTH_OK && pods[i] != pod; i++) {
        berth_placement placement;
        if (cluster_input_skipped(&x->input, pods[i]) != NULL)
            continue;
        status = berth_engine_schedule(x->engine, pods[i], &placement, error);
        if (status == BERTH_OK && placement.verdict == BERTH_VERDICT_PLACED)
            status = claim_book_placed(&x->input.claims, x->engine, pods[i], error);
    }
    free(pods);
    return status;
}

bool explain_is_text(const explain_request *x)
{
    return x->format == OUTPUT_TABLE || x->format == OUTPUT_WIDE;
}

berth_status explain_view(const explain_request *x, explained_view *view, berth_error *error)
{
    const bool all = x->setup.percentage_given && x->setup.percentage >= 100;
    const uint64_t least = x->setup.min_feasible != 0 ? x->setup.min_feasible : MIN_FEASIBLE;
    *view = (explained_view){.node = BERTH_NODE_NONE,
                             .enough = all ? UINT64_MAX : least,
                             .nodes = x->all ? UINT32_MAX : (uint32_t)x->nodes,
                             .wide = x->format == OUTPUT_WIDE};
    return x->node != NULL ? node_lookup(x->engine, x->node, &view->node, error) : BERTH_OK;
}

static berth_status show(pod_answer *a, const explained_view *view, berth_error *error)
{
    if (explain_is_text(a->x))
        return explained_print(&a->explained, view, stdout, error);
    output o;
    output_open(&o, stdout, (output_format)a->x->format, 3); /* one node per line */
    output_object(&o);
    output_schema(&o, help.name);
    berth_status status = explained_write(&a->explained, view, &o, error);
    if (status != BERTH_OK)
        return status;
    output_object_end(&o);
    output_close(&o);
    return BERTH_OK;
}

static berth_status load(explain_request *x, berth_error *error)
{
    x->setup.keep_objects = true;
    x->input.on_added = note_added;
    x->input.context = x;
    TRY(cluster_input_version(&x->input, &x->setup, error));
    TRY(engine_setup_resolve(&x->setup, error));
    TRY(engine_setup_create(&x->setup, &x->engine, error));
    return cluster_input_load(&x->input, &x->setup, x->engine, error);
}

static berth_str namespace_of(const explain_request *x)
{
    return x->input.namespace_name != NULL ? words_of(x->input.namespace_name) : (berth_str){0};
}

static berth_status explain_pod(pod_answer *a, const char *name, bool *negative, berth_error *error)
{
    explain_request *x = a->x;
    explained_view view;
    berth_pod_id pod = BERTH_POD_NONE;
    TRY(pod_lookup(x->engine, &x->finished, namespace_of(x), name, &pod, error));
    TRY(explain_view(x, &view, error));
    if (x->in_turn)
        TRY(place_those_before(x, pod, error));
    const cluster_skip *skip = cluster_input_skipped(&x->input, pod);
    if (skip != NULL)
        view.note = word_table_get(&x->input.skip_reasons, skip->reason);
    view.refused = skip != NULL && skip->refused;
    bool seek = !x->no_remedies && view.node == BERTH_NODE_NONE;
    TRY(explained_make(&a->explained, x->engine, NULL, pod, seek, error));
    if (x->in_turn)
        a->explained.ahead = 0; /* the remaining pods have had their turn */
    *negative = a->explained.placement.verdict != BERTH_VERDICT_PLACED || view.refused;
    return show(a, &view, error);
}

/* Explain a pod by name. A namespace may have the name of a kind; its pods are still found. */
static berth_status explain_named(explain_request *x, const char *name, bool *negative,
                                  berth_error *error)
{
    pod_owner owner;
    berth_pod_id pod = BERTH_POD_NONE;
    if (pod_owner_parse(name, namespace_of(x), &owner)) {
        berth_status status = explain_owner(x, &owner, negative, error);
        if (status != BERTH_E_NOT_FOUND ||
            pod_lookup(x->engine, &x->finished, namespace_of(x), name, &pod, NULL) != BERTH_OK)
            return status;
    }
    pod_answer answer = {.x = x};
    berth_status status = explain_pod(&answer, name, negative, error);
    explained_free(&answer.explained);
    if (status == BERTH_E_NOT_FOUND && pod_owner_is_kind(name))
        return pod_owner_no_name(name, namespace_of(x), x->engine, error);
    if (status == BERTH_E_NOT_FOUND && pod_owner_is_service(name))
        return error_set(error, BERTH_E_NOT_FOUND, NULL,
                         "a Service has no pods of its own to place: name the workload behind it, "
                         "as in deploy/NAME, or one of its pods");
    return status;
}

static int run(explain_request *x, const text_list *operands)
{
    text_buffer name = {0};
    berth_error error = {.code = BERTH_OK};
    bool negative = false;
    for (size_t i = 0; i < operands->count; i++)
        text_add(&name, "%s%s", i > 0 ? "/" : "", operands->items[i]);
    berth_status status = load(x, &error);
    if (status == BERTH_OK)
        status = x->pending ? explain_pending(x, &negative, &error)
                            : explain_named(x, name.text, &negative, &error);
    text_free(&name);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    return x->exit_code && negative ? EXIT_NEGATIVE : EXIT_DONE;
}

/* Whether `kubectl get` would take the word for a kind: then KIND NAME means KIND/NAME. */
static bool is_kind(const char *given)
{
    pod_owner owner;
    text_buffer text = {0};
    text_add(&text, "%s/x", given);
    bool is = pod_owner_parse(text.text, (berth_str){0}, &owner) ||
              pod_owner_is_service(text.text) || strncmp(text.text, "pod/", 4) == 0 ||
              strncmp(text.text, "pods/", 5) == 0;
    text_free(&text);
    return is;
}

static int check(explain_request *x, const text_list *operands)
{
    static const text_list none = {0};
    int code = cluster_input_check(&x->input, &none, help.name);
    if (code != EXIT_DONE)
        return code;
    if (x->pending && operands->count > 0)
        return exit_usage(help.name, "a name and --pending exclude each other");
    if (x->pending && x->node != NULL)
        return exit_usage(help.name, "--node and --pending exclude each other");
    if (operands->count == 0 && !x->pending)
        return exit_usage(help.name,
                          "no pod named: NAME, NAMESPACE/NAME, KIND/NAME, or --pending for all");
    bool by_kind = operands->count > 1 && is_kind(operands->items[0]);
    if (operands->count > (by_kind ? 2 : 1))
        return exit_usage(help.name, "one pod at a time: unexpected argument '%s'",
                          operands->items[by_kind ? 2 : 1]);
    if (x->format == OUTPUT_WIDE)
        terminal_set_wide();
    return EXIT_DONE;
}

int cmd_explain(int argc, char **argv)
{
    explain_request x = {.format = OUTPUT_TABLE, .nodes = 10};
    text_list operands = {0};
    const option own[] = {
        {.name = "node",
         .kind = OPTION_TEXT,
         .value = "NODE",
         .target = &x.node,
         .help = "show only this node"},
        {.name = "nodes",
         .kind = OPTION_NUMBER,
         .value = "N",
         .max = INT32_MAX,
         .target = &x.nodes,
         .help = "nodes listed, of those that fit and of the others, or\ngroups of pending pods "
                 "(default 10)"},
        {.name = "all", .kind = OPTION_FLAG, .target = &x.all, .help = "list every node"},
        {.name = "in-turn",
         .kind = OPTION_FLAG,
         .target = &x.in_turn,
         .help = "place the pending pods that come before it first"},
        {.name = "pending",
         .kind = OPTION_FLAG,
         .target = &x.pending,
         .help = "explain all pending pods, those with the same reasons\ntogether"},
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
         .help = "exit with 1 if no node fits, or a LimitRange or quota\nrefuses the pod; with "
                 "--pending and of a workload: any\npod that waits"},
    };
    const option_group groups[] = {cluster_input_options(&x.input), engine_setup_options(&x.setup),
                                   OPTION_GROUP(own)};
    options_result parsed = options_parse(&help, groups, 3, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN)
        code = check(&x, &operands);
    if (parsed == OPTIONS_RUN && code == EXIT_DONE)
        code = run(&x, &operands);
    text_list_free(&operands);
    finished_pods_free(&x.finished);
    berth_engine_destroy(x.engine);
    cluster_input_release(&x.input);
    engine_setup_release(&x.setup);
    return code;
}
