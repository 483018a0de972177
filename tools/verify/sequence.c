/* Applies events between decisions, and the consequences of decisions. */
#include "verify/sequence.h"

#include <stdint.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/options.h"
#include "cli/words.h"
#include "traces/json_slice.h"

bool sequence_is(const sequence *s)
{
    return s->events.data != NULL;
}

/* ---- events ---- */

static bool is_text(berth_str json, const char *wanted)
{
    size_t len = strlen(wanted);
    return json.len == len + 2 && memcmp(json.data + 1, wanted, len) == 0;
}

static bool read_kind(berth_str json, berth_kind *out)
{
    for (uint32_t kind = 0; kind < BERTH_KIND_COUNT; kind++) {
        if (is_text(json, berth_kind_name((berth_kind)kind))) {
            *out = (berth_kind)kind;
            return true;
        }
    }
    return false;
}

static bool read_before(berth_str json, uint64_t *out)
{
    char text[24];
    if (json.len == 0 || json.len >= sizeof(text))
        return false;
    memcpy(text, json.data, json.len);
    text[json.len] = '\0';
    return options_number(text, 0, UINT32_MAX, out);
}

berth_status sequence_next(sequence *s, size_t pending, sequence_event *out, bool *due,
                           berth_error *error)
{
    size_t at = s->at;
    berth_str event;
    uint64_t before = 0;
    *due = false;
    if (!sequence_is(s) || !json_slice_next(s->events, &at, &event))
        return BERTH_OK;
    const berth_str verb = json_slice_member(event, "do");
    out->deletes = is_text(verb, "delete");
    out->object = json_slice_member(event, "object");
    if (!read_before(json_slice_member(event, "before"), &before))
        return error_set(error, BERTH_E_PARSE, "events[].before", "not the index of a pending pod");
    if (!out->deletes && !is_text(verb, "put"))
        return error_set(error, BERTH_E_PARSE, "events[].do", "neither 'put' nor 'delete'");
    if (!read_kind(json_slice_member(event, "kind"), &out->kind))
        return error_set(error, BERTH_E_PARSE, "events[].kind", "not the name of a kind");
    if (out->object.data == NULL)
        return error_set(error, BERTH_E_PARSE, "events[].object", "absent; expected an object");
    *due = before <= pending;
    if (*due)
        s->at = at;
    return BERTH_OK;
}

berth_status sequence_apply(berth_engine *engine, const berth_object *object, bool deletes,
                            berth_error *error)
{
    berth_status status;
    if (deletes) {
        const berth_metadata *meta = object->as.any;
        status = berth_engine_remove(engine, object->kind, meta->namespace_name, meta->name, error);
        return status == BERTH_E_NOT_FOUND ? BERTH_OK : status;
    }
    status = berth_engine_add(engine, object, NULL, error);
    return status == BERTH_E_EXISTS ? berth_engine_update(engine, object, error) : status;
}

/* ---- consequences of decisions ---- */

/* Splits "namespace/name". */
static void split(const char *text, berth_str *namespace_name, berth_str *name)
{
    const char *slash = strchr(text, '/');
    size_t len = slash != NULL ? (size_t)(slash - text) : 0;
    *namespace_name = (berth_str){text, (uint32_t)len};
    *name = words_of(slash != NULL ? slash + 1 : text);
}

static berth_status evict(berth_engine *engine, const char *victim, berth_error *error)
{
    berth_str namespace_name, name;
    split(victim, &namespace_name, &name);
    return berth_engine_remove(engine, BERTH_KIND_POD, namespace_name, name, error);
}

/* End a pod's nomination, unless the pod is gone or has a node and so has none. */
static berth_status end_nomination(berth_engine *engine, const char *text, berth_error *error)
{
    berth_str namespace_name, name;
    split(text, &namespace_name, &name);
    berth_pod_id pod = berth_engine_find_pod(engine, namespace_name, name);
    if (pod == BERTH_POD_NONE || berth_engine_pod_node(engine, pod) != BERTH_NODE_NONE)
        return BERTH_OK;
    return berth_engine_nominate(engine, pod, BERTH_NODE_NONE, error);
}

static berth_status each_text(berth_engine *engine, const json_t *list,
                              berth_status (*act)(berth_engine *, const char *, berth_error *),
                              berth_error *error)
{
    size_t index;
    const json_t *element;
    json_array_foreach(list, index, element)
    {
        const char *text = json_string_value(element);
        berth_status status = text != NULL ? act(engine, text, error) : BERTH_OK;
        if (status != BERTH_OK)
            return status;
    }
    return BERTH_OK;
}

berth_status sequence_follow(berth_engine *engine, const json_t *decision, berth_pod_id pod,
                             berth_error *error)
{
    const char *node_name = json_string_value(json_object_get(decision, "nominated"));
    TRY(each_text(engine, json_object_get(decision, "victims"), evict, error));
    TRY(each_text(engine, json_object_get(decision, "unnominated"), end_nomination, error));
    if (node_name == NULL)
        return BERTH_OK;
    berth_node_id node = berth_engine_find_node(engine, words_of(node_name));
    if (node == BERTH_NODE_NONE)
        return error_set(error, BERTH_E_NOT_FOUND, NULL,
                         "nominated to node '%s', which is not there", node_name);
    return berth_engine_nominate(engine, pod, node, error);
}
