/* berth drain: would the pods of a node fit elsewhere if the node were drained? */
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "commands/commands.h"
#include "commands/drain.h"

static const command_help help = {
    .name = "drain",
    .synopsis = "[OPTION...] (-f FILE... | --live) NODE... | -l SELECTOR | --all",
    .text =
        "Reports for each node whether its pods would fit elsewhere if the node were drained. The\n"
        "node accepts no pods, and its pods are placed again, the highest priority first, then\n"
        "in order of arrival. Each node is drained alone; --together drains them all at once.\n"
        "The cluster itself does not change. NODE is NAME or node/NAME.\n\n"
        "Pods of DaemonSets, mirror pods and terminating pods are ignored. Pods without a\n"
        "controller are counted as bare. A PersistentVolume whose node affinity requires one\n"
        "hostname stays behind with its data: the pods that use it are listed with its name. Pods\n"
        "with emptyDir volumes are listed, too, because their data is lost.\n\n"
        "Evictions respect PodDisruptionBudgets: pods leave in turns, as many in a turn as the\n"
        "budgets allow. A pod that may never leave is forbidden; the report still shows\n"
        "where it would go. The exit code is 0 whatever the answer is; with --exit-code it is 1 "
        "if\n"
        "a node can't be drained.\n",
    .examples = "  berth drain -f cluster.json node-17\n"
                "  berth drain -f cluster.json node-17 node-18 --together --moves\n"
                "  berth drain -f cluster.json -l topology.kubernetes.io/zone=a --together\n"
                "  berth drain -f cluster.json --all --summary --exit-code\n"
                "  sh -c \"$(berth dump)\" && berth drain -f cluster.json --all -o json\n"
                "  berth drain --live node-1\n",
};

static void on_added(void *context, const berth_object *object, const berth_object_id *id)
{
    drain *d = context;
    drain_plan_see(&d->plan, object, id->pod);
}

static berth_status prepare(drain *d, const text_list *names, berth_error *error)
{
    berth_status status = cluster_input_version(&d->input, &d->setup, error);
    if (status == BERTH_OK)
        status = engine_setup_resolve(&d->setup, error);
    if (status == BERTH_OK)
        status = engine_setup_create(&d->setup, &d->plan.engine, error);
    d->input.on_added = on_added;
    d->input.context = d;
    d->input.inspection.references.all_pods_move = true;
    d->input.inspection.references.wants_budgets = true;
    d->input.inspection.references.listed = d->list.namespace_name;
    if (status == BERTH_OK)
        status = cluster_input_load(&d->input, &d->setup, d->plan.engine, error);
    if (status == BERTH_OK)
        status = drain_plan_choose(&d->plan, names, error);
    return status;
}

static int run(drain *d, const text_list *names)
{
    berth_error error = {.code = BERTH_OK};
    berth_status status = prepare(d, names, &error);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    status = drain_plan_run(&d->plan, &error);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    drain_show(d, help.name);
    return d->list.exit_code && drain_fitting(d) < d->plan.node_count ? EXIT_NEGATIVE : EXIT_DONE;
}

static int check(drain *d, const text_list *names)
{
    static const text_list none = {0};
    int code = cluster_input_check(&d->input, &none, help.name);
    if (code == EXIT_DONE)
        code = listing_check(&d->list, d->plan.summary_only, help.name);
    if (code != EXIT_DONE)
        return code;
    if (d->plan.all && names->count > 0)
        return exit_usage(help.name, "names of nodes and --all exclude each other");
    if (d->plan.selector != NULL && (d->plan.all || names->count > 0))
        return exit_usage(help.name, "--selector and %s exclude each other",
                          d->plan.all ? "--all" : "names of nodes");
    if (!d->plan.all && d->plan.selector == NULL && names->count == 0)
        return exit_usage(help.name, "no node to drain: name some, or give --all or --selector");
    char problem[LABEL_PROBLEM_BYTES];
    if (d->plan.selector != NULL && !label_query_parse(&d->plan.query, d->plan.selector, problem))
        return exit_usage(help.name, "--selector is '%s', and %s", d->plan.selector, problem);
    return EXIT_DONE;
}

static void release(drain *d)
{
    drain_plan_free(&d->plan);
    berth_engine_destroy(d->plan.engine);
    cluster_input_release(&d->input);
    engine_setup_release(&d->setup);
}

int cmd_drain(int argc, char **argv)
{
    drain d = {.list.format = OUTPUT_TABLE};
    d.plan.input = &d.input;
    text_list names = {0};
    const option own[] = {
        {.name = "all", .kind = OPTION_FLAG, .target = &d.plan.all, .help = "ask about every node"},
        {.name = "selector",
         .letter = 'l',
         .kind = OPTION_TEXT,
         .value = "SELECTOR",
         .target = &d.plan.selector,
         .help = "ask about the nodes whose labels match, as with kubectl:\n"
                 "zone=a,tier!=db,arch in (amd64, arm64),!spot"},
        {.name = "together",
         .kind = OPTION_FLAG,
         .target = &d.plan.together,
         .help = "drain the nodes at once, not each alone"},
        {.name = "moves",
         .kind = OPTION_FLAG,
         .target = &d.list_moves,
         .help = "list where every pod would go (json and yaml always do;\ncsv and markdown "
                 "instead of the nodes)"},
        {.name = "summary",
         .kind = OPTION_FLAG,
         .target = &d.plan.summary_only,
         .help = "print the summary alone"},
    };
    const option_group groups[] = {cluster_input_options(&d.input), engine_setup_options(&d.setup),
                                   listing_options(&d.list, LISTING_NAMESPACE | LISTING_EXIT_CODE,
                                                   NULL, "exit with 1 if a node can't be drained"),
                                   OPTION_GROUP(own)};
    options_result parsed = options_parse(&help, groups, 4, &names, argc, argv);
    listing_apply(&d.list);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN)
        code = check(&d, &names);
    if (parsed == OPTIONS_RUN && code == EXIT_DONE)
        code = run(&d, &names);
    text_list_free(&names);
    release(&d);
    return code;
}
