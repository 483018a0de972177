/* berth grow: which nodes must be added so that all pending pods fit, and which ones could be
 * removed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/stopwatch.h"
#include "commands/commands.h"
#include "loading/cluster_input.h"
#include "loading/node_list.h"
#include "plans/growth_report.h"
#include "plans/plan_pods.h"

enum { OWN_OPTIONS = 7, EFFORT_DEFAULT = 1000, EFFORT_UNIT = 1000 };

typedef struct grow {
    text_list shape_texts;
    uint64_t effort; /* thousands of decisions */
    bool keep;       /* do not look for nodes that could be removed */
    int format;
    bool summary_only;
    bool exit_code;
    cluster_input input;
    engine_setup setup;
    berth_engine *engine;
    berth_node_id *nodes; /* the cluster's nodes */
    uint32_t node_count;
    node_shapes shapes;
    growth growth;
    shrink shrink;
    growth_answer answer;
} grow;

static const command_help help = {
    .name = "grow",
    .synopsis = "[OPTION...] (-f FILE... | --live) --shape SHAPE...",
    .text =
        "Finds the cheapest set of new nodes that gives every pending pod a place, and the nodes\n"
        "of the cluster that are not needed. Every answer is tried out: the new nodes are added\n"
        "with the pods of their DaemonSets, and pods are placed as 'berth schedule' places them.\n"
        "Pods that already fit are placed first and stay there.\n"
        "\n"
        "SHAPE is " NODE_SHAPE_HELP "\n"
        "The plan is the best that the search finds, not always the best there is: it tries each\n"
        "shape alone, then mixes of shapes, then removes and replaces nodes. The bound shows how\n"
        "much better a plan could be: no plan costs less or has fewer nodes. It counts resources\n"
        "alone.\n"
        "\n"
        "Nodes that are not needed are removed one after the other, the emptiest first, so all\n"
        "of the listed ones can go together. Pods of DaemonSets and mirror pods go with their\n"
        "node. A node stays if it belongs to the control plane, or runs a pod without a\n"
        "controller or one that a PodDisruptionBudget protects. The pods of these nodes have a\n"
        "list of their own; the plan does not count them. Without --shape only these nodes are\n"
        "looked for, and -o csv and -o markdown list them.\n"
        "\n"
        "With --prices a shape costs what its instance type costs, unless it has a price of its\n"
        "own, and the plan is priced per hour and per month. Of the plans that place the same\n"
        "number of pods the cheapest wins, then the one with the fewest nodes.\n" PRICES_HELP "\n"
        "The exit code is 0 whatever the answer is. With --exit-code it is 1 if a pending pod\n"
        "has no place even on the new nodes: it fits no shape, or the max of a shape or --effort\n"
        "ended the search.\n",
    .examples = "  berth grow -f cluster.json --shape m=cpu=4,memory=16Gi,price=0.20 \\\n"
                "      --shape l=cpu=16,memory=64Gi,price=0.72\n"
                "  berth grow -f cluster.json --shape gpu=like=node-17,price=3,max=8 -o json\n"
                "  berth grow -f cluster.json -f deployment.yaml --shape shapes.yaml --exit-code\n"
                "  berth grow -f cluster.json --shape m=cpu=4,memory=16Gi --keep-nodes --summary\n"
                "  berth grow -f cluster.json --prices prices.csv \\\n"
                "      --shape l=cpu=2,memory=8Gi,type=m5.large \\\n"
                "      --shape xl=cpu=4,memory=16Gi,type=m5.xlarge\n"
                "  berth grow -f cluster.json\n",
};

/* ---- the cluster as it is ---- */

/* Place the pods that fit, and repeat while that helps: a pod may wait for another. The rest moves
 * to the front of `pods`. */
static berth_status place_what_fits(grow *g, berth_pod_id *pods, uint64_t *count,
                                    berth_error *error)
{
    uint64_t placed = 1;
    while (placed > 0 && *count > 0) {
        uint64_t left = 0;
        for (uint64_t i = 0; i < *count; i++) {
            berth_placement placement;
            TRY(berth_engine_schedule(g->engine, pods[i], &placement, error));
            if (placement.verdict != BERTH_VERDICT_PLACED)
                pods[left++] = pods[i];
        }
        placed = *count - left;
        g->answer.fitted += placed;
        *count = left;
    }
    return BERTH_OK;
}

static berth_status take_pending(grow *g, berth_pod_id *pods, uint64_t *count, berth_error *error)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < *count; i++)
        if (cluster_input_skipped(&g->input, pods[i]) == NULL)
            pods[kept++] = pods[i];
    g->answer.pending = *count;
    g->answer.passed_over = *count - kept;
    *count = kept;
    TRY(place_what_fits(g, pods, count, error));
    g->answer.unfitted = *count;
    if (g->shapes.count == 0)
        return BERTH_OK;
    TRY(growth_prepare(&g->growth, pods, *count, error));
    return growth_search(&g->growth, error);
}

