/* berth compare: the same pods under several configurations, versions or clusters, side by side. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "commands/commands.h"
#include "plans/comparison_report.h"

static const command_help help = {
    .name = "compare",
    .synopsis = "[OPTION...] (-f FILE... | --live) --config A --config B | --before X --after Y",
    .text =
        "Decides the same pods under several configurations, versions of Kubernetes or clusters\n"
        "and shows side by side which pods move, which no longer fit, how pods spread over zones,\n"
        "how tightly they are packed, how fragmented the free capacity is, and how long it took.\n"
        "\n"
        "Each value of --config, --kubernetes or --feature-gates makes a side; or --before and\n"
        "--after make two. What -f or --live reads is on both sides; beside it --before or "
        "--after\n"
        "alone is enough: with --live --after FILE the second side is the live cluster as FILE\n"
        "changes it.\n"
        "\n"
        "An option that is given once applies to every side. All sides are compared with the\n"
        "first. Pods are the same if their namespaces and names are. For a pod that no longer\n"
        "fits, the reason is what the nodes lack once all other pods are placed. Fragmentation of\n"
        "a resource is the share of its free amount on nodes without room for an average pod. A\n"
        "node is in use if it runs a pod that belongs to no DaemonSet.\n"
        "\n"
        "The exit code is 0 whatever the answer is. With --exit-code it is 1 if a pod is worse\n"
        "off than on the first side: it moves, no longer fits, is bound to a node that the input\n"
        "lacks, or is missing; or it is new and finds no place.\n",
    .examples =
        "  berth compare -f cluster.json --config default --config packed.yaml\n"
        "  berth compare -f cluster.json --kubernetes 1.32 --kubernetes 1.37 --anew\n"
        "  berth compare --before monday.json --after tuesday.json -o json\n"
        "  berth compare -f nodes.json --before main/ --after branch/ --moves -o csv\n"
        "  berth compare --live --after new-release.yaml\n"
        "  berth compare -f cluster.json --config now.yaml --config next.yaml --exit-code\n",
};

enum { OWN_OPTIONS = 10 };

typedef struct compare {
    engine_setup setup; /* options that are given once for all sides */
    cluster_input input;
    option setup_options[ENGINE_OPTIONS_MAX];
    text_list configs;
    text_list versions;
    text_list gates;
    text_list before;
    text_list after;
    bool anew;
    bool all_pods;
    bool summary_only;
    bool exit_code;
    int format;
    FILE *standard; /* a copy of standard input, which each side reads; NULL: not used */
    char standard_path[32];
    comparison comparison;
} compare;

/* ---- describing the sides ---- */

static bool is_clusters(const compare *c)
{
    return c->before.count + c->after.count > 0;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t side_count(const compare *c)
{
    size_t lists = larger(larger(c->configs.count, c->versions.count), c->gates.count);
    return is_clusters(c) ? 2 : lists;
}

/* The value of an option for a side: the side's own, or the one for all. */
static const char *value_of(const text_list *list, size_t side)
{
    return list->count > 1 ? list->items[side] : list->count > 0 ? list->items[0] : NULL;
}

static int check_list(const text_list *list, const char *name, size_t sides)
{
    if (list->count <= 1 || list->count == sides)
        return EXIT_DONE;
    return exit_usage(help.name, "--%s is given %zu times for %zu sides: give it once, or for each",
                      name, list->count, sides);
}

static size_t count_standard(const text_list *files)
{
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++)
        count += strcmp(files->items[i], "-") == 0;
    return count;
}

static int check_sides(const compare *c)
{
    size_t sides = side_count(c);
    const bool has_both = c->before.count > 0 && c->after.count > 0;
    if (is_clusters(c) && !has_both && c->input.files.count == 0 && !c->input.live.wanted)
        return exit_usage(help.name, "--before and --after go together, unless -f or --live gives "
                                     "the cluster that both sides have");
    if (sides < 2)
        return exit_usage(help.name, "there is one side only: give --config, --kubernetes or "
                                     "--feature-gates twice ('--config default' is "
                                     "kube-scheduler's own), or --before and --after");
    if (sides > COMPARISON_SIDES_MAX)
        return exit_usage(help.name, "%zu sides are more than %d", sides, COMPARISON_SIDES_MAX);
    if (count_standard(&c->before) + count_standard(&c->after) + count_standard(&c->input.files) >
        1)
        return exit_usage(help.name, "standard input ('-') can be read only once");
    int code = check_list(&c->configs, "config", sides);
    if (code == EXIT_DONE)
        code = check_list(&c->versions, "kubernetes", sides);
    return code == EXIT_DONE ? check_list(&c->gates, "feature-gates", sides) : code;
}

