#include "live/answer/answer_manifest.h"

#include "cli/exits.h"
#include "cli/text_buffer.h"
#include "loading/new_objects.h"

typedef struct manifest {
    answer_room *room;
    answer_manifest_fn on_pod;
    void *context;
    uint64_t pod_count;
} manifest;

static berth_status add_pod(manifest *m, const berth_pod *source, berth_error *error)
{
    cluster_input *input = &m->room->input;
    text_buffer refusal = {0};
    berth_pod pod = new_pod_like(source);
    berth_pod_id id;
    pod.meta.uid = source->meta.uid; /* its claims name it as their owner */
    (void)admission_pod(&input->admission, &pod, &input->inspection.findings, &refusal);
    const berth_status status = berth_engine_add_pod(m->room->branch, &pod, &id, error);
    if (status == BERTH_OK) {
        if (refusal.len > 0)
            cluster_input_skip(input, id, text_str(&refusal));
        admission_added(&input->admission, &pod, id, refusal.len > 0);
        m->on_pod(m->context, &pod, id);
        m->pod_count++;
    }
    text_free(&refusal);
    return status;
}

static berth_status on_read(void *context, const berth_object *object, const berth_error *origin,
                            berth_error *error)
{
    manifest *m = context;
    cluster_input *input = &m->room->input;
    cluster_input_look(input, object, origin);
    berth_status status;
    if (object->kind == BERTH_KIND_POD) {
        status = add_pod(m, object->as.pod, error);
    } else {
        status = berth_engine_add(m->room->branch, object, NULL, error);
        status = status == BERTH_E_EXISTS ? BERTH_OK : status;
    }
    if (status == BERTH_OK)
        claim_book_see(&input->claims, object);
    else
        error_place(error, origin);
    return status;
}

berth_status answer_manifest_read(answer_room *room, answer_manifest_fn on_pod, void *context,
                                  berth_error *error)
{
    manifest m = {room, on_pod, context, 0};
    const berth_read_options options = cluster_input_reading(&room->input);
    const berth_str text = {room->asked->body, (uint32_t)room->asked->length};
    berth_reader *reader = NULL;
    TRY(berth_reader_create(&options, &reader, error));
    berth_status status = berth_reader_text(reader, text, "manifest", on_read, &m, error);
    if (status == BERTH_OK)
        status = berth_reader_finish(reader, room->branch, on_read, &m, error);
    berth_reader_destroy(reader);
    if (status == BERTH_OK && m.pod_count == 0)
        return error_set(error, BERTH_E_INVALID, NULL, "there are no pods in the manifest");
    if (status == BERTH_OK)
        cluster_input_admit(&room->input, room->branch);
    return status;
}
