/* Claims that placements make for extended resources, before they are written: records under the
 * name of their pod. No object has such a name. Source: kube-scheduler v1.36,
 * dynamicresources/extendeddynamicresources.go. */
#include <string.h>

#include "base/text.h"
#include "store/device_facts.h"

static const char prefix[] = "<extended-resources>/";
enum { PREFIX_BYTES = sizeof(prefix) - 1, ROOM_BYTES = 512 };

/* The name of a pod's record. */
typedef struct record_name {
    const berth_allocator *allocator;
    char room[ROOM_BYTES]; /* names in Kubernetes are shorter */
    char *longer;          /* in its place; NULL: none */
    berth_str text;
} record_name;

/* False: out of memory. */
static bool name_begin(record_name *name, const berth__storage *storage, berth_str pod)
{
    const uint32_t bytes = PREFIX_BYTES + pod.len;
    name->allocator = storage->model->allocator;
    name->longer = bytes > ROOM_BYTES ? berth__alloc(name->allocator, bytes, 1) : NULL;
    if (bytes > ROOM_BYTES && name->longer == NULL)
        return false;
    char *to = name->longer != NULL ? name->longer : name->room;
    memcpy(to, prefix, PREFIX_BYTES);
    memcpy(to + PREFIX_BYTES, pod.data, pod.len);
    name->text = (berth_str){to, bytes};
    return true;
}

static void name_end(record_name *name)
{
    berth__free(name->allocator, name->longer, name->text.len);
}

berth__device_claim *berth__storage_special_claim_make(berth__storage *storage,
                                                       berth__sym namespace_name, berth_str pod)
{
    record_name name;
    bool ok = true;
    if (!name_begin(&name, storage, pod))
        return NULL;
    berth__sym sym = berth__intern_add(&storage->model->strings, name.text, &ok);
    name_end(&name);
    return ok ? (berth__device_claim *)berth__storage_named(storage, BERTH_KIND_RESOURCE_CLAIM,
                                                            namespace_name, sym)
              : NULL;
}

bool berth__storage_special_claim(const berth__storage *storage, berth__sym namespace_name,
                                  berth_str pod, const berth__device_claim **out)
{
    record_name name;
    *out = NULL;
    if (!name_begin(&name, storage, pod))
        return false;
    berth__sym sym = berth__intern_find(&storage->model->strings, name.text);
    name_end(&name);
    if (sym != 0)
        *out = berth__storage_device_claim(storage, namespace_name, sym);
    return true;
}

bool berth__device_claim_is_special(const berth__storage *storage, const berth__device_claim *claim,
                                    berth_str *pod)
{
    berth_str name = berth__text(storage->model, claim->record.key.name);
    if (name.len < PREFIX_BYTES || memcmp(name.data, prefix, PREFIX_BYTES) != 0)
        return false;
    *pod = (berth_str){name.data + PREFIX_BYTES, name.len - PREFIX_BYTES};
    return true;
}
