/* Claims that placements make for extended resources, before they are written: records under the
 * name of their pod. No object has such a name. Source: kube-scheduler v1.36,
 * dynamicresources/extendeddynamicresources.go. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "store/device_facts.h"

static const char prefix[] = "<extended-resources>/";
enum { PREFIX_BYTES = sizeof(prefix) - 1, NAME_BYTES_MAX = 512 };

/* The name of a pod's record; false: the text is too long for a pod's name. */
static bool name_of(berth_str pod, char *buffer, berth_str *out)
{
    if (pod.len > NAME_BYTES_MAX - sizeof(prefix))
        return false;
    memcpy(buffer, prefix, PREFIX_BYTES);
    memcpy(buffer + PREFIX_BYTES, pod.data, pod.len);
    *out = (berth_str){buffer, PREFIX_BYTES + pod.len};
    return true;
}

berth__device_claim *berth__storage_special_claim_make(berth__storage *storage,
                                                       berth__sym namespace_name, berth_str pod)
{
    char buffer[NAME_BYTES_MAX];
    berth_str name;
    bool ok = name_of(pod, buffer, &name);
    berth__sym sym = ok ? berth__intern_add(&storage->model->strings, name, &ok) : 0;
    return ok ? (berth__device_claim *)berth__storage_named(storage, BERTH_KIND_RESOURCE_CLAIM,
                                                            namespace_name, sym)
              : NULL;
}

berth__device_claim *berth__storage_special_claim(const berth__storage *storage,
                                                  berth__sym namespace_name, berth_str pod)
{
    char buffer[NAME_BYTES_MAX];
    berth_str name;
    berth__sym sym =
        name_of(pod, buffer, &name) ? berth__intern_find(&storage->model->strings, name) : 0;
    return sym != 0 ? berth__storage_device_claim(storage, namespace_name, sym) : NULL;
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
