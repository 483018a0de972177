/* berth top: requests and limits of pods and free capacity, by node, namespace, zone or owner. */
#include <stdio.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/listing.h"
#include "cli/output.h"
#include "commands/commands.h"
#include "loading/cluster_input.h"
#include "top/top.h"
#include "top/top_print.h"
#include "top/top_write.h"

enum { SORT_UNSET = -1 };

typedef struct top_command {
    engine_setup setup;
    cluster_input input;
    listing list;
    int by;
    text_list resources;
    bool summary_only;
    berth_engine *engine;
    pod_limits limits;
    top top;
    option setup_options[ENGINE_OPTIONS_MAX]; /* the options of the setup that matter here */
} top_command;

static const command_help help = {
    .name = "top",
    .synopsis = "[OPTION...] -f FILE... | --live | --synthetic SPEC",
    .text =
        "Shows what pods request, their limits, and what remains: by node, namespace, zone or\n"
        "owner (Deployment, StatefulSet, CronJob, ...). FREE is what a pod without tolerations\n"
        "can use. Nodes that are cordoned, tainted (NoSchedule, NoExecute), not ready or full of\n"
        "pods are shown with the reason, and their free amounts are added up separately, as\n"
        "CLOSED. Pending pods are not placed: namespaces and owners count them, nodes and zones\n"
        "do not. Extended resources are shown if the cluster has any. Requests and limits are\n"
        "those of the pods' containers; Berth does not know what they really use.\n"
        "\n"
        "With --prices it shows what nodes cost per hour. A pod's share of the price of its node\n"
        "is the mean of its shares of cpu and memory, by requests. The rest of the price is the\n"
        "node's idle cost.\n" PRICES_HELP,
    .examples =
        "  berth top -f cluster.json\n"
        "  berth top -f cluster.json --by zone --resource ephemeral-storage\n"
        "  berth top -f cluster.json --by owner --only-namespace shop --sort memory\n"
        "  berth top -f cluster.json --prices prices.csv --by namespace -o csv > costs.csv\n"
        "  sh -c \"$(berth dump)\" && berth top -f cluster.json -o json\n"
        "  berth top --context prod --by zone\n",
};

/* The setup's options without those about decisions: this command decides nothing. */
static option_group setup_options(top_command *c)
{
    static const char *const names[] = {"kubernetes", "feature-gates", "threads"};
    option_group all = engine_setup_options(&c->setup);
    size_t count = 0;
    for (size_t i = 0; i < all.count; i++)
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
            if (strcmp(all.items[i].name, names[k]) == 0)
                c->setup_options[count++] = all.items[i];
    for (size_t i = 0; i < count; i++)
        if (strcmp(c->setup_options[i].name, "kubernetes") == 0)
            c->setup_options[i].help = "add up requests as this version does, 1.32 to 1.37, or a\n"
                                       "patch of it, 1.36.2 (default: that of the input's\n"
                                       "nodes, or the newest)";
        else if (strcmp(c->setup_options[i].name, "threads") == 0)
            c->setup_options[i].help = "threads that read (default: one per core)";
    return (option_group){c->setup_options, count, OPTIONS_ENGINE};
}

static void on_added(void *context, const berth_object *object, const berth_object_id *id)
{
    top_command *c = context;
    if (object->kind == BERTH_KIND_POD)
        pod_limits_add(&c->limits, object->as.pod, id->pod);
}

static bool by_pod(const top_command *c)
{
    return c->by == TOP_BY_NAMESPACE || c->by == TOP_BY_OWNER;
}

static berth_status measure(top_command *c, berth_error *error)
{
    int sort = by_pod(c) ? TOP_SORT_CPU : TOP_SORT_NAME;
    TRY(cluster_input_version(&c->input, &c->setup, error));
    TRY(engine_setup_resolve(&c->setup, error));
    TRY(engine_setup_create(&c->setup, &c->engine, error));
    c->input.on_added = on_added;
    c->input.context = c;
    c->input.inspection.references.listed = c->list.namespace_name;
    TRY(cluster_input_load(&c->input, &c->setup, c->engine, error));
    pod_limits_sort(&c->limits);
    c->top = (top){.engine = c->engine,
                   .input = &c->input,
                   .limits = &c->limits,
                   .asked = &c->resources,
                   .by = (top_by)c->by,
                   .sort = (top_sort)(c->list.sort == SORT_UNSET ? sort : c->list.sort),
                   .only_namespace = c->list.namespace_name};
    return top_make(&c->top, error);
}

static berth_status show(const top_command *c, berth_error *error)
{
    if (c->list.format == OUTPUT_NAME) {
        top_print_names(&c->top, stdout);
        return BERTH_OK;
    }
    if (listing_is_flat(&c->list))
        return top_print_list(&c->top, stdout, error);
    if (listing_is_table(&c->list))
        return top_print(&c->top, c->summary_only, stdout, error);
    output o;
    output_open(&o, stdout, (output_format)c->list.format, 4);
    output_object(&o);
    output_schema(&o, help.name);
    TRY(top_write(&c->top, c->summary_only, &o, error));
    output_object_end(&o);
    output_close(&o);
    return BERTH_OK;
}

static int run(top_command *c)
{
    berth_error error = {.code = BERTH_OK};
    berth_status status = measure(c, &error);
    if (status == BERTH_OK)
        status = show(c, &error);
    return status == BERTH_OK ? EXIT_DONE : exit_error(help.name, &error);
}

static int check(top_command *c, const text_list *operands)
{
    if (c->list.namespace_name != NULL && !by_pod(c))
        return exit_usage(help.name, "--only-namespace needs --by namespace or --by owner: nodes "
                                     "and zones have no namespace");
    if (c->list.sort == TOP_SORT_COST && c->input.prices.path == NULL)
        return exit_usage(help.name, "--sort cost needs --prices FILE");
    int code = listing_check(&c->list, c->summary_only, help.name);
    return code == EXIT_DONE ? cluster_input_check(&c->input, operands, help.name) : code;
}

int cmd_top(int argc, char **argv)
{
    top_command c = {.list = {.format = OUTPUT_TABLE, .sort = SORT_UNSET}};
    text_list operands = {0};
    const option own[] = {
        {.name = "by",
         .kind = OPTION_CHOICE,
         .value = "WHAT",
         .target = &c.by,
         .choices = top_by_names,
         .help = "what each row stands for"},
        {.name = "resource",
         .kind = OPTION_TEXTS,
         .value = "NAME",
         .target = &c.resources,
         .help = "also show this resource, such as ephemeral-storage;\nrepeatable"},
        prices_option(&c.input.prices),
        {.name = "summary",
         .kind = OPTION_FLAG,
         .target = &c.summary_only,
         .help = "print no rows"},
    };
    const option_group groups[] = {
        cluster_input_options(&c.input), setup_options(&c),
        listing_options(&c.list, LISTING_NAMESPACE, top_sort_names, NULL), OPTION_GROUP(own)};
    options_result parsed = options_parse(&help, groups, 4, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    listing_apply(&c.list);
    if (parsed == OPTIONS_RUN)
        code = check(&c, &operands);
    if (parsed == OPTIONS_RUN && code == EXIT_DONE)
        code = run(&c);
    text_list_free(&operands);
    text_list_free(&c.resources);
    top_release(&c.top);
    pod_limits_free(&c.limits);
    berth_engine_destroy(c.engine);
    cluster_input_release(&c.input);
    engine_setup_release(&c.setup);
    return code;
}
