/* Synthetic clusters written into memory as manifests. */
#include "manifest_text.h"

#include <stdio.h>

#include "workloads/manifest.h"
#include "workloads/workloads.h"

static berth_status write_object(void *context, const berth_object *object, berth_error *error)
{
    (void)error;
    manifest_write(context, object);
    return BERTH_OK;
}

bool manifest_text_make(const char *specification, bool wide, manifest_text *out)
{
    *out = (manifest_text){0};
    workload_spec spec = workload_spec_default();
    char reason[160];
    FILE *file = open_memstream(&out->data, &out->bytes);
    if (file == NULL || !workload_spec_parse(specification, &spec, reason, sizeof(reason)))
        return false;
    output o;
    berth_error error; /* for pods that do not fit; the status reports them */
    manifest_open(&o, file, wide ? MANIFEST_INDENTED : MANIFEST_FLAT);
    workload_source *source = workload_source_create(&spec);
    berth_status status = workload_source_make_all(source, write_object, &o, &error);
    workload_source_destroy(source);
    manifest_close(&o);
    return fclose(file) == 0 && status == BERTH_OK;
}
