/* One object on its way through the reader: what it is, what has to happen to it before the caller
 * gets it, and how errors name it. */
#include "kube/reader_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/text.h"
#include "kube/claim_template.h"
#include "objects/sized_object.h"

/* ---- errors ---- */

void berth__error_source(berth_error *error, const char *source)
{
    if (error != NULL)
        snprintf(error->source, sizeof(error->source), "%s", source);
}

berth_status berth__reader_no_memory(berth_reader *reader)
{
    return berth__error_set(reader->error, BERTH_E_NOMEM, "out of memory while reading objects");
}

berth_status berth__reader_invalid(berth_reader *reader, const char *field, const char *format, ...)
{
    char message[sizeof(reader->error->message)];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    berth__error_set(reader->error, BERTH_E_INVALID, "%s", message);
    berth__error_field(reader->error, "%s", field);
    return BERTH_E_INVALID;
}

/* Whether errors name a namespace for objects of that kind. */
static bool is_namespaced(const berth__item *item)
{
    berth_kind kind;
    if (berth__kind_info_find(item->kind, (berth_str){0}, &kind))
        return berth__kind_info_of(kind)->namespaced;
    return !berth__str_is(item->kind, "RuntimeClass");
}

berth_str berth__reader_namespace(const berth_reader *reader, berth_str given)
{
    return berth__str_empty(given) ? berth__text_of(reader->options.namespace_name) : given;
}

void berth__error_item(berth_error *error, const berth_reader *reader, const berth__item *item)
{
    const berth__json *meta = berth__json_get(item->tree, "metadata");
    berth_str name = berth__json_text(berth__json_get(meta, "name"));
    berth_str in =
        berth__reader_namespace(reader, berth__json_text(berth__json_get(meta, "namespace")));
    if (berth__str_empty(name))
        name = berth__json_text(berth__json_get(meta, "generateName"));
    if (berth__str_empty(name))
        name = BERTH_STR("(unnamed)");
    if (is_namespaced(item))
        berth__error_object(error, "%.*s %.*s/%.*s", (int)item->kind.len, item->kind.data,
                            (int)in.len, in.data, (int)name.len, name.data);
    else
        berth__error_object(error, "%.*s %.*s", (int)item->kind.len, item->kind.data, (int)name.len,
                            name.data);
}

/* The line of the item's field, or of the item. */
static uint32_t line_of(const berth__item *item, const char *field)
{
    uint32_t line = item->tree != NULL ? berth__json_line_of(item->tree, field) : 0;
    return line != 0 ? line : item->line;
}

berth_status berth__reader_fault(berth_reader *reader, const berth__item *item, berth_status status)
{
    berth_error *error = reader->error;
    if (status == BERTH_OK || reader->refused || error == NULL || error->line != 0)
        return status;
    berth__error_source(error, item->source);
    berth__error_item(error, reader, item);
    error->line = line_of(item, error->field);
    error->offset = item->offset;
    return status;
}

/* ---- handing out ---- */

static char *put_text(char *at, const char *end, berth_str text)
{
    size_t room = (size_t)(end - at);
    size_t len = text.len < room ? text.len : room;
    if (len > 0)
        memcpy(at, text.data, len);
    return at + len;
}

static void name_object(const berth_reader *reader, berth_kind kind, const berth_metadata *meta,
                        berth_error *origin)
{
    char *at = origin->object;
    const char *end = at + sizeof(origin->object) - 1;
    at = put_text(at, end, berth__text_of(berth_kind_name(kind)));
    at = put_text(at, end, BERTH_STR(" "));
    if (berth__kind_info_of(kind)->namespaced) {
        at = put_text(at, end, berth__reader_namespace(reader, meta->namespace_name));
        at = put_text(at, end, BERTH_STR("/"));
    }
    at = put_text(at, end, meta->name);
    *at = '\0';
}

/* Pass on the error of the caller's function, filled in if the function did not fill it. */
static berth_status refuse(berth_reader *reader, const berth__item *item, berth_status status)
{
    berth_error *refusal = &reader->refusal;
    if (refusal->message[0] == '\0') {
        *refusal = reader->origin;
        snprintf(refusal->message, sizeof(refusal->message), "the caller refused it: %s",
                 berth_status_text(status));
    }
    if (refusal->field[0] != '\0' && refusal->line == reader->origin.line)
        refusal->line = line_of(item, refusal->field);
    refusal->code = status;
    reader->refused = true;
    if (reader->error != NULL)
        *reader->error = *refusal;
    return status;
}

