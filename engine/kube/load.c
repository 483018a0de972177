/* Loads Kubernetes text into an engine in one call: a reader with a callback that adds. */
#include <string.h>

#include "base/error.h"
#include "berth/kube.h"

typedef struct load {
    berth_engine *engine;
    uint64_t objects;
} load;

/* The engine's error names the object and the field; the reader knows the position. */
static void add_place(berth_error *error, const berth_error *origin)
{
    memcpy(error->source, origin->source, sizeof(error->source));
    error->line = origin->line;
    error->column = origin->column;
    error->offset = origin->offset;
    if (error->object[0] == '\0')
        memcpy(error->object, origin->object, sizeof(error->object));
}

static berth_status add(void *context, const berth_object *object, const berth_error *origin,
                        berth_error *error)
{
    load *l = context;
    berth_status status = berth_engine_add(l->engine, object, NULL, error);
    if (status != BERTH_OK)
        add_place(error, origin);
    else
        l->objects++;
    return status;
}

/* Load from `path`, or from `text` if that is NULL. */
static berth_status load_all(berth_engine *engine, const char *path, berth_str text,
                             const char *source, const berth_read_options *options,
                             uint64_t *objects, berth_error *error)
{
    static const berth_read_options defaults = {.size = sizeof(defaults), .apply_defaults = true};
    load l = {.engine = engine};
    berth_reader *reader;
    source = source != NULL ? source : "";
    BERTH_TRY(berth_reader_create(options != NULL ? options : &defaults, &reader, error));
    berth_status status = path != NULL ? berth_reader_file(reader, path, add, &l, error)
                                       : berth_reader_text(reader, text, source, add, &l, error);
    if (status == BERTH_OK)
        status = berth_reader_finish(reader, engine, add, &l, error);
    berth_reader_destroy(reader);
    if ((status == BERTH_OK || status == BERTH_E_CANCELLED) && objects != NULL)
        *objects = l.objects;
    return status;
}

berth_status berth_engine_load_file(berth_engine *engine, const char *path,
                                    const berth_read_options *options, uint64_t *objects,
                                    berth_error *error)
{
    if (path == NULL)
        return berth__error_set(error, BERTH_E_ARG, "there is no path");
    return load_all(engine, path, (berth_str){0}, NULL, options, objects, error);
}

berth_status berth_engine_load_text(berth_engine *engine, berth_str text, const char *source,
                                    const berth_read_options *options, uint64_t *objects,
                                    berth_error *error)
{
    return load_all(engine, NULL, text, source, options, objects, error);
}