static int check(compare *c, const text_list *operands)
{
    if (!is_clusters(c)) {
        int code = cluster_input_check(&c->input, operands, help.name);
        return code == EXIT_DONE ? check_sides(c) : code;
    }
    for (size_t i = 0; i < operands->count; i++)
        text_list_add(&c->input.files, operands->items[i]);
    if (c->input.synthetic != NULL)
        return exit_usage(help.name, "--synthetic and --before exclude each other");
    int code = cluster_live_check(&c->input.live, true, help.name);
    if (code != EXIT_DONE)
        return code;
    text_list *lists[] = {&c->input.files, &c->before, &c->after};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        code = input_files_expand(&c->input.expanded, lists[i], c->input.recursive, help.name);
        if (code != EXIT_DONE)
            return code;
    }
    return check_sides(c);
}

/* ---- standard input, which each side reads ---- */

static berth_status keep_standard(compare *c, berth_error *error)
{
    char piece[65536];
    size_t bytes;
    c->standard = tmpfile();
    if (c->standard == NULL)
        return error_set(error, BERTH_E_IO, "standard input", "there is no room to keep it");
    while ((bytes = fread(piece, 1, sizeof(piece), stdin)) > 0)
        fwrite(piece, 1, bytes, c->standard);
    if (ferror(stdin) || fflush(c->standard) != 0 || ferror(c->standard))
        return error_set(error, BERTH_E_IO, "standard input", "it could not be read and kept");
    snprintf(c->standard_path, sizeof(c->standard_path), "/proc/self/fd/%d", fileno(c->standard));
    return BERTH_OK;
}

static berth_status add_files(compare *c, const text_list *from, text_list *to, berth_error *error)
{
    for (size_t i = 0; i < from->count; i++) {
        const char *path = from->items[i];
        if (strcmp(path, "-") == 0) {
            if (c->standard == NULL)
                TRY(keep_standard(c, error));
            path = c->standard_path;
        }
        text_list_add(to, path);
    }
    return BERTH_OK;
}

/* ---- making the sides ---- */

static void name_side(const compare *c, size_t number, comparison_side *side)
{
    if (is_clusters(c))
        snprintf(side->title, sizeof(side->title), "%s", number == 0 ? "before" : "after");
    else
        snprintf(side->title, sizeof(side->title), "%c", (char)('A' + number));
    side->config = value_of(&c->configs, number);
    if (side->config == NULL)
        side->config = "default";
    side->kubernetes = value_of(&c->versions, number);
    side->feature_gates = value_of(&c->gates, number);
    if (is_clusters(c))
        side->files = number == 0 ? &c->before : &c->after;
}

static berth_status make_side(compare *c, size_t number, berth_error *error)
{
    comparison_side *named = &c->comparison.sides[number];
    cluster_side *side = &named->side;
    name_side(c, number, named);
    side->setup = c->setup;
    side->setup.config_path = strcmp(named->config, "default") == 0 ? NULL : named->config;
    side->setup.kubernetes = named->kubernetes;
    side->setup.feature_gates = named->feature_gates;
    side->anew = c->anew;
    side->input = c->input;
    side->input.files = (text_list){0};
    side->input.live.borrowed = true;
    side->input.expanded = (input_files){0};
    TRY(add_files(c, &c->input.files, &side->input.files, error));
    if (named->files != NULL)
        TRY(add_files(c, named->files, &side->input.files, error));
    berth_status status = cluster_side_make(side, error);
    if (status != BERTH_OK && c->standard != NULL && strcmp(error->source, c->standard_path) == 0)
        snprintf(error->source, sizeof(error->source), "standard input");
    return status;
}

