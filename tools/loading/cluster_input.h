/* The cluster that a subcommand works on: files of Kubernetes objects, standard input, a live
 * cluster, or a synthetic specification, loaded into an engine. */
#ifndef BERTH_TOOLS_CLUSTER_INPUT_H
#define BERTH_TOOLS_CLUSTER_INPUT_H

#include "admission/admission.h"
#include "berth/berth.h"
#include "cli/options.h"
#include "cli/words.h"
#include "inspect/inspection.h"
#include "loading/allowances.h"
#include "loading/autoscalers.h"
#include "loading/budgets.h"
#include "loading/changes.h"
#include "loading/claim_book.h"
#include "loading/cluster_live.h"
#include "loading/cluster_version.h"
#include "loading/engine_setup.h"
#include "loading/input_files.h"
#include "loading/rollouts.h"
#include "loading/twins.h"
#include "prices/prices.h"

enum { CLUSTER_OPTIONS_MAX = 8 + CLUSTER_LIVE_OPTIONS };

/* A pending pod that no scheduler of this setup would take up, and why. */
typedef struct cluster_skip {
    berth_pod_id pod;
    uint32_t reason; /* in skip_reasons */
    bool refused;    /* by a LimitRange or a quota: an API server would not create it */
} cluster_skip;

typedef struct cluster_input {
    /* given on the command line */
    text_list files; /* once checked: without folders and lists with commas */
    bool recursive;  /* folders with their subfolders */
    const char *synthetic;
    cluster_live live;          /* read before the files, which change it */
    const char *namespace_name; /* of objects that name none; NULL: "default" */
    bool strict;                /* warnings are errors */
    bool expand;                /* workloads that an API server has seen become their pods, too */
    bool plays;                 /* the caller plays rollouts (cluster_input_play) */
    bool add;             /* what manifests hold comes beside what runs, and changes nothing */
    input_files expanded; /* what `files` was, and the names that it consists of now */
    option options[CLUSTER_OPTIONS_MAX];
    /* called with each object once it has been added (pods that are ignored: BERTH_POD_NONE); or
     * NULL */
    void (*on_added)(void *context, const berth_object *object, const berth_object_id *id);
    void *context;
    autoscalers autoscalers; /* `goal` is given */
    prices prices;           /* of nodes, for commands that have the option; `path` may be set */
    /* found while loading; of its references the caller may set what matters to the command */
    inspection inspection;
    admission admission;
    claim_book claims;
    changes *changes; /* what manifests change; NULL: nothing is a change */
    twins twins;
    budgets budgets; /* those without a status are completed once all is read */
    allowances allowances;
    cluster_version version; /* of the nodes */
    berth_reader *reader;    /* of the files, while more follows */
    const char *command;     /* that speaks on standard error; NULL: the program */
    bool more_follows;       /* the caller's: other files belong to the input, too */
    word_table resources;    /* names in any node's allocatable */
    word_table skip_reasons; /* "being deleted", ... */
    berth_pod_id *fresh;     /* pods that no API server has seen; by pod id once loaded */
    size_t fresh_count;
    size_t fresh_capacity;
    cluster_skip *skips; /* by pod id once loaded */
    size_t skip_count;
    size_t skip_capacity;
} cluster_input;

/* The options as a group for options_parse. `input` must not move afterwards. */
option_group cluster_input_options(cluster_input *input);

/* After parsing: take operands as further files, and check that there is one input. Returns
 * EXIT_DONE, or EXIT_USAGE, said on standard error. */
int cluster_input_check(cluster_input *input, const text_list *operands, const char *command);

/* Read the live cluster, if one is wanted, and settle which version of kube-scheduler decides: call
 * before the setup is resolved. Errors: those of cluster_live_read. */
berth_status cluster_input_version(cluster_input *input, engine_setup *setup, berth_error *error);

/* What a reader of the command's files is told, those of the cluster and others. */
berth_read_options cluster_input_reading(cluster_input *input);

/* Look at an object of the input, which is about to be added; and complete the error of one that
 * was refused with where it stands, and the first of its name. */
void cluster_input_look(cluster_input *input, const berth_object *object,
                        const berth_error *origin);
void cluster_input_refused(cluster_input *input, const berth_object *object,
                           const berth_error *origin, berth_error *error);

/* Load everything into `engine`. Errors: the reader's and the engine's, saying where the object
 * stands. */
berth_status cluster_input_load(cluster_input *input, const engine_setup *setup,
                                berth_engine *engine, berth_error *error);

/* Apply the quotas to new pods, those of other files that the caller has read, too. */
void cluster_input_admit(cluster_input *input, berth_engine *engine);

/* Play the rollouts of what the manifests change; `decide` schedules a pod. Errors: its own and the
 * engine's. */
berth_status cluster_input_play(cluster_input *input, berth_engine *engine,
                                berth_status (*decide)(void *context, berth_pod_id pod,
                                                       bool *placed, berth_error *error),
                                void *context, berth_error *error);

/* Say on standard error what is odd about the input and what is missing in it. Loading does so at
 * its end, unless `more_follows` is set: then whoever reads the rest does. Errors: E_INVALID if
 * anything is, and --strict was given. */
berth_status cluster_input_report(cluster_input *input, berth_error *error);

/* Why a pending pod is passed over, or NULL. */
const cluster_skip *cluster_input_skipped(const cluster_input *input, berth_pod_id pod);

/* Whether a pod is of a manifest: no API server has seen it. */
bool cluster_input_is_fresh(const cluster_input *input, berth_pod_id pod);

void cluster_input_release(cluster_input *input);

#endif
