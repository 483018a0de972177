/* Writes Kubernetes text: one object as JSON, and all objects of an engine as a List. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "berth/kube.h"
#include "berth/output.h"
#include "berth/read.h"
#include "kube/encode.h"
#include "objects/sized_object.h"

/* The destination of the text. Pieces are collected first, because writing one may be a system
 * call. */
typedef struct dump {
    berth_text_fn write;
    void *context;
    berth_error *said; /* `write` fills it */
    berth__encoder encoder;
    bool begun; /* an item has been written */
} dump;

enum { PIECE_BYTES = 64 * 1024 };

static berth_status flush(dump *d, berth_error *error)
{
    size_t count = d->encoder.count;
    if (!d->encoder.ok)
        return berth__error_no_memory(error);
    d->encoder.count = 0;
    for (size_t at = 0, piece; at < count; at += piece) {
        piece = count - at < UINT32_MAX ? count - at : UINT32_MAX;
        const berth_str text = {d->encoder.bytes + at, (uint32_t)piece};
        berth_status status = d->write(d->context, text, d->said);
        if (status == BERTH_OK)
            continue;
        if (d->said->code == BERTH_OK)
            return berth__error_set(error, status, "the function that was given text failed");
        if (error != NULL)
            *error = *d->said;
        return status;
    }
    return BERTH_OK;
}

static berth_status write_item(void *context, const berth_object *object, berth_error *error)
{
    dump *d = context;
    berth__encode_raw(&d->encoder, d->begun ? BERTH_STR(",\n    ") : BERTH_STR("\n    "));
    d->begun = true;
    berth__encode_object(&d->encoder, object);
    return d->encoder.ok && d->encoder.count < PIECE_BYTES ? BERTH_OK : flush(d, error);
}

static berth_status write_list(dump *d, berth_engine *engine, berth_error *error)
{
    berth__encode_raw(&d->encoder, BERTH_STR("{\n  \"apiVersion\": \"v1\",\n  \"kind\": "
                                             "\"List\",\n  \"items\": ["));
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++)
        BERTH_TRY(berth_engine_objects(engine, (berth_kind)kind, write_item, d, error));
    berth__encode_raw(&d->encoder, d->begun ? BERTH_STR("\n  ]\n}\n") : BERTH_STR("]\n}\n"));
    return flush(d, error);
}

static berth_status dump_to(berth_engine *engine, berth_text_fn write, void *context,
                            berth_error *error)
{
    berth_error said = {.code = BERTH_OK};
    dump d = {.write = write, .context = context, .said = &said};
    berth__encoder_init(&d.encoder, berth__allocator_default());
    berth_status status = write_list(&d, engine, error);
    berth__encoder_destroy(&d.encoder);
    return status;
}

berth_status berth_engine_dump(berth_engine *engine, berth_text_fn write, void *context,
                               berth_error *error)
{
    if (engine == NULL || write == NULL)
        return berth__error_set(error, BERTH_E_ARG,
                                "there is no engine, or no function to write to");
    return dump_to(engine, write, context, error);
}

/* ---- into a file ---- */

/* A failed write is reported when the file is committed. */
static berth_status write_stream(void *context, berth_str text, berth_error *error)
{
    (void)error;
    fwrite(text.data, 1, text.len, context);
    return BERTH_OK;
}

berth_status berth_engine_dump_file(berth_engine *engine, const char *path, berth_error *error)
{
    berth_output_file *file = NULL;
    if (engine == NULL || path == NULL)
        return berth__error_set(error, BERTH_E_ARG, "there is no engine, or no path");
    BERTH_TRY(berth_output_file_open(path, &file, error));
    berth_status status = dump_to(engine, write_stream, berth_output_file_stream(file), error);
    if (status == BERTH_OK)
        return berth_output_file_commit(file, error);
    berth_output_file_discard(file);
    return status;
}

/* ---- one object ---- */

berth_status berth_object_write_sized(const berth_object *object, const uint32_t *sizes,
                                      berth_text_fn write, void *context, berth_error *error)
{
    berth_error said = {.code = BERTH_OK};
    berth__sized_object fitted;
    dump d = {.write = write, .context = context, .said = &said};
    if (object == NULL || write == NULL || object->as.any == NULL)
        return berth__error_set(error, BERTH_E_ARG,
                                "there is no object, or no function to write to");
    if ((unsigned)object->kind >= BERTH_KIND_COUNT)
        return berth__error_set(error, BERTH_E_ARG, "there is no kind number %d",
                                (int)object->kind);
    BERTH_TRY(berth__object_fit(&object, sizes, &fitted, error));
    berth__encoder_init(&d.encoder, berth__allocator_default());
    berth__encode_object(&d.encoder, object);
    berth_status status = flush(&d, error);
    berth__encoder_destroy(&d.encoder);
    return status;
}
