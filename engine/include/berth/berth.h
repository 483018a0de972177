/* Everything that an embedder needs: include this header.
 *
 * The ten calls you need
 *
 *   1  berth_engine_config_init    fill a configuration with the defaults
 *   2  berth_engine_create         create an engine: a cluster in memory, with decisions on it
 *   3  berth_engine_load_file      load a dump or manifests, JSON or YAML (kube.h)
 *   4  berth_engine_add_node       or add objects one by one, as structs (objects.h)
 *   5  berth_engine_add_pod
 *   6  berth_engine_schedule       decide where a pod goes, and bind it there
 *   7  berth_engine_fits           ask about one pod and one node (query.h)
 *   8  berth_engine_begin          begin to try something (transaction.h) ...
 *   9  berth_engine_rollback       ... and take it back; berth_engine_commit keeps it
 *  10  berth_engine_destroy
 *
 * An example: place every pending pod of a dump, and say why the others do not fit.
 *
 *     #include <berth/berth.h>
 *     #include <stdio.h>
 *     #include <stdlib.h>
 *
 *     static int fail(const berth_error *error)
 *     {
 *         char text[1024];
 *         berth_error_format(error, text, sizeof(text));
 *         fprintf(stderr, "%s\n", text);
 *         return 1;
 *     }
 *
 *     int main(int argc, char **argv)
 *     {
 *         berth_error error;
 *         berth_engine_config config;
 *         berth_engine_config_init(&config);
 *         berth_engine *engine;
 *         if (argc < 2 || berth_engine_create(&config, &engine, &error) != BERTH_OK)
 *             return 2;
 *         if (berth_engine_load_file(engine, argv[1], NULL, NULL, &error) != BERTH_OK)
 *             return fail(&error);
 *
 *         berth_explanation *why;
 *         if (berth_explanation_create(NULL, &why, &error) != BERTH_OK)
 *             return fail(&error);
 *         uint64_t count;
 *         if (berth_engine_pending(engine, NULL, 0, &count, &error) != BERTH_OK)
 *             return fail(&error);
 *         berth_pod_id *pods = calloc(count + 1, sizeof(*pods));
 *         if (pods == NULL ||
 *             berth_engine_pending(engine, pods, count, NULL, &error) != BERTH_OK)
 *             return 2;
 *
 *         for (uint64_t i = 0; i < count; i++) {
 *             berth_decide_options options;
 *             berth_decide_options_init(&options);
 *             options.explanation = why;
 *             berth_placement placement;
 *             if (berth_engine_decide(engine, pods[i], &options, &placement, &error) != BERTH_OK)
 *                 return fail(&error);
 *             berth_str space, name, text = berth_explanation_message(why);
 *             berth_engine_pod_name(engine, pods[i], &space, &name);
 *             if (placement.verdict == BERTH_VERDICT_PLACED) {
 *                 if (berth_engine_bind(engine, pods[i], placement.node, &error) != BERTH_OK)
 *                     return fail(&error);
 *                 text = berth_engine_node_name(engine, placement.node);
 *             }
 *             printf("%.*s: %.*s\n", (int)name.len, name.data, (int)text.len, text.data);
 *         }
 *
 *         free(pods);
 *         berth_explanation_destroy(why);
 *         berth_engine_destroy(engine);
 *         return 0;
 *     }
 *
 * Conventions of all headers
 *
 *   Errors     A call that can fail returns a berth_status and takes a berth_error as its last
 *              argument, which may be NULL. status.h lists the codes.
 *   Owner      Arguments are borrowed until the call returns, unless a comment says otherwise.
 *   Threads    An engine is used by one thread at a time; different engines are independent.
 *   Cost       Where a comment names no cost, it is constant: at most a hash of each text. */
#ifndef BERTH_BERTH_H
#define BERTH_BERTH_H

#include "berth/branch.h"
#include "berth/devices.h"
#include "berth/engine.h"
#include "berth/extender.h"
#include "berth/kube.h"
#include "berth/object_parts.h"
#include "berth/objects.h"
#include "berth/output.h"
#include "berth/plugin.h"
#include "berth/pod_group.h"
#include "berth/profile.h"
#include "berth/query.h"
#include "berth/read.h"
#include "berth/scheduler.h"
#include "berth/snapshot.h"
#include "berth/statistics.h"
#include "berth/status.h"
#include "berth/template.h"
#include "berth/transaction.h"

#endif