static int run(compare *c)
{
    berth_error error = {.code = BERTH_OK};
    berth_status status = BERTH_OK;
    c->comparison.side_count = side_count(c);
    status = cluster_live_read(&c->input.live, &c->setup, &error);
    for (size_t i = 0; i < c->comparison.side_count && status == BERTH_OK; i++)
        status = make_side(c, i, &error);
    if (status == BERTH_OK)
        status = comparison_make(&c->comparison, &error);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    if (output_is_flat((output_format)c->format))
        comparison_print_list(&c->comparison, stdout, c->all_pods);
    else if (output_is_text((output_format)c->format))
        comparison_print(&c->comparison, stdout, c->summary_only, c->all_pods);
    else
        comparison_write(&c->comparison, stdout, (output_format)c->format, c->summary_only);
    return c->exit_code && comparison_is_worse(&c->comparison) ? EXIT_NEGATIVE : EXIT_DONE;
}

/* ---- the command ---- */

/* The options of every engine, without those that may differ between sides. */
static option_group setup_options(compare *c)
{
    static const char *const of_sides[] = {"config", "kubernetes", "feature-gates"};
    option_group all = engine_setup_options(&c->setup);
    option_group kept = {c->setup_options, 0, OPTIONS_ENGINE};
    for (size_t i = 0; i < all.count; i++) {
        bool of_side = false;
        for (size_t k = 0; k < sizeof(of_sides) / sizeof(of_sides[0]); k++)
            of_side = of_side || strcmp(all.items[i].name, of_sides[k]) == 0;
        if (!of_side)
            memcpy(&c->setup_options[kept.count++], &all.items[i], sizeof(option));
    }
    return kept;
}

static void own_options(compare *c, option options[OWN_OPTIONS])
{
    const option list[OWN_OPTIONS] = {
        {.name = "config",
         .kind = OPTION_TEXTS,
         .value = "FILE",
         .target = &c->configs,
         .help =
             "a side's KubeSchedulerConfiguration; 'default':\nkube-scheduler's own; repeatable"},
        {.name = "kubernetes",
         .kind = OPTION_TEXTS,
         .value = "VERSION",
         .target = &c->versions,
         .help = "a side's version, 1.32 to 1.37 (default: that of its\nnodes); repeatable"},
        {.name = "feature-gates",
         .kind = OPTION_TEXTS,
         .value = "GATES",
         .target = &c->gates,
         .help = "a side's gates: Name=true,Other=false; repeatable"},
        {.name = "before",
         .kind = OPTION_TEXTS,
         .value = "FILE",
         .target = &c->before,
         .help = "objects of the first side alone, named as with --file"},
        {.name = "after",
         .kind = OPTION_TEXTS,
         .value = "FILE",
         .target = &c->after,
         .help = "objects of the second side alone, named as with --file"},
        {.name = "anew",
         .kind = OPTION_FLAG,
         .target = &c->anew,
         .help = "take running pods off first and place them again, too"},
        {.name = "moves",
         .kind = OPTION_FLAG,
         .target = &c->all_pods,
         .help = "list every pod that differs (default: the first 20; json\nand yaml always do; "
                 "csv and markdown instead of figures)"},
        {.name = "output",
         .letter = 'o',
         .kind = OPTION_CHOICE,
         .value = "FORMAT",
         .target = &c->format,
         .choices = output_table_format_names,
         .help = "form of the results"},
        {.name = "summary",
         .kind = OPTION_FLAG,
         .target = &c->summary_only,
         .help = "leave out the pods that differ"},
        {.name = "exit-code",
         .kind = OPTION_FLAG,
         .target = &c->exit_code,
         .help = "exit with 1 if a pod is worse off than on the first side"},
    };
    memcpy(options, list, sizeof(list));
}

int cmd_compare(int argc, char **argv)
{
    compare c = {.format = OUTPUT_TABLE};
    text_list operands = {0};
    option own[OWN_OPTIONS];
    own_options(&c, own);
    const option_group groups[] = {cluster_input_options(&c.input), setup_options(&c),
                                   OPTION_GROUP(own)};
    options_result parsed = options_parse(&help, groups, 3, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    output_settle((output_format)c.format);
    if (parsed == OPTIONS_RUN)
        code = check(&c, &operands);
    if (parsed == OPTIONS_RUN && code == EXIT_DONE)
        code = run(&c);
    comparison_release(&c.comparison);
    if (c.standard != NULL)
        fclose(c.standard);
    text_list_free(&operands);
    text_list_free(&c.configs);
    text_list_free(&c.versions);
    text_list_free(&c.gates);
    text_list_free(&c.before);
    text_list_free(&c.after);
    cluster_input_release(&c.input);
    return code;
}
