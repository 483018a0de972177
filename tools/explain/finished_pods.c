/* A plain list, searched only when the engine does not have a pod. */
#include "explain/finished_pods.h"

#include <stdlib.h>

#include "cli/heap.h"
#include "cli/words.h"

static char *copy(berth_str text)
{
    return heap_text(text.len > 0 ? text.data : "", text.len);
}

static berth_str template_hash_of(const berth_metadata *meta)
{
    for (uint32_t i = 0; i < meta->labels.count; i++)
        if (words_equal(meta->labels.entries[i].key, words_of("pod-template-hash")))
            return meta->labels.entries[i].value;
    return (berth_str){0};
}

void finished_pods_see(finished_pods *f, const berth_object *object)
{
    if (object->kind != BERTH_KIND_POD)
        return;
    const berth_pod *pod = object->as.pod;
    if (!words_equal(pod->phase, words_of("Succeeded")) &&
        !words_equal(pod->phase, words_of("Failed")))
        return;
    const berth_owner *owner = NULL;
    for (uint32_t i = 0; i < pod->meta.owner_count; i++)
        if (pod->meta.owners[i].controller)
            owner = &pod->meta.owners[i];
    berth_str in = pod->meta.namespace_name;
    f->items = heap_grow(f->items, &f->capacity, f->count + 1, sizeof(*f->items));
    f->items[f->count++] = (finished_pod){
        .namespace_name = copy(in.len > 0 ? in : words_of("default")),
        .name = copy(pod->meta.name),
        .phase = copy(pod->phase),
        .owner_kind = copy(owner != NULL ? owner->kind : (berth_str){0}),
        .owner_name = copy(owner != NULL ? owner->name : (berth_str){0}),
        .template_hash = copy(template_hash_of(&pod->meta)),
    };
}

void finished_pods_free(finished_pods *f)
{
    for (size_t i = 0; i < f->count; i++) {
        free(f->items[i].namespace_name);
        free(f->items[i].name);
        free(f->items[i].phase);
        free(f->items[i].owner_kind);
        free(f->items[i].owner_name);
        free(f->items[i].template_hash);
    }
    free(f->items);
    *f = (finished_pods){0};
}

const finished_pod *finished_pods_find(const finished_pods *f, berth_str namespace_name,
                                       berth_str name)
{
    const finished_pod *found = NULL;
    berth_str wanted = namespace_name.len > 0 ? namespace_name : words_of("default");
    for (size_t i = 0; i < f->count; i++) {
        const finished_pod *one = &f->items[i];
        if (!words_equal(words_of(one->name), name))
            continue;
        if (words_equal(words_of(one->namespace_name), wanted))
            return one;
        if (namespace_name.len == 0 && found == NULL)
            found = one;
    }
    return found;
}
