/* Manifests written into memory, and indented. */
#include "manifest_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manifest.h"
#include "workloads.h"

static berth_status write_object(void *context, const berth_object *object, berth_error *error)
{
    (void)error;
    manifest_write(context, object);
    return BERTH_OK;
}

static bool write_list(const char *specification, manifest_text *out)
{
    workload_spec spec = workload_spec_default();
    char reason[160];
    FILE *file = open_memstream(&out->data, &out->bytes);
    if (file == NULL || !workload_spec_parse(specification, &spec, reason, sizeof(reason)))
        return false;
    output o;
    manifest_open(&o, file);
    workload_source *source = workload_source_create(&spec);
    berth_status status = workload_source_make_all(source, write_object, &o, NULL);
    workload_source_destroy(source);
    manifest_close(&o);
    return fclose(file) == 0 && status == BERTH_OK;
}

/* The text as kubectl prints it: a line a value, four spaces a level. Strings here hold no escapes. */
static bool indent(manifest_text *text)
{
    manifest_text wide = {0};
    FILE *file = open_memstream(&wide.data, &wide.bytes);
    int level = 0;
    bool quoted = false;
    for (size_t i = 0; file != NULL && i < text->bytes; i++) {
        char c = text->data[i];
        quoted ^= c == '"';
        if (quoted || strchr("{[}],", c) == NULL) {
            if (quoted || c != '\n')
                fputc(c, file);
            continue;
        }
        level += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (c == '}' || c == ']')
            fprintf(file, "\n%*s%c", 4 * level, "", c);
        else
            fprintf(file, "%c\n%*s", c, 4 * level, "");
    }
    if (file == NULL || fclose(file) != 0)
        return false;
    free(text->data);
    *text = wide;
    return true;
}

bool manifest_text_make(const char *specification, bool wide, manifest_text *out)
{
    *out = (manifest_text){0};
    return write_list(specification, out) && (!wide || indent(out));
}
