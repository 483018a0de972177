/* berth grow: which nodes must be added so that all pending pods fit, and which ones could be
 * removed. */
#include <stdio.h>
#include <string.h>

#include "cli/exits.h"
#include "commands/commands.h"
#include "plans/growth_question.h"

enum { OWN_OPTIONS = 7 };

typedef struct grow {
    int format;
    bool summary_only;
    bool exit_code;
    cluster_input input;
    engine_setup setup;
    berth_engine *engine;
    growth_question question;
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
        "list of their own; the plan does not count them. Without --shape the command looks for\n"
        "these nodes only, and -o csv and -o markdown list them.\n"
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

static berth_status load(grow *g, berth_error *error)
{
    g->setup.keep_objects = true;
    TRY(cluster_input_version(&g->input, &g->setup, error));
    TRY(engine_setup_resolve(&g->setup, error));
    TRY(engine_setup_create(&g->setup, &g->engine, error));
    return cluster_input_load(&g->input, &g->setup, g->engine, error);
}

static int run(grow *g)
{
    berth_error error = {.code = BERTH_OK};
    growth_question *question = &g->question;
    berth_status status = load(g, &error);
    question->engine = g->engine;
    question->input = &g->input;
    question->setup = &g->setup;
    if (status == BERTH_OK)
        status = growth_question_answer(question, &error);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    const growth_answer *found = &question->answer;
    if (output_is_flat((output_format)g->format)) {
        growth_print_list(found, stdout);
    } else if (output_is_text((output_format)g->format)) {
        growth_print(found, stdout, g->summary_only);
        cluster_version_print(&g->input.version, &g->setup, stdout);
    } else {
        growth_write(found, stdout, (output_format)g->format, g->summary_only);
    }
    return g->exit_code && found->left_count > 0 ? EXIT_NEGATIVE : EXIT_DONE;
}

/* ---- the command ---- */

static void own_options(grow *g, option options[OWN_OPTIONS])
{
    const option list[OWN_OPTIONS] = {
        {.name = "shape",
         .letter = 's',
         .kind = OPTION_TEXTS,
         .value = "SHAPE",
         .target = &g->question.shape_texts,
         .help = "a kind of node that may be added; repeatable"},
        prices_option(&g->input.prices),
        {.name = "effort",
         .kind = OPTION_NUMBER,
         .value = "N",
         .min = 1,
         .max = 1000000,
         .target = &g->question.effort,
         .help = "end the search after N thousand decisions (default 1000)"},
        {.name = "keep-nodes",
         .kind = OPTION_FLAG,
         .target = &g->question.keep,
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
    if (code == EXIT_DONE && g->question.shape_texts.count == 0 && g->question.keep)
        code = exit_usage(help.name, "nothing is asked: give --shape, or leave --keep-nodes out");
    return code;
}

static void release(grow *g)
{
    growth_question_free(&g->question);
    berth_engine_destroy(g->engine);
    cluster_input_release(&g->input);
    engine_setup_release(&g->setup);
}

int cmd_grow(int argc, char **argv)
{
    grow g = {.format = OUTPUT_TABLE, .question.effort = GROWTH_EFFORT, .input.grows = true};
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
