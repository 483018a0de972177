/* The engine's calls for callers that have entered it already (versions/engine_state.h): each does
 * what the public function of its name does. */
#ifndef BERTH_API_ENGINE_CALLS_H
#define BERTH_API_ENGINE_CALLS_H

#include "berth/transaction.h"
#include "versions/engine_state.h"

berth_status berth__engine_bind(berth_engine *engine, berth_pod_id pod, berth_node_id node,
                                berth_error *error);
berth_status berth__engine_unbind(berth_engine *engine, berth_pod_id pod, berth_error *error);
berth_status berth__engine_nominate(berth_engine *engine, berth_pod_id pod, berth_node_id node,
                                    berth_error *error);
berth_status berth__engine_add_like(berth_engine *engine, berth_pod_id like, berth_str name,
                                    berth_pod_id *id, berth_error *error);
berth_status berth__engine_begin(berth_engine *engine, berth_error *error);

#endif
