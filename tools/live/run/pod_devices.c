/* Reads the claims one by one as objects, and keeps each one's allocation as JSON. */
#include "live/run/pod_devices.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"

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

/* Cuts the allocation out of a claim's text. */
static char *allocation_of(const berth_object *claim)
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
    text = json_dumps(json_object_get(json_object_get(json, "status"), "allocation"), JSON_COMPACT);
    json_decref(json);
    if (text == NULL)
        end_without_memory();
    return text;
}

void pod_devices_read(pod_devices *d, const berth_engine *engine, berth_pod_id pod)
{
    berth_object *claim;
    berth_status status;
    forget(d);
    while ((status = berth_engine_pod_claim_object(engine, pod, d->count, NULL, &claim, NULL)) ==
           BERTH_OK) {
        const berth_resource_claim *of = claim->as.resource_claim;
        d->items = heap_grow(d->items, &d->capacity, d->count + 1u, sizeof(*d->items));
        d->items[d->count++] = (order_devices){
            .claim_namespace = copy_of(d, of->meta.namespace_name),
            .claim_name = copy_of(d, of->meta.name),
            .allocation = of->allocation != NULL ? keep(d, allocation_of(claim)) : (berth_str){0}};
        berth_object_destroy(claim);
    }
    if (status != BERTH_E_NOT_FOUND)
        end_without_memory();
}
