/* What a node's devices lack for a pod's ResourceClaims, in words and as a value. */
#ifndef BERTH_TOOLS_DEVICE_LACKS_H
#define BERTH_TOOLS_DEVICE_LACKS_H

#include "berth/berth.h"
#include "cli/output.h"
#include "explain/text_buffer.h"

/* How a node's devices stand to each request. Texts are the engine's, until it changes. */
typedef struct device_lacks {
    berth_device_fit *items;
    uint32_t count;
} device_lacks;

/* Nothing of a pod that has no claims to be served, or where that can't be asked. */
void device_lacks_make(device_lacks *d, berth_engine *engine, berth_pod_id pod, berth_node_id node);
void device_lacks_free(device_lacks *d);

/* Whether fewer devices would do for the request than it asks for. */
bool device_lacks_short(const berth_device_fit *fit);

/* "asks 4 gpu.example.com, 3 of 4 free, 1 not as selected; ...", of requests that are not served;
 * or that they are but for constraints, and for each other. Returns how far the node is from
 * serving them: the sum of the shares that are missing. */
double device_lacks_tell(const device_lacks *d, text_buffer *out);

/* "1 gpu.example.com, 2 nic.example.com or 1 small.example.com": what is asked for. */
void device_lacks_ask(const device_lacks *d, text_buffer *out);

/* Of all nodes that a decision refused for devices, added up: "asks 1 gpu.example.com, 3 of 8 free,
 * 2 not as selected"; nothing where there are none. */
void device_lacks_tell_all(berth_engine *engine, berth_pod_id pod, const berth_explanation *why,
                           text_buffer *out);

/* A member "devices"; nothing where there are no requests. */
void device_lacks_write(const device_lacks *d, output *o);

#endif
