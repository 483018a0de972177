/* Objects of an engine as text, passed to Go in pieces. Each operation has its own berth_error
 * until it is over, because Go may make other calls on the engine while it has a piece. */
#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"
#include "glue.h"

enum { PIECE_BYTES = 64 << 10 };

static berth_status fail(berth_error *error, berth_status code, const char *message)
{
    memset(error, 0, sizeof(*error));
    error->code = code;
    error->offset = UINT64_MAX;
    strcpy(error->message, message);
    return code;
}

/* The context is a handle, that is, a number. */
static berth_status on_piece(void *context, berth_str piece, berth_error *error)
{
    if (bgGoPiece((uintptr_t)context, (char *)piece.data, piece.len) == 0)
        return BERTH_OK;
    return fail(error, BERTH_E_STATE, "nothing more is wanted");
}

int bg_dump(bg_box *box, uintptr_t handle)
{
    berth_error error;
    berth_status status = berth_engine_dump(box->engine, on_piece, (void *)handle, &error);
    if (status != BERTH_OK)
        box->error = error;
    return status;
}

/* A growing text. */
typedef struct text_buffer {
    char *data;
    size_t used, size;
    uintptr_t handle; /* receives the text once it is long enough; 0: none */
} text_buffer;

static berth_status append(void *context, berth_str piece, berth_error *error)
{
    text_buffer *text = context;
    if (text->used + piece.len > text->size) {
        size_t size = 2 * (text->used + piece.len) + 1024;
        char *data = realloc(text->data, size);
        if (data == NULL)
            return fail(error, BERTH_E_NOMEM, "out of memory");
        text->data = data;
        text->size = size;
    }
    memcpy(text->data + text->used, piece.data, piece.len);
    text->used += piece.len;
    return BERTH_OK;
}

static berth_status hand_over(text_buffer *text, berth_error *error)
{
    berth_str piece = {text->data, (uint32_t)text->used};
    text->used = 0;
    return piece.len == 0 ? BERTH_OK : on_piece((void *)text->handle, piece, error);
}

static berth_status on_object(void *context, const berth_object *object, berth_error *error)
{
    text_buffer *text = context;
    const char letter = (char)('A' + object->kind);
    berth_status status = append(text, (berth_str){&letter, 1}, error);
    if (status == BERTH_OK)
        status = berth_object_write(object, append, text, error);
    if (status == BERTH_OK)
        status = append(text, (berth_str){"\n", 1}, error);
    if (status == BERTH_OK && text->used >= PIECE_BYTES)
        status = hand_over(text, error);
    return status;
}

int bg_objects(bg_box *box, uintptr_t handle)
{
    text_buffer text = {.handle = handle};
    berth_error error;
    berth_status status = BERTH_OK;
    for (int kind = 0; kind < BERTH_KIND_COUNT && status == BERTH_OK; kind++)
        status = berth_engine_objects(box->engine, (berth_kind)kind, on_object, &text, &error);
    if (status == BERTH_OK)
        status = hand_over(&text, &error);
    free(text.data);
    if (status != BERTH_OK)
        box->error = error;
    return status;
}

static int written(bg_box *box, berth_object *object, berth_str *out)
{
    text_buffer text = {0};
    berth_status status = berth_object_write(object, append, &text, &box->error);
    berth_object_destroy(object);
    if (status != BERTH_OK) {
        free(text.data);
        return status;
    }
    *out = (berth_str){text.data, (uint32_t)text.used};
    return BERTH_OK;
}

int bg_node_object(bg_box *box, uint32_t node, berth_str *out)
{
    berth_object *object;
    berth_status status = berth_engine_node_object(box->engine, node, NULL, &object, &box->error);
    return status == BERTH_OK ? written(box, object, out) : (int)status;
}

int bg_pod_object(bg_box *box, uint64_t pod, berth_str *out)
{
    berth_object *object;
    berth_status status = berth_engine_pod_object(box->engine, pod, NULL, &object, &box->error);
    return status == BERTH_OK ? written(box, object, out) : (int)status;
}

void bg_text_free(berth_str text)
{
    free((char *)text.data);
}

void bg_refusals(const bg_box *box, bg_refused *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        berth_code code = BERTH_CODE_UNSCHEDULABLE;
        out[i].count = berth_engine_refusals(box->engine, i, &out[i].plugin, &out[i].reason, &code);
        out[i].code = code;
    }
}