berth_status berth__reader_emit(berth_reader *reader, const berth__item *item, berth_kind kind,
                                const void *object)
{
    berth_object out = {.kind = kind, .size = berth__object_size(kind), .as.any = object};
    berth_error *origin = &reader->origin;
    char *source_end = put_text(origin->source, origin->source + sizeof(origin->source) - 1,
                                berth__text_of(item->source));
    *source_end = '\0';
    origin->line = item->line;
    origin->offset = item->offset;
    if (reader->options.templates && kind == BERTH_KIND_POD)
        berth__error_item(origin, reader, item);
    else
        name_object(reader, kind, object, origin);
    berth__replica_keep(reader, &out);
    if (reader->refusal.code != BERTH_OK)
        reader->refusal = (berth_error){.offset = UINT64_MAX};
    if (!berth__object_grow(&reader->object, reader->sizes, &out))
        return berth__reader_no_memory(reader);
    BERTH_TRY(berth__cancel_check(reader->options.cancel, reader->error));
    berth_status status = reader->each(reader->context, &out, origin, &reader->refusal);
    return status == BERTH_OK ? status : refuse(reader, item, status);
}

/* ---- one object ---- */

/* Make a unique name for an item that has only metadata.generateName. */
static berth_status make_name(berth_reader *reader, berth__item *item)
{
    const berth__json *meta = berth__json_get(item->tree, "metadata");
    berth_str base = berth__json_text(berth__json_get(meta, "generateName"));
    if (berth__str_empty(base) || !reader->options.apply_defaults ||
        !berth__str_empty(item->made_name) ||
        !berth__str_empty(berth__json_text(berth__json_get(meta, "name"))) ||
        !berth__str_empty(berth__json_text(berth__json_get(meta, "uid"))))
        return BERTH_OK;
    size_t size = (size_t)base.len + 16;
    char *name = berth__arena_alloc(&reader->object, size, 1);
    if (name == NULL)
        return berth__reader_no_memory(reader);
    int len = snprintf(name, size, "%.*s%05u", (int)base.len, base.data, reader->names_made++);
    item->made_name = (berth_str){name, (uint32_t)len};
    return BERTH_OK;
}

berth_status berth__reader_name(berth_reader *reader, const berth__item *item, berth_metadata *meta)
{
    if (berth__str_empty(meta->name))
        meta->name = item->made_name;
    return berth__str_empty(meta->name)
               ? berth__reader_invalid(reader, "metadata.name", "a name is required")
               : BERTH_OK;
}

static berth_status default_decoded(berth_reader *reader, const berth__item *item, berth_kind kind,
                                    void *object)
{
    berth_metadata *meta = object;
    static const berth__field_path spec = {.key = {"spec", 4}};
    if (reader->options.apply_defaults && berth__kind_info_of(kind)->namespaced)
        meta->namespace_name = berth__reader_namespace(reader, meta->namespace_name);
    if (!berth__is_fresh(reader, meta))
        return BERTH_OK;
    if (kind == BERTH_KIND_POD)
        return berth__default_pod(reader, &spec, berth__json_get(item->tree, "spec"),
                                  &reader->object, object);
    return berth__default_object(reader, kind, object);
}

/* A claim without a class waits for the default class, which may come later. */
static bool awaits_storage_class(const berth_reader *reader, berth_kind kind, const void *object)
{
    return kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM && !reader->finishing &&
           reader->default_storage_class.data == NULL && berth__is_fresh(reader, object) &&
           !berth__claim_has_class(object);
}

/* The object as it is in the input; it may have been decoded ahead. */
static berth_status decode_object(berth_reader *reader, const berth__item *item, berth_kind kind,
                                  void **out)
{
    berth__decoder decoder = {&reader->object, reader->error};
    *out = item->object;
    if (item->object != NULL && item->object_kind == kind)
        return BERTH_OK;
    *out = berth__arena_alloc_zero(&reader->object, berth__object_size(kind), 8);
    if (*out == NULL)
        return berth__reader_no_memory(reader);
    return berth__decode_fields(&decoder, NULL, item->tree, berth__fields_of(kind), *out);
}

/* A pod of a manifest waits with the workloads before it, so that pods come in the order of the
 * manifest. */
static bool follows_change(const berth_reader *reader, const berth__item *item,
                           const berth_pod *pod)
{
    return reader->changing != NULL && !reader->finishing && item->source != NULL &&
           strcmp(reader->changing, item->source) == 0 && berth__str_empty(pod->node_name) &&
           berth__is_fresh(reader, &pod->meta);
}

