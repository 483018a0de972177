/* Finds pods by the names that people type, and suggests similar names if there is no such pod. */
#include "explain/pod_lookup.h"

#include <stdio.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/suggest.h"
#include "cli/text_buffer.h"
#include "cli/words.h"

enum { NAMESPACES_SHOWN = 3 };

static void each_pod_of(berth_engine *engine, berth_node_id node, each_pod_fn each, void *context)
{
    berth_pod_id pod = berth_engine_next_pod(engine, node, BERTH_POD_NONE);
    for (; pod != BERTH_POD_NONE; pod = berth_engine_next_pod(engine, node, pod)) {
        berth_str namespace_name = {0};
        berth_str name = {0};
        berth_engine_pod_name(engine, pod, &namespace_name, &name);
        each(context, pod, namespace_name, name);
    }
}

void pod_lookup_each(berth_engine *engine, each_pod_fn each, void *context)
{
    each_pod_of(engine, BERTH_NODE_NONE, each, context);
    for (berth_node_id node = 0; node < berth_engine_node_limit(engine); node++)
        each_pod_of(engine, node, each, context);
}

/* Pods of the same name in different namespaces. */
typedef struct namesakes {
    berth_str name;
    berth_pod_id pod; /* the first */
    uint32_t count;
    char text[256]; /* "a/web, b/web" */
    size_t text_len;
} namesakes;

static void note_namesake(void *context, berth_pod_id pod, berth_str namespace_name, berth_str name)
{
    namesakes *found = context;
    if (!words_equal(name, found->name))
        return;
    if (found->count++ == 0)
        found->pod = pod;
    if (found->count > NAMESPACES_SHOWN || found->text_len >= sizeof(found->text))
        return;
    found->text_len +=
        (size_t)snprintf(found->text + found->text_len, sizeof(found->text) - found->text_len,
                         "%s%.*s/%.*s", found->count > 1 ? ", " : "", (int)namespace_name.len,
                         namespace_name.data, (int)name.len, name.data);
}

/* The pod whose name, with or without namespace, is closest to the given one. */
typedef struct nearest {
    suggestion suggestion;
    bool qualified; /* compare namespaces, too */
    berth_str name;
    text_buffer shown; /* the closest pod; the namespace "default" is omitted unless it was typed */
    text_buffer whole; /* the name of the pod looked at */
} nearest;

static void note_nearest(void *context, berth_pod_id pod, berth_str namespace_name, berth_str name)
{
    nearest *n = context;
    uint32_t before = n->suggestion.distance;
    (void)pod;
    const char *text = text_name(&n->whole, (berth_str){0}, namespace_name, name).data;
    const char *own = text + n->whole.len - name.len;
    if (n->qualified && words_equal(name, n->name) && before > 0) {
        n->suggestion.distance = 0; /* a wrong namespace is more likely than a typo in the name */
        text_clear(&n->shown);
        text_add(&n->shown, "%s", text);
        return;
    }
    suggestion_offer(&n->suggestion, n->qualified ? text : own);
    if (n->suggestion.distance == before)
        return;
    bool plain = !n->qualified && words_equal(namespace_name, words_of("default"));
    text_clear(&n->shown);
    text_add(&n->shown, "%s", plain ? own : text);
}

/* `text` is the text as typed; `namespace_name` is absent if none was typed. */
static berth_status not_found(berth_engine *engine, const char *text, berth_str namespace_name,
                              berth_str name, berth_error *error)
{
    text_buffer full = {0};
    char where[300] = "in the input";
    bool separate = strchr(text, '/') == NULL && namespace_name.len > 0;
    nearest n = {.qualified = namespace_name.len > 0, .name = name};
    if (separate)
        snprintf(where, sizeof(where), "in namespace %.*s", (int)namespace_name.len,
                 namespace_name.data);
    suggestion_begin(&n.suggestion,
                     n.qualified ? text_name(&full, (berth_str){0}, namespace_name, name).data
                                 : text);
    pod_lookup_each(engine, note_nearest, &n);
    bool like = n.suggestion.distance == 0 || suggestion_end(&n.suggestion) != NULL;
    berth_status status = error_set(error, BERTH_E_NOT_FOUND, NULL, "pod '%s' is not %s%s%s%s",
                                    text, where, like ? "; did you mean '" : "",
                                    like ? text_str(&n.shown).data : "", like ? "'?" : "");
    text_free(&n.shown);
    text_free(&n.whole);
    text_free(&full);
    return status;
}

static berth_status has_finished(const finished_pod *pod, berth_error *error)
{
    return error_set(error, BERTH_E_NOT_FOUND, NULL,
                     "pod '%s/%s' has finished (%s): it holds no node, and no scheduler takes it "
                     "up",
                     pod->namespace_name, pod->name, pod->phase);
}

static berth_status found_by_name(berth_engine *engine, const char *text, berth_pod_id *out,
                                  berth_error *error)
{
    namesakes found = {.name = words_of(text), .pod = BERTH_POD_NONE};
    *out = berth_engine_find_pod(engine, words_of("default"), found.name);
    if (*out != BERTH_POD_NONE)
        return BERTH_OK;
    pod_lookup_each(engine, note_namesake, &found);
    if (found.count == 0)
        return BERTH_OK;
    if (found.count > 1)
        return error_set(error, BERTH_E_CONFLICT, NULL,
                         "%u pods are named '%s': %s%s; say NAMESPACE/NAME", found.count, text,
                         found.text, found.count > NAMESPACES_SHOWN ? ", ..." : "");
    *out = found.pod;
    return BERTH_OK;
}

berth_status pod_lookup(berth_engine *engine, const finished_pods *finished,
                        berth_str namespace_name, const char *text, berth_pod_id *out,
                        berth_error *error)
{
    if (strncmp(text, "pod/", 4) == 0 || strncmp(text, "pods/", 5) == 0)
        text = strchr(text, '/') + 1; /* the form of kubectl and -o name */
    const char *slash = strchr(text, '/');
    berth_str name = slash != NULL ? words_of(slash + 1) : words_of(text);
    if (slash != NULL)
        namespace_name = (berth_str){text, (uint32_t)(slash - text)};
    if (namespace_name.len == 0)
        TRY(found_by_name(engine, text, out, error));
    else
        *out = berth_engine_find_pod(engine, namespace_name, name);
    if (*out != BERTH_POD_NONE)
        return BERTH_OK;
    const finished_pod *over = finished_pods_find(finished, namespace_name, name);
    return over != NULL ? has_finished(over, error)
                        : not_found(engine, text, namespace_name, name, error);
}

void pod_lookup_write(const berth_engine *engine, berth_pod_id pod, output *o)
{
    berth_str namespace_name = {0}, name = {0};
    berth_engine_pod_name(engine, pod, &namespace_name, &name);
    output_pair_str(o, "namespace", namespace_name);
    output_pair_str(o, "name", name);
}
