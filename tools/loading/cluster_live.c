/* Options of live reads, and the choice of kinds to request. The registered source does the
 * networking. */
#include "loading/cluster_live.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "loading/autoscalers.h"

/* Set once, before a command runs. */
static const cluster_source *registered;

void cluster_source_register(const cluster_source *source)
{
    registered = source;
}

const cluster_source *cluster_source_registered(void)
{
    return registered;
}

void cluster_live_options(cluster_live *live, option *out)
{
    const option options[CLUSTER_LIVE_OPTIONS] = {
        {.name = "live",
         .kind = OPTION_FLAG,
         .target = &live->wanted,
         .help = "read the cluster from its API server, with GET alone; files\nbeside it change "
                 "the cluster"},
        {.name = "kubeconfig",
         .kind = OPTION_TEXT,
         .value = "FILE",
         .target = &live->kubeconfig,
         .help = "a live cluster's server and credentials (default: the files\nof $KUBECONFIG, "
                 "then ~/.kube/config); implies --live"},
        {.name = "context",
         .kind = OPTION_TEXT,
         .value = "NAME",
         .target = &live->context,
         .help = "the kubeconfig's context (default: the current one);\nimplies --live"},
        {.name = "all-namespaces",
         .letter = 'A',
         .kind = OPTION_FLAG,
         .target = &live->all_namespaces,
         .help = "accepted, as in kubectl: all namespaces are always read"},
    };
    memcpy(out, options, sizeof(options));
}

int cluster_live_check(cluster_live *live, bool has_input, const char *command)
{
    if (live->kubeconfig != NULL || live->context != NULL)
        live->wanted = true;
    if (!has_input && registered != NULL && registered->is_default)
        live->wanted = true;
    if (live->wanted && registered == NULL)
        return exit_usage(command, "this berth was built without libcurl and libmicrohttpd: it "
                                   "can't read a live cluster; fetch it with 'berth dump'");
    return EXIT_DONE;
}

/* The kinds that a configuration's plugins read. Without a configuration every kind is read.
 * Autoscalers are read only if they are applied. */
static berth_status choose_kinds(const engine_setup *setup, bool scales, const cluster_kind **kinds,
                                 size_t *count, berth_error *error)
{
    engine_setup resolved = *setup;
    const bool chooses = setup->config_path != NULL && strcmp(setup->config_path, "-") != 0;
    *count = 0;
    if (chooses)
        TRY(engine_setup_resolve(&resolved, error));
    for (size_t i = 0; i < cluster_kind_count; i++)
        if ((scales || strcmp(cluster_kinds[i].kind, AUTOSCALER_KIND) != 0) &&
            (!chooses || cluster_kind_is_read(&cluster_kinds[i], &resolved)))
            kinds[(*count)++] = &cluster_kinds[i];
    if (chooses)
        engine_setup_release(&resolved);
    return BERTH_OK;
}

berth_status cluster_live_read(cluster_live *live, const engine_setup *setup, berth_error *error)
{
    if (!live->wanted || live->cluster.text != NULL)
        return BERTH_OK;
    const cluster_kind **kinds = heap_new(cluster_kind_count, sizeof(*kinds));
    cluster_request request = {
        .kubeconfig = live->kubeconfig, .context = live->context, .kinds = kinds};
    berth_status status = choose_kinds(setup, live->scales, kinds, &request.kind_count, error);
    if (status == BERTH_OK)
        status = registered->read(&request, &live->cluster, error);
    free(kinds);
    return status;
}

void cluster_live_free(cluster_live *live)
{
    if (live->cluster.text != NULL && !live->borrowed) {
        munmap(live->cluster.text, live->cluster.bytes);
        close(live->cluster.file);
    }
    live->cluster.text = NULL;
}
