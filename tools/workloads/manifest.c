/* Writes objects as Kubernetes manifests: the library writes each, and the layout is ours. */
#include "workloads/manifest.h"

#include <stdlib.h>

#include <jansson.h>

#include "berth/kube.h"
#include "cli/exits.h"

void manifest_open(output *o, FILE *file, manifest_layout layout)
{
    bool indented = layout == MANIFEST_INDENTED;
    output_open(o, file, OUTPUT_JSON, indented ? OUTPUT_DEPTH_MAX : 2);
    if (indented)
        o->blanks = 4;
    output_object(o);
    output_pair_text(o, "apiVersion", "v1");
    output_pair_text(o, "kind", "List");
    output_key(o, "items");
    output_array(o);
}

void manifest_close(output *o)
{
    output_array_end(o);
    output_object_end(o);
    output_close(o);
}

/* ---- one value per line ---- */

static void write_indented(output *o, json_t *value)
{
    const char *key;
    json_t *member;
    if (json_is_object(value)) {
        output_object(o);
        json_object_foreach(value, key, member)
        {
            output_key(o, key);
            write_indented(o, member);
        }
        output_object_end(o);
    } else if (json_is_array(value)) {
        output_array(o);
        for (size_t i = 0; i < json_array_size(value); i++)
            write_indented(o, json_array_get(value, i));
        output_array_end(o);
    } else if (json_is_string(value)) {
        output_text(o, json_string_value(value));
    } else if (json_is_boolean(value)) {
        output_bool(o, json_is_true(value));
    } else {
        output_int(o, json_integer_value(value));
    }
}

static void indent(output *o, berth_str text)
{
    json_t *json = json_loadb(text.data, text.len, 0, NULL);
    if (json == NULL) /* the library writes JSON: nothing else can fail */
        exit(exit_status("generate", "writing an object", BERTH_E_NOMEM));
    write_indented(o, json);
    json_decref(json);
}

/* ---- objects ---- */

static berth_status add_piece(void *context, berth_str piece, berth_error *error)
{
    (void)error;
    return fwrite(piece.data, 1, piece.len, context) == piece.len ? BERTH_OK : BERTH_E_NOMEM;
}

void manifest_write(output *o, const berth_object *object)
{
    char *text = NULL;
    size_t length = 0;
    berth_error error;
    FILE *file = open_memstream(&text, &length);
    if (file == NULL || berth_object_write(object, add_piece, file, &error) != BERTH_OK ||
        fclose(file) != 0)
        exit(exit_status("generate", "writing an object", BERTH_E_NOMEM));
    const berth_str written = {text, (uint32_t)length};
    if (output_is_one_line(o))
        output_json(o, written);
    else
        indent(o, written);
    free(text);
}
