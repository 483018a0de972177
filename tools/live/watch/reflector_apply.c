/* Reconciles objects: with the same uid and hash there is nothing to report; with another uid under
 * the same name, the removal of the old object was missed. */
#include "live/watch/reflector_apply.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "live/log/log.h"

/* ---- reports ---- */

typedef struct telling {
    reflector *r;
    watch_operation operation;
    uint64_t number;
    bool told;
} telling;

static berth_status on_object(void *context, const berth_object *object, const berth_error *origin,
                              berth_error *error)
{
    telling *t = context;
    const object_view *view = &t->r->view;
    (void)origin;
    (void)error;
    /* The reader may also return pods that a workload would create; those that exist arrive on
     * their own. */
    if (object->kind != t->r->resource->kind)
        return BERTH_OK;
    t->number = t->r->sink->change(
        t->r->sink->context,
        &(watch_change){t->operation, object->kind, view->namespace_name, view->name, object});
    t->told = true;
    return BERTH_OK;
}

static void say_refused(reflector *r, const berth_error *error)
{
    char text[1024];
    r->refused++;
    berth_error_format(error, text, sizeof(text));
    LOG_ERROR("an object can't be read and is ignored", "resource", r->resource->rbac, "error",
              text);
}

/* Passes on the object in the view. Returns its number, or 0 if the object could not be read. */
static uint64_t tell(reflector *r, watch_operation operation)
{
    telling t = {.r = r, .operation = operation};
    berth_error error = {0};
    berth_str text = {r->view.kept, (uint32_t)r->view.kept_bytes};
    if (berth_reader_text(r->reader, text, r->resource->rbac, on_object, &t, &error) != BERTH_OK)
        say_refused(r, &error);
    return t.told ? t.number : 0;
}

static void tell_removal(reflector *r, object_entry *entry)
{
    if (entry->posted)
        (void)r->sink->change(r->sink->context, &(watch_change){WATCH_REMOVE, r->resource->kind,
                                                                object_entry_namespace(entry),
                                                                object_entry_name(entry), NULL});
    if (r->sink->gone != NULL)
        r->sink->gone(r->sink->context, r->resource->kind, entry);
    object_table_remove(&r->table, entry);
}

/* ---- entries ---- */

static bool is_same(berth_str a, berth_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static void replace_text(char **kept, berth_str text)
{
    size_t length = *kept != NULL ? strlen(*kept) : 0;
    if (text.len == length && (length == 0 || memcmp(*kept, text.data, length) == 0))
        return;
    free(*kept);
    *kept = text.len > 0 ? heap_text(text.data, text.len) : NULL;
}

/* Stores what writes to a pod without a node need from its status. */
static void note_pod(reflector *r, object_entry *entry)
{
    static const berth_str none = {0};
    const object_view *view = &r->view;
    entry->bound = view->node_name.len > 0;
    replace_text(&entry->scheduled, entry->bound ? none : view->scheduled);
    replace_text(&entry->nominated, entry->bound ? none : view->nominated_node_name);
    if (r->sink->seen != NULL)
        r->sink->seen(r->sink->context, entry, view);
}

static void note(reflector *r, object_entry *entry)
{
    const object_view *view = &r->view;
    entry->version = view->version;
    entry->hash = view->hash;
    entry->generation = view->generation;
    entry->mark = r->mark;
    if (r->resource->kind == BERTH_KIND_POD)
        note_pod(r, entry);
    if (r->resource->kind == BERTH_KIND_POD_GROUP)
        replace_text(&entry->scheduled, view->scheduled);
}

static void tell_of_new(reflector *r, object_entry *entry)
{
    entry->born = entry->changed = tell(r, WATCH_ADD);
    entry->posted = entry->born != 0;
}

static void add(reflector *r)
{
    const object_view *view = &r->view;
    object_entry *entry = object_table_add(&r->table, view->namespace_name, view->name, view->uid);
    tell_of_new(r, entry);
    note(r, entry);
}

static void update(reflector *r, object_entry *entry)
{
    const object_view *view = &r->view;
    if (view->version < entry->version && !r->from_anew) {
        entry->mark = r->mark; /* an old version, but the object exists */
        return;
    }
    /* A pod loses its node only if the server was restored from a backup; then the pod starts
     * over. */
    if (entry->bound && view->node_name.len == 0 && r->resource->kind == BERTH_KIND_POD) {
        tell_removal(r, entry);
        add(r);
        return;
    }
    if (view->hash == entry->hash) {
        r->unchanged++;
    } else if (entry->posted) {
        uint64_t number = tell(r, WATCH_UPDATE);
        if (number != 0)
            entry->changed = number;
    } else {
        tell_of_new(r, entry);
    }
    note(r, entry);
}

void reflector_apply(reflector *r, reflector_source source, berth_str object)
{
    object_view *view = &r->view;
    if (!object_view_read(view, r->resource->kind, object.data, object.len)) {
        r->refused++;
        LOG_ERROR("the server sent something that is not an object", "resource", r->resource->rbac);
        return;
    }
    object_entry *entry = object_table_find(&r->table, view->namespace_name, view->name);
    bool same = entry != NULL && is_same(object_entry_uid(entry), view->uid);
    if (source == REFLECTOR_DELETED) {
        if (same)
            tell_removal(r, entry);
        return;
    }
    if (entry != NULL && !same) {
        tell_removal(r, entry);
        entry = NULL;
    }
    if (r->sink->text != NULL && (entry == NULL || view->version >= entry->version || r->from_anew))
        r->sink->text(r->sink->context, r->resource->kind, view, object);
    if (entry == NULL)
        add(r);
    else
        update(r, entry);
}

void reflector_sweep(reflector *r)
{
    object_entry *entry;
    for (size_t from = 0; (entry = object_table_unmarked(&r->table, r->mark, &from)) != NULL;)
        tell_removal(r, entry);
}
