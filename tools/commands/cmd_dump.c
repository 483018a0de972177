/* berth dump: which kubectl command fetches all that matters to a scheduler of this
 * configuration. */
#include <stdio.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/words.h"
#include "commands/commands.h"
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

/* A kind, as kubectl names it, and the plugins that read it; none: whatever the plugins are. */
typedef struct dumped_kind {
    const char *resource;
    const char *plugins[4];
    const char *why;
} dumped_kind;

#define SPREADING {"PodTopologySpread"}, "default spreading"

/* clang-format off */
static const dumped_kind kinds[] = {
    {"namespaces", {"InterPodAffinity"}, "namespaceSelector of pod affinity"},
    {"priorityclasses.scheduling.k8s.io", {NULL}, "priorities of manifests' pods"},
    {"runtimeclasses.node.k8s.io", {NULL}, "overhead and selectors of manifests' pods"},
    {"limitranges", {NULL}, "what manifests' pods ask for that do not say"},
    {"resourcequotas", {NULL}, "which of manifests' pods are let in"},
    {"nodes", {NULL}, "where pods go"},
    {"storageclasses.storage.k8s.io", {"VolumeBinding", "VolumeZone"}, "where volumes are made"},
    {"persistentvolumes", {"VolumeBinding", "VolumeZone", "NodeVolumeLimits"},
     "where volumes can be reached"},
    {"persistentvolumeclaims",
     {"VolumeBinding", "VolumeZone", "NodeVolumeLimits", "VolumeRestrictions"},
     "which volumes pods use"},
    {"csinodes.storage.k8s.io", {"NodeVolumeLimits", "VolumeBinding"}, "volumes a node takes"},
    {"csidrivers.storage.k8s.io", {"NodeVolumeLimits", "VolumeBinding"}, "what drivers publish"},
    {"csistoragecapacities.storage.k8s.io", {"VolumeBinding"}, "where new volumes have room"},
    {"volumeattachments.storage.k8s.io", {"NodeVolumeLimits"}, "which volumes are attached"},
    {"deviceclasses.resource.k8s.io", {"DynamicResources"}, "which devices claims ask for"},
    {"resourceslices.resource.k8s.io", {"DynamicResources"}, "which devices there are"},
    {"resourceclaims.resource.k8s.io", {"DynamicResources"}, "devices that pods want and have"},
    {"resourceclaimtemplates.resource.k8s.io", {"DynamicResources"}, "claims of manifests' pods"},
    {"devicetaintrules.resource.k8s.io", {"DynamicResources"}, "devices that are tainted"},
    {"services", SPREADING},
    {"replicationcontrollers", SPREADING},
    {"replicasets.apps", SPREADING},
    {"statefulsets.apps", SPREADING},
    {"deployments.apps", {NULL}, "what manifests change"},
    {"daemonsets.apps", {NULL}, "what manifests change"},
    {"jobs.batch", {NULL}, "what manifests change"},
    {"cronjobs.batch", {NULL}, "what manifests change"},
    {"poddisruptionbudgets.policy", {NULL}, "preemption and drains"},
    {"pods", {NULL}, "what is there, and what waits"},
};
/* clang-format on */

enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };

/* Whether a profile runs a plugin at any point. */
static bool runs(const engine_setup *setup, const char *plugin)
{
    for (uint32_t p = 0; p < setup->profile_count; p++)
        for (int point = 0; point < BERTH_POINT_COUNT; point++) {
            berth_plugin_list list = berth_profile_list(&setup->profiles[p], (berth_point)point);
            for (uint32_t i = 0; i < list.count; i++) {
                const berth_plugin_ref *one = &list.items[i];
                berth_str name = one->implementation.len > 0 ? one->implementation : one->name;
                if (words_equal(name, words_of(plugin)))
                    return true;
            }
        }
    return false;
}

/* Policies of v1.15 have plugins of other names: for them everything is fetched. */
static bool is_read(const engine_setup *setup, const dumped_kind *kind)
{
    for (uint32_t p = 0; p < setup->profile_count; p++)
        if (setup->profiles[p].era == BERTH_ERA_V1ALPHA1)
            return true;
    for (int i = 0; i < 4 && kind->plugins[i] != NULL; i++)
        if (runs(setup, kind->plugins[i]))
            return true;
    return kind->plugins[0] == NULL;
}

static void print_why(const dump *d)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (is_read(&d->setup, &kinds[i]))
            printf("# %-36s %s\n", kinds[i].resource, kinds[i].why);
}

/* The server is asked which kinds it has: kubectl get fetches nothing where it lacks one. */
static void print_command(const dump *d)
{
    size_t column = 0;
    printf("served=$(kubectl api-resources --verbs list --output name)\n"
           "kubectl get --all-namespaces --output json \"$(for kind in");
    for (int i = 0; i < KIND_COUNT; i++) {
        if (!is_read(&d->setup, &kinds[i]))
            continue;
        size_t len = strlen(kinds[i].resource) + 1;
        bool breaks = i == 0 || column + len > 88;
        column = breaks ? 2 + len : column + len;
        printf("%s%s", breaks ? " \\\n  " : " ", kinds[i].resource);
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
