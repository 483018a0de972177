/* Finds the kubeconfig files that kubectl would read, and merges several into one. */
#ifndef BERTH_LIVE_KUBECONFIG_FILES_H
#define BERTH_LIVE_KUBECONFIG_FILES_H

#include "live/credentials/kubeconfig.h"

typedef struct kubeconfig_search {
    const char *path; /* NULL: the files of KUBECONFIG, separated by colons */
    bool home;        /* then try ~/.kube/config */
    kubeconfig_choice choice;
} kubeconfig_search;

/* Read the files that exist. If several do, the first one that has a context, a cluster, a user or
 * the current context wins; relative paths are relative to their own file. Without any file: only
 * the chosen server, or what a pod finds in its file system. Errors: those of kubeconfig.h, and
 * BERTH_E_NOT_FOUND (none of these exists). After an error there is nothing to free. */
berth_status kubeconfig_find(kubeconfig *config, const kubeconfig_search *search,
                             berth_error *error);

#endif