static berth_status take_object(berth_reader *reader, const berth__item *item, berth_kind kind)
{
    void *object = NULL;
    BERTH_TRY(decode_object(reader, item, kind, &object));
    berth_metadata *meta = object;
    BERTH_TRY(berth__reader_name(reader, item, meta));
    if (kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM)
        BERTH_TRY(berth__claim_note(reader, meta));
    if (kind == BERTH_KIND_STORAGE_CLASS)
        BERTH_TRY(berth__register_storage_class(reader, object));
    if (awaits_storage_class(reader, kind, object))
        return berth__defer(reader, BERTH__DEFERRED_OBJECT, item);
    if (kind == BERTH_KIND_POD && follows_change(reader, item, object))
        return berth__defer(reader, BERTH__DEFERRED_OBJECT, item);
    bool fresh = berth__is_fresh(reader, meta);
    BERTH_TRY(default_decoded(reader, item, kind, object));
    if (kind == BERTH_KIND_POD &&
        (fresh || (reader->options.templates && reader->options.apply_defaults)))
        BERTH_TRY(berth__make_claims(reader, item, &reader->object, object));
    return berth__reader_emit(reader, item, kind, object);
}

/* Whether the object must wait until all classes and templates are known. */
static bool awaits_class(berth_reader *reader, const berth__item *item)
{
    const berth__json *spec = berth__workload_pod_spec(item);
    if (berth__str_is(item->kind, "PodGroup") || berth__str_is(item->kind, "CompositePodGroup"))
        return berth__priority_class_is_awaited(reader, berth__json_get(item->tree, "spec"));
    if (spec == NULL || (!berth__priority_class_is_awaited(reader, spec) &&
                         !berth__runtime_class_is_awaited(reader, spec) &&
                         !berth__claim_template_is_awaited(reader, item, spec)))
        return false;
    const berth__json *uid = berth__json_get(berth__json_get(item->tree, "metadata"), "uid");
    return berth__str_empty(berth__json_text(uid)) || reader->options.templates ||
           (reader->options.expand && berth__is_workload(item));
}

/* Refuse a failure message that an API server sent instead of an object. */
static berth_status refuse_failure(berth_reader *reader, const berth__item *item)
{
    berth_str message = berth__json_text(berth__json_get(item->tree, "message"));
    if (berth__str_empty(message))
        message = berth__json_text(berth__json_get(item->tree, "reason"));
    return berth__reader_fault(
        reader, item,
        berth__reader_invalid(reader, "status",
                              "expected objects, found the failure that an API server answered: "
                              "%.*s",
                              (int)message.len, message.data != NULL ? message.data : ""));
}

static bool is_failure(const berth__item *item)
{
    return berth__str_is(item->kind, "Status") &&
           berth__str_is(berth__json_text(berth__json_get(item->tree, "status")), "Failure");
}

/* Handle classes, templates and failures, which the caller does not get. */
static berth_status take_special(berth_reader *reader, const berth__item *item, bool *taken)
{
    *taken = true;
    if (berth__str_is(item->kind, "PriorityClass") &&
        berth__kind_info_group_is(item->api_version, BERTH_STR("scheduling.k8s.io")))
        return berth__register_priority_class(reader, item);
    if (berth__str_is(item->kind, "RuntimeClass") &&
        berth__kind_info_group_is(item->api_version, BERTH_STR("node.k8s.io")))
        return berth__register_runtime_class(reader, item);
    if (berth__str_is(item->kind, "ResourceClaimTemplate") &&
        berth__kind_info_group_is(item->api_version, BERTH_STR("resource.k8s.io")))
        return berth__register_claim_template(reader, item);
    if (is_failure(item))
        return refuse_failure(reader, item);
    *taken = false;
    return BERTH_OK;
}

berth_status berth__reader_item(berth_reader *reader, berth__item *item)
{
    bool taken = false;
    berth_kind kind;
    reader->item = item;
    BERTH_TRY(make_name(reader, item));
    berth__note_item(reader, item);
    BERTH_TRY(take_special(reader, item, &taken));
    if (taken)
        return BERTH_OK;
    if (awaits_class(reader, item))
        return berth__defer(reader, BERTH__DEFERRED_OBJECT, item);
    BERTH_TRY(berth__workload_expand(reader, item, &taken));
    if (taken)
        return BERTH_OK;
    if (berth__kind_info_find(item->kind, item->api_version, &kind))
        return berth__reader_fault(reader, item, take_object(reader, item, kind));
    berth__note_passed_over(reader, item);
    return BERTH_OK;
}
