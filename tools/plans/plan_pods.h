/* Facts about pods for plans: which pods are pending, which stay with their node, and why a pod
 * fits nowhere. */
#ifndef BERTH_TOOLS_PLAN_PODS_H
#define BERTH_TOOLS_PLAN_PODS_H

#include <stdbool.h>

#include "berth/berth.h"
#include "cli/text_buffer.h"
#include "loading/cluster_input.h"

/* The pending pods in the order of a scheduler's queue; the caller frees `*out`. Errors: those of
 * berth_engine_pending; `*out` is not set then. */
berth_status plan_pending(const berth_engine *engine, berth_pod_id **out, uint64_t *count,
                          berth_error *error);

/* Note for the input which pending pods no scheduler of the setup takes, for an engine that was not
 * filled by this input (cluster_input_pass_over). Errors: those of the engine. */
berth_status plan_pass_over(const berth_engine *engine, cluster_input *input,
                            const engine_setup *setup, berth_error *error);

/* Whether a pod belongs to its node: a DaemonSet's pod or a mirror pod. */
bool plan_pod_stays(const berth_pod_info *info);

/* Why a pending pod fits no node at present, in short, most nodes first: "Insufficient cpu (3
 * nodes), node(s) had untolerated taint {a: b} (1)". With `as_set`: the reasons sorted by name and
 * without numbers, so that pods with the same reasons can be counted. `explanation` is scratch.
 * Errors: those of berth_engine_decide. */
berth_status plan_reason(berth_engine *engine, berth_pod_id pod, berth_explanation *explanation,
                         bool as_set, text_buffer *out, berth_error *error);

#endif
