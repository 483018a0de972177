/* Which kubeconfig files a program reads, as kubectl finds them, and several files as one. */
#ifndef BERTH_LIVE_KUBECONFIG_FILES_H
#define BERTH_LIVE_KUBECONFIG_FILES_H

#include "live/credentials/kubeconfig.h"

typedef struct kubeconfig_search {
    const char *path; /* NULL: the files of KUBECONFIG, a list with colons */
    bool home;        /* then ~/.kube/config */
    kubeconfig_choice choice;
} kubeconfig_search;

/* Read the files that there are. Of several, the first that names a context, a cluster, a user or
 * the current context counts; relative paths are relative to their own file. Without any file: the
 * chosen server alone, or what a pod finds in its file system. Errors: those of kubeconfig.h, and
 * E_NOT_FOUND (there is nothing of all this). Nothing needs to be freed then. */
berth_status kubeconfig_find(kubeconfig *config, const kubeconfig_search *search,
                             berth_error *error);

#endif
