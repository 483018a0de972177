/* The devices that a pod's placement took for its ResourceClaims, for output. */
#ifndef BERTH_TOOLS_TAKEN_DEVICES_H
#define BERTH_TOOLS_TAKEN_DEVICES_H

#include "berth/berth.h"
#include "cli/output.h"
#include "cli/text_buffer.h"
#include "loading/claim_book.h"

/* Texts belong to the engine, valid until it changes, and to the book. */
typedef struct taken_devices {
    berth_taken_device *items;
    size_t capacity;
    uint32_t count;
} taken_devices;

/* `book` (may be NULL) knows the placements that were written into claims of several pods. */
void taken_devices_make(taken_devices *d, const berth_engine *engine, berth_pod_id pod,
                        const claim_book *book);
void taken_devices_free(taken_devices *d);

/* Writes "gpu-0, gpu-1 of gpu.example.com; nic-0 of nic.example.com", or, for a pool that is not
 * named after the node, "... of gpu.example.com/shared". */
void taken_devices_tell(const taken_devices *d, berth_str node, text_buffer *out);

/* Writes a member "devices"; nothing if there are none. */
void taken_devices_write(const taken_devices *d, output *o);

#endif
