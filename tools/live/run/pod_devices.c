/* Reads the claims one by one as objects, and keeps their parts as JSON. */
#include "live/run/pod_devices.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"
#include "live/writes/write_json.h"

static void forget(pod_devices *d)
{
    for (size_t i = 0; i < d->text_count; i++)
        free(d->texts[i]);
    d->text_count = 0;
    d->count = 0;
}

void pod_devices_free(pod_devices *d)
{
    forget(d);
    free(d->items);
    free(d->texts);
    *d = (pod_devices){.count = 0};
}

static berth_status add_piece(void *context, berth_str piece, berth_error *error)
{
    (void)error;
    fwrite(piece.data, 1, piece.len, context);
    return BERTH_OK;
}

static void end_without_memory(void)
{
    exit(exit_status("run", "reading a placement", BERTH_E_NOMEM));
}

/* Owner: the text is freed with the items. */
static berth_str keep(pod_devices *d, char *text)
{
    d->texts = heap_grow(d->texts, &d->text_capacity, d->text_count + 1, sizeof(*d->texts));
    d->texts[d->text_count++] = text;
    return words_of(text);
}

static berth_str copy_of(pod_devices *d, berth_str text)
{
    return keep(d, heap_text(text.data, text.len));
}

/* Owner: the caller's. */
static json_t *json_of(const berth_object *claim)
{
    char *text = NULL;
    size_t length = 0;
    berth_error error;
    FILE *file = open_memstream(&text, &length);
    if (file == NULL || berth_object_write(claim, add_piece, file, &error) != BERTH_OK ||
        fclose(file) != 0)
        end_without_memory();
    json_t *json = json_loadb(text, length, 0, NULL);
    free(text);
    return json;
}

/* Owner: the text is freed with the items. */
static berth_str text_of(pod_devices *d, const json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT);
    if (text == NULL)
        end_without_memory();
    return keep(d, text);
}

/* Cuts the allocation out of a claim. */
static berth_str allocation_of(pod_devices *d, const berth_object *claim)
{
    json_t *json = json_of(claim);
    berth_str text = text_of(d, json_object_get(json_object_get(json, "status"), "allocation"));
    json_decref(json);
    return text;
}

static berth_str requests_of(pod_devices *d, const berth_object *claim)
{
    json_t *json = json_of(claim);
    const json_t *devices = json_object_get(json_object_get(json, "spec"), "devices");
    berth_str text = text_of(d, json_object_get(devices, "requests"));
    json_decref(json);
    return text;
}

static order_devices *new_item(pod_devices *d, const berth_object *claim)
{
    const berth_resource_claim *of = claim->as.resource_claim;
    d->items = heap_grow(d->items, &d->capacity, d->count + 1u, sizeof(*d->items));
    order_devices *item = &d->items[d->count++];
    *item = (order_devices){
        .claim_namespace = copy_of(d, of->meta.namespace_name),
        .claim_name = of->meta.name.len > 0 ? copy_of(d, of->meta.name) : (berth_str){0},
        .allocation = of->allocation != NULL ? allocation_of(d, claim) : (berth_str){0}};
    return item;
}

/* status.extendedResourceClaimStatus.requestMappings of the pod. */
static berth_str mappings_of(pod_devices *d, const berth_engine *engine, berth_pod_id pod)
{
    uint32_t count = berth_engine_pod_extended_requests(engine, pod, NULL, 0);
    berth_extended_request *served = heap_new(count + 1, sizeof(*served));
    json_t *list = json_array();
    (void)berth_engine_pod_extended_requests(engine, pod, served, count);
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{so so so}", "containerName",
                                              write_json_str(served[i].container), "resourceName",
                                              write_json_str(served[i].resource), "requestName",
                                              write_json_str(served[i].request)));
    free(served);
    berth_str text = text_of(d, list);
    json_decref(list);
    return text;
}

static void read_extended(pod_devices *d, const berth_engine *engine, berth_pod_id pod)
{
    berth_object *claim;
    berth_status status = berth_engine_pod_extended_claim(engine, pod, NULL, &claim, NULL);
    if (status == BERTH_E_NOT_FOUND)
        return;
    if (status != BERTH_OK)
        end_without_memory();
    order_devices *item = new_item(d, claim);
    if (item->claim_name.len == 0)
        item->requests = requests_of(d, claim);
    item->mappings = mappings_of(d, engine, pod);
    berth_object_destroy(claim);
}

void pod_devices_read(pod_devices *d, const berth_engine *engine, berth_pod_id pod)
{
    berth_object *claim;
    berth_status status;
    forget(d);
    while ((status = berth_engine_pod_claim_object(engine, pod, d->count, NULL, &claim, NULL)) ==
           BERTH_OK) {
        (void)new_item(d, claim);
        berth_object_destroy(claim);
    }
    if (status != BERTH_E_NOT_FOUND)
        end_without_memory();
    read_extended(d, engine, pod);
}
