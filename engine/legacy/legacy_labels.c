/* The node labels in the arguments of a v1.15 Policy, and their columns. */
#include "legacy/legacy_labels.h"

#include "base/error.h"

berth_status berth__legacy_labels_configure(berth__model *model, berth__arena *arena,
                                            const berth_plugin_args *args, void *instance,
                                            berth_error *error)
{
    berth__legacy_labels *own = instance;
    if (args == NULL || args->label.labels.count == 0) {
        berth__error_set(error, BERTH_E_INVALID, "must name at least one label");
        berth__error_field(error, "argument");
        return BERTH_E_INVALID;
    }
    bool ok = true;
    uint32_t count = args->label.labels.count;
    berth__sym *keys = berth__arena_alloc(arena, count * sizeof(*keys), 8);
    for (uint32_t i = 0; keys != NULL && i < count; i++)
        keys[i] = berth__intern_add(&model->strings, args->label.labels.items[i], &ok);
    if (keys == NULL || !ok)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    *own = (berth__legacy_labels){keys, count, args->label.presence};
    return BERTH_OK;
}

const berth__sym **berth__legacy_label_columns(berth__view *view, berth__arena *arena,
                                               const berth__legacy_labels *labels)
{
    const berth__sym **columns = berth__arena_alloc(arena, labels->count * sizeof(*columns), 8);
    for (uint32_t i = 0; columns != NULL && i < labels->count; i++) {
        columns[i] = berth__layout_column(view->layout, &view->nodes, labels->keys[i]);
        if (columns[i] == NULL)
            return NULL;
    }
    return columns;
}
