/* What a node's devices lack for a pod's ResourceClaims, as text and as a value. */
#ifndef BERTH_TOOLS_DEVICE_LACKS_H
#define BERTH_TOOLS_DEVICE_LACKS_H

#include "berth/berth.h"
#include "cli/output.h"
#include "cli/text_buffer.h"

/* How far a node's devices satisfy each request. Texts are the engine's, valid until it changes. */
typedef struct device_lacks {
    berth_device_fit *items;
    uint32_t count;
} device_lacks;

/* Empty if the pod has no claims to allocate, or if the engine cannot answer. */
void device_lacks_make(device_lacks *d, berth_engine *engine, berth_pod_id pod, berth_node_id node);
void device_lacks_free(device_lacks *d);

/* Whether the request would be satisfied with fewer devices. */
bool device_lacks_short(const berth_device_fit *fit);

/* Writes "asks 4 gpu.example.com, 3 of 4 free, 1 not as selected; ..." for requests that are not
 * satisfied, or says that constraints or the other requests prevent it. Returns how far the node is
 * from satisfying them: the sum of the missing shares. */
double device_lacks_tell(const device_lacks *d, text_buffer *out);

/* Writes the requests: "1 gpu.example.com, 2 nic.example.com or 1 small.example.com". */
void device_lacks_ask(const device_lacks *d, text_buffer *out);

/* Writes the sum over all nodes that a decision refused for devices: "asks 1 gpu.example.com, 3 of
 * 8 free, 2 not as selected"; nothing if there are none. */
void device_lacks_tell_all(berth_engine *engine, berth_pod_id pod, const berth_explanation *why,
                           text_buffer *out);

/* Writes a member "devices"; nothing if there are no requests. */
void device_lacks_write(const device_lacks *d, output *o);

#endif
