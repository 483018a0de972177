/* berth dump: prints the kubectl command that fetches everything that matters to a scheduler of
 * this configuration. */
#include <stdio.h>
#include <string.h>

#include "cli/exits.h"
#include "commands/commands.h"
#include "inspect/inspection.h"
#include "loading/cluster_kinds.h"
#include "loading/engine_setup.h"

typedef struct dump {
    engine_setup setup;
    const char *file;
    bool explain;
} dump;

static const command_help help = {
    .name = "dump",
    .synopsis = "[OPTION...]",
    .text =
        "Prints the kubectl command that fetches everything that affects the answers of the other\n"
        "commands: nodes, pods, and the kinds that the plugins of the configuration read. The\n"
        "command asks the server which of these kinds it has and skips the others. Run it with\n"
        "sh, as the examples do. It only reads; the answer goes into a file.\n",
    .examples = "  berth dump\n"
                "  sh -c \"$(berth dump)\"\n"
                "  sh -c \"$(berth dump --to monday.json)\" && berth top -f monday.json\n"
                "  berth dump --config scheduler.yaml --why\n",
};

static void print_why(const dump *d)
{
    for (size_t i = 0; i < cluster_kind_count; i++)
        if (cluster_kind_is_read(&cluster_kinds[i], &d->setup))
            printf("# %-36s %s\n", cluster_kinds[i].resource, cluster_kinds[i].why);
}

/* The command asks the server for its kinds first: kubectl get fetches nothing at all if one is
 * missing. */
static void print_command(const dump *d)
{
    size_t column = 0;
    printf("served=$(kubectl api-resources --verbs list --output name)\n"
           "kubectl get --all-namespaces --output json \"$(for kind in");
    for (size_t i = 0; i < cluster_kind_count; i++) {
        if (!cluster_kind_is_read(&cluster_kinds[i], &d->setup))
            continue;
        size_t len = strlen(cluster_kinds[i].resource) + 1;
        bool breaks = i == 0 || column + len > 88;
        column = breaks ? 2 + len : column + len;
        printf("%s%s", breaks ? " \\\n  " : " ", cluster_kinds[i].resource);
    }
    printf("; do\n"
           "  printf '%%s\\n' \"$served\" | grep -qx \"$kind\" && printf '%%s,' \"$kind\"\n"
           "done | sed 's/,$//')\" > %s\n",
           d->file);
}

static int run(dump *d)
{
    berth_error error = {.code = BERTH_OK};
    if (engine_setup_resolve(&d->setup, &error) != BERTH_OK)
        return exit_error(help.name, &error);
    inspection_config(d->setup.config, help.name);
    if (d->explain)
        print_why(d);
    print_command(d);
    return EXIT_DONE;
}

int cmd_dump(int argc, char **argv)
{
    dump d = {.file = "cluster.json"};
    text_list operands = {0};
    const option own[] = {
        {.name = "to",
         .kind = OPTION_TEXT,
         .value = "FILE",
         .target = &d.file,
         .help = "the file that it writes (default: cluster.json)"},
        {.name = "why",
         .kind = OPTION_FLAG,
         .target = &d.explain,
         .help = "say of each kind what it is read for, as comments"},
    };
    const option_group groups[] = {engine_setup_options(&d.setup), OPTION_GROUP(own)};
    options_result parsed = options_parse(&help, groups, 2, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN && operands.count > 0)
        code = exit_usage(help.name, "there is nothing to name: '%s'", operands.items[0]);
    else if (parsed == OPTIONS_RUN)
        code = run(&d);
    text_list_free(&operands);
    engine_setup_release(&d.setup);
    return code;
}
