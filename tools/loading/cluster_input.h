/* The cluster that a subcommand works on: files of Kubernetes objects, standard input, or a
 * synthetic specification, loaded into an engine. */
#ifndef BERTH_TOOLS_CLUSTER_INPUT_H
#define BERTH_TOOLS_CLUSTER_INPUT_H

#include "berth/berth.h"
#include "cli/options.h"
#include "cli/words.h"
#include "loading/engine_setup.h"

enum { CLUSTER_OPTIONS_MAX = 2 };

/* A pending pod that no scheduler of this setup would take up, and why. */
typedef struct cluster_skip {
    berth_pod_id pod;
    uint32_t reason; /* in skip_reasons */
} cluster_skip;

typedef struct cluster_input {
    /* given on the command line */
    text_list files;
    const char *synthetic;
    option options[CLUSTER_OPTIONS_MAX];
    /* called with each object once it has been added (pods that are ignored: BERTH_POD_NONE); or
     * NULL */
    void (*on_added)(void *context, const berth_object *object, const berth_object_id *id);
    void *context;
    /* found while loading */
    word_table resources;    /* names in any node's allocatable */
    word_table skip_reasons; /* "being deleted", ... */
    cluster_skip *skips;     /* by pod id once loaded */
    size_t skip_count;
    size_t skip_capacity;
} cluster_input;

/* The options as a group for options_parse. `input` must not move afterwards. */
option_group cluster_input_options(cluster_input *input);

/* After parsing: take operands as further files, and check that there is one input. Returns
 * EXIT_DONE, or EXIT_USAGE, said on standard error. */
int cluster_input_check(cluster_input *input, const text_list *operands, const char *command);

/* Load everything into `engine`. Errors: the reader's and the engine's, saying where the object
 * stands; a pod bound to a node that is not there is E_NOT_FOUND. */
berth_status cluster_input_load(cluster_input *input, const engine_setup *setup,
                                berth_engine *engine, berth_error *error);

/* Why a pending pod is passed over, or NULL. */
const cluster_skip *cluster_input_skipped(const cluster_input *input, berth_pod_id pod);

void cluster_input_release(cluster_input *input);

#endif
