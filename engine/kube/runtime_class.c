/* RuntimeClasses: adds overhead, nodeSelector and tolerations of the class to the pod, as the
 * admission plugin of that name does.
 * Source: kubernetes v1.36 plugin/pkg/admission/runtimeclass. */
#include <string.h>

#include "base/text.h"
#include "kube/reader_state.h"
#include "objects/object_copy.h"

/* ---- the classes ---- */

static berth__runtime_class *find_kept_class(const berth_reader *reader, berth_str name)
{
    uint32_t found = berth__names_find(&reader->runtime_class_names, name);
    return found != BERTH__NAMES_NONE ? &reader->runtime_classes[found] : NULL;
}

static const berth__runtime_class *find_class(const berth_reader *reader, berth_str name)
{
    const berth__runtime_class *found = NULL;
    for (; found == NULL && reader != NULL; reader = reader->options.known)
        found = find_kept_class(reader, name);
    return found;
}

static berth_str named_class(const berth__json *spec)
{
    return berth__json_text(berth__json_get(spec, "runtimeClassName"));
}

berth_status berth__register_runtime_class(berth_reader *reader, const berth__item *item)
{
    berth_pod pod = {.has_priority = false};
    berth_object copy;
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = &pod};
    berth__decoder decoder = {&reader->object, reader->error};
    reader->classes_learnt++;
    berth_status status = berth__decode_fields(&decoder, NULL, item->tree,
                                               berth__admission_fields_runtime_class, &pod);
    if (status != BERTH_OK)
        return berth__reader_fault(reader, item, status);
    berth__runtime_class *place = find_kept_class(reader, pod.meta.name);
    if (berth__object_copy_into(&reader->kept, &object, &copy) != BERTH_OK ||
        (place == NULL &&
         !berth__grow(reader->allocator, &reader->runtime_classes, &reader->runtime_class_capacity,
                      reader->runtime_class_count + 1, sizeof(*reader->runtime_classes))))
        return berth__reader_no_memory(reader);
    if (place != NULL) {
        place->name = copy.as.pod->meta.name;
        place->adds = copy.as.pod;
        return BERTH_OK;
    }
    reader->runtime_classes[reader->runtime_class_count++] =
        (berth__runtime_class){copy.as.pod->meta.name, copy.as.pod};
    if (!berth__names_follow(&reader->kept, &reader->runtime_class_names, reader->runtime_classes,
                             sizeof(*reader->runtime_classes), reader->runtime_class_count)) {
        reader->runtime_class_count--;
        return berth__reader_no_memory(reader);
    }
    berth__names_put(&reader->runtime_class_names);
    return BERTH_OK;
}

bool berth__runtime_class_is_awaited(const berth_reader *reader, const berth__json *spec)
{
    if (!reader->options.apply_defaults || reader->finishing)
        return false;
    berth_str name = named_class(spec);
    return !berth__str_empty(name) && find_class(reader, name) == NULL;
}

/* ---- a pod ---- */

static berth_status conflict(berth_reader *reader, const berth__field_path *path, const char *field,
                             berth_str class, const char *what)
{
    berth__field_path at = {.up = path, .key = berth__text_of(field)};
    berth__decoder decoder = {&reader->object, reader->error};
    return berth__decode_fault(&decoder, &at, BERTH_E_INVALID,
                               "RuntimeClass \"%.*s\" has another %s", (int)class.len, class.data,
                               what);
}

static bool equal_overhead(berth_resources a, berth_resources b)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < a.count; i++)
        for (uint32_t k = 0; k < b.count; k++)
            same += berth__str_eq(a.items[i].name, b.items[k].name) &&
                    a.items[i].amount.units == b.items[k].amount.units &&
                    a.items[i].amount.nanos == b.items[k].amount.nanos;
    return a.count == b.count && same == a.count;
}

static berth_status merge_selector(berth_reader *reader, const berth__field_path *path,
                                   berth__arena *arena, const berth_pod *class, berth_map *out)
{
    uint32_t count = out->count;
    size_t most = (size_t)count + class->node_selector.count;
    berth_key_value *entries = berth__arena_alloc(arena, most * sizeof(*entries), 8);
    if (entries == NULL)
        return berth__reader_no_memory(reader);
    if (count > 0)
        memcpy(entries, out->entries, count * sizeof(*entries));
    for (uint32_t i = 0; i < class->node_selector.count; i++) {
        berth_key_value one = class->node_selector.entries[i];
        uint32_t k = 0;
        while (k < out->count && !berth__str_eq(entries[k].key, one.key))
            k++;
        if (k == out->count)
            entries[count++] = one;
        else if (!berth__str_eq(entries[k].value, one.value))
            return conflict(reader, path, "nodeSelector", class->meta.name,
                            "value for one of its keys");
    }
    *out = (berth_map){entries, count};
    return BERTH_OK;
}

static bool has_toleration(const berth_pod *pod, const berth_toleration *wanted)
{
    for (uint32_t i = 0; i < pod->toleration_count; i++) {
        const berth_toleration *one = &pod->tolerations[i];
        if (berth__str_eq(one->key, wanted->key) && berth__str_eq(one->op, wanted->op) &&
            berth__str_eq(one->value, wanted->value) && berth__str_eq(one->effect, wanted->effect))
            return true;
    }
    return false;
}

static berth_status merge_tolerations(berth_reader *reader, berth__arena *arena,
                                      const berth_pod *class, berth_pod *pod)
{
    uint32_t count = pod->toleration_count;
    size_t most = (size_t)count + class->toleration_count;
    berth_toleration *items = berth__arena_alloc(arena, most * sizeof(*items), 8);
    if (items == NULL)
        return berth__reader_no_memory(reader);
    if (count > 0)
        memcpy(items, pod->tolerations, count * sizeof(*items));
    for (uint32_t i = 0; i < class->toleration_count; i++)
        if (!has_toleration(pod, &class->tolerations[i]))
            items[count++] = class->tolerations[i];
    pod->tolerations = items;
    pod->toleration_count = count;
    return BERTH_OK;
}

berth_status berth__apply_runtime_class(berth_reader *reader, const berth__field_path *path,
                                        const berth__json *spec, berth__arena *arena,
                                        berth_pod *pod)
{
    berth_str name = named_class(spec);
    if (berth__str_empty(name))
        return BERTH_OK;
    const berth__runtime_class *found = find_class(reader, name);
    const berth_pod *class = found != NULL ? found->adds : NULL;
    berth__note(reader, reader->item,
                class != NULL ? BERTH_NOTE_RUNTIME_CLASS : BERTH_NOTE_RUNTIME_CLASS_MISSING, name,
                (berth_str){0});
    if (class == NULL)
        return BERTH_OK;
    if (class->overhead.count > 0) {
        if (pod->overhead.count > 0 && !equal_overhead(pod->overhead, class->overhead))
            return conflict(reader, path, "overhead", name, "overhead");
        pod->overhead = class->overhead;
    }
    BERTH_TRY(merge_selector(reader, path, arena, class, &pod->node_selector));
    return merge_tolerations(reader, arena, class, pod);
}