static berth_status load(grow *g, berth_error *error)
{
    g->setup.keep_objects = true;
    TRY(cluster_input_version(&g->input, &g->setup, error));
    TRY(engine_setup_resolve(&g->setup, error));
    TRY(engine_setup_create(&g->setup, &g->engine, error));
    TRY(cluster_input_load(&g->input, &g->setup, g->engine, error));
    TRY(node_list_make(g->engine, &g->nodes, &g->node_count, error));
    return node_shapes_read(&g->shapes, &g->shape_texts, &g->input.prices, g->engine, error);
}

static berth_status answer(grow *g, berth_error *error)
{
    berth_pod_id *pods = NULL;
    uint64_t count = 0;
    TRY(load(g, error));
    g->growth.engine = g->engine;
    g->growth.shapes = &g->shapes;
    g->growth.decisions_max = g->effort * EFFORT_UNIT;
    TRY(plan_pending(g->engine, &pods, &count, error));
    berth_status status = take_pending(g, pods, &count, error);
    if (status == BERTH_OK && g->growth.best.tried)
        status = growth_carry_out(&g->growth, &g->growth.best, error);
    if (status == BERTH_OK)
        status = growth_answer_pods(&g->answer, pods, count, error);
    if (status == BERTH_OK && !g->keep)
        status = shrink_make(&g->shrink, g->engine, &g->setup, g->nodes, g->node_count, error);
    free(pods);
    return status;
}

static int run(grow *g)
{
    berth_error error = {.code = BERTH_OK};
    stopwatch watch;
    stopwatch_start(&watch);
    g->answer.growth = &g->growth;
    g->answer.prices = &g->input.prices;
    berth_status status = answer(g, &error);
    stopwatch_stop(&watch);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    g->answer.shrink = g->keep ? NULL : &g->shrink;
    g->answer.seconds = stopwatch_seconds(&watch);
    if (output_is_flat((output_format)g->format)) {
        growth_print_list(&g->answer, stdout);
    } else if (output_is_text((output_format)g->format)) {
        growth_print(&g->answer, stdout, g->summary_only);
        cluster_version_print(&g->input.version, &g->setup, stdout);
    } else {
        growth_write(&g->answer, stdout, (output_format)g->format, g->summary_only);
    }
    return g->exit_code && g->answer.left_count > 0 ? EXIT_NEGATIVE : EXIT_DONE;
}

/* ---- the command ---- */

static void own_options(grow *g, option options[OWN_OPTIONS])
{
    const option list[OWN_OPTIONS] = {
        {.name = "shape",
         .letter = 's',
         .kind = OPTION_TEXTS,
         .value = "SHAPE",
         .target = &g->shape_texts,
         .help = "a kind of node that may be added; repeatable"},
        prices_option(&g->input.prices),
        {.name = "effort",
         .kind = OPTION_NUMBER,
         .value = "N",
         .min = 1,
         .max = 1000000,
         .target = &g->effort,
         .help = "end the search after N thousand decisions (default 1000)"},
        {.name = "keep-nodes",
         .kind = OPTION_FLAG,
         .target = &g->keep,
         .help = "do not look for nodes that are not needed"},
        {.name = "output",
         .letter = 'o',
         .kind = OPTION_CHOICE,
         .value = "FORMAT",
         .target = &g->format,
         .choices = output_table_format_names,
         .help = "form of the results"},
        {.name = "summary",
         .kind = OPTION_FLAG,
         .target = &g->summary_only,
         .help = "print no list of nodes and pods"},
        {.name = "exit-code",
         .kind = OPTION_FLAG,
         .target = &g->exit_code,
         .help = "exit with 1 if a pending pod has no place even on the new\nnodes"},
    };
    memcpy(options, list, sizeof(list));
}

static int check(grow *g, const text_list *operands)
{
    int code = cluster_input_check(&g->input, operands, help.name);
    if (code == EXIT_DONE && g->shape_texts.count == 0 && g->keep)
        code = exit_usage(help.name, "nothing is asked: give --shape, or leave --keep-nodes out");
    return code;
}

static void release(grow *g)
{
    growth_answer_free(&g->answer);
    shrink_free(&g->shrink);
    growth_free(&g->growth);
    node_shapes_free(&g->shapes);
    text_list_free(&g->shape_texts);
    free(g->nodes);
    berth_engine_destroy(g->engine);
    cluster_input_release(&g->input);
    engine_setup_release(&g->setup);
}

int cmd_grow(int argc, char **argv)
{
    grow g = {.format = OUTPUT_TABLE, .effort = EFFORT_DEFAULT, .input.grows = true};
    text_list operands = {0};
    option own[OWN_OPTIONS];
    own_options(&g, own);
    const option_group groups[] = {cluster_input_options(&g.input), engine_setup_options(&g.setup),
                                   OPTION_GROUP(own)};
    options_result parsed = options_parse(&help, groups, 3, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    output_settle((output_format)g.format);
    if (parsed == OPTIONS_RUN)
        code = check(&g, &operands);
    if (parsed == OPTIONS_RUN && code == EXIT_DONE)
        code = run(&g);
    text_list_free(&operands);
    release(&g);
    return code;
}
