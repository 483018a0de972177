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

/* A pending pod that no scheduler of this setup would try to place, and why. */
typedef struct cluster_skip {
    berth_pod_id pod;
    uint32_t reason; /* in skip_reasons */
    bool refused;    /* a LimitRange or a quota refuses it: an API server would not create it */
} cluster_skip;

typedef struct cluster_input {
    /* options */
    text_list files; /* after the check: folders and lists with commas are expanded */
    bool recursive;  /* read subfolders of folders */
    const char *synthetic;
    cluster_live live;          /* read before the files; these may change it */
    const char *namespace_name; /* for objects that name none; NULL: "default" */
    bool strict;                /* warnings are errors */
    bool grows;                 /* the caller adds nodes: all pods of each workload are made */
    bool expand;                /* also make the pods of workloads that come from an API server */
    bool plays;                 /* the caller plays rollouts (cluster_input_play) */
    bool add;             /* objects of manifests are added to running ones and change nothing */
    input_files expanded; /* the original `files`, and memory for the expanded names */
    option options[CLUSTER_OPTIONS_MAX];
    /* optional; called after each object was added (ignored pods: BERTH_POD_NONE) */
    void (*on_added)(void *context, const berth_object *object, const berth_object_id *id);
    void *context;
    autoscalers autoscalers; /* `goal` is an option */
    prices prices;           /* prices of nodes, for commands with the option; `path` may be set */
    /* results of loading; the caller may choose which references are checked */
    inspection inspection;
    admission admission;
    claim_book claims;
    changes *changes; /* what manifests change; NULL with --add */
    twins twins;
    budgets budgets; /* budgets without a status are completed once all is read */
    allowances allowances;
    cluster_version version;  /* version of the nodes */
    berth_reader *reader;     /* of the files; kept if `more_follows` */
    const char *command;      /* prefix of diagnostics; NULL: the program */
    bool more_follows;        /* set by the caller: it will read further files of the input */
    berth_cancel_flag cancel; /* set by the caller: ends reading; NULL: nothing does */
    word_table resources;     /* names in the allocatable of any node */
    word_table skip_reasons;  /* "being deleted", ... */
    berth_pod_id *fresh;      /* pods of manifests; sorted by id once loaded */
    size_t fresh_count;
    size_t fresh_capacity;
    cluster_skip *skips; /* sorted by pod id once loaded */
    size_t skip_count;
    size_t skip_capacity;
} cluster_input;

/* The options, as a group for options_parse. `input` must not move afterwards. */
option_group cluster_input_options(cluster_input *input);

/* After parsing: add operands to the files and check that there is exactly one input. Returns
 * EXIT_DONE, or EXIT_USAGE after a message on standard error. */
int cluster_input_check(cluster_input *input, const text_list *operands, const char *command);

/* Read the live cluster, if one is wanted, and choose the version of kube-scheduler that decides.
 * Call before the setup is resolved. Errors: those of cluster_live_read. */
berth_status cluster_input_version(cluster_input *input, engine_setup *setup, berth_error *error);

/* Options for the readers of all files of the command, those of the cluster and others. */
berth_read_options cluster_input_reading(cluster_input *input);

/* Inspect an object of the input that is about to be added. If the engine refuses an object,
 * complete its error with the object's place in the input and the place of the first object of that
 * name. */
void cluster_input_look(cluster_input *input, const berth_object *object,
                        const berth_error *origin);
void cluster_input_refused(cluster_input *input, const berth_object *object,
                           const berth_error *origin, berth_error *error);

/* Load everything into `engine`. Errors: the reader's and the engine's, with the place of the
 * object. */
berth_status cluster_input_load(cluster_input *input, const engine_setup *setup,
                                berth_engine *engine, berth_error *error);

/* Apply quotas to the pods of manifests, including those of files that the caller read itself. */
void cluster_input_admit(cluster_input *input, berth_engine *engine);

/* Play the rollouts of changed workloads; `decide` schedules a pod. Errors: its own and the
 * engine's. */
berth_status cluster_input_play(cluster_input *input, berth_engine *engine,
                                berth_status (*decide)(void *context, berth_pod_id pod,
                                                       bool *placed, berth_error *error),
                                void *context, berth_error *error);

/* Report on standard error what is odd or missing in the input. Loading does this at its end,
 * unless `more_follows` is set; then the caller does, after it has read the rest. Errors:
 * BERTH_E_INVALID if anything was reported and --strict is set. */
berth_status cluster_input_report(cluster_input *input, berth_error *error);

/* If no scheduler of the setup takes a pending pod, because it is being deleted or no profile
 * serves it, note this. Loading does this; call it for pods that the engine has from elsewhere, in
 * the order of their ids. */
void cluster_input_pass_over(cluster_input *input, const engine_setup *setup, berth_pod_id pod,
                             bool deleting, berth_str scheduler_name);

/* Skip a pod because admission refuses it. Call cluster_input_admit afterwards. */
void cluster_input_skip(cluster_input *input, berth_pod_id pod, berth_str reason);

/* Why a pending pod is skipped, or NULL. */
const cluster_skip *cluster_input_skipped(const cluster_input *input, berth_pod_id pod);

/* Whether a pod comes from a manifest, not from an API server. */
bool cluster_input_is_fresh(const cluster_input *input, berth_pod_id pod);

void cluster_input_release(cluster_input *input);

#endif
