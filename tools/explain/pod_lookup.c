/* Pods by the name that a person types: the exact one, else what is spelled like it is
 * suggested. */
#include "explain/pod_lookup.h"

#include <stdio.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/suggest.h"
#include "cli/words.h"

enum { NAMESPACES_SHOWN = 3 };

/* Call for every pod of an engine, whatever node it is on. */
typedef void (*each_pod_fn)(void *context, berth_pod_id pod, berth_str namespace_name,
                            berth_str name);

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

static void each_pod(berth_engine *engine, each_pod_fn each, void *context)
{
    each_pod_of(engine, BERTH_NODE_NONE, each, context);
    for (berth_node_id node = 0; node < berth_engine_node_limit(engine); node++)
        each_pod_of(engine, node, each, context);
}

/* Pods of one name, in any namespace. */
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

/* The pod whose name, or namespace and name, is spelled most like the one that was given. */
typedef struct nearest {
    suggestion suggestion;
    bool qualified;
} nearest;

static void note_nearest(void *context, berth_pod_id pod, berth_str namespace_name, berth_str name)
{
    nearest *n = context;
    char text[600];
    (void)pod;
    snprintf(text, sizeof(text), "%.*s/%.*s", (int)namespace_name.len, namespace_name.data,
             (int)name.len, name.data);
    suggestion_offer(&n->suggestion, n->qualified ? text : text + namespace_name.len + 1);
}

static berth_status not_found(berth_engine *engine, const char *text, berth_error *error)
{
    nearest n = {.qualified = strchr(text, '/') != NULL};
    suggestion_begin(&n.suggestion, text);
    each_pod(engine, note_nearest, &n);
    const char *like = suggestion_end(&n.suggestion);
    return error_set(error, BERTH_E_NOT_FOUND, NULL, "pod '%s' is not in the input%s%s%s", text,
                     like != NULL ? "; did you mean '" : "", like != NULL ? like : "",
                     like != NULL ? "'?" : "");
}

static berth_status found_by_name(berth_engine *engine, const char *text, berth_pod_id *out,
                                  berth_error *error)
{
    namesakes found = {.name = words_of(text), .pod = BERTH_POD_NONE};
    *out = berth_engine_find_pod(engine, words_of("default"), found.name);
    if (*out != BERTH_POD_NONE)
        return BERTH_OK;
    each_pod(engine, note_namesake, &found);
    if (found.count == 0)
        return not_found(engine, text, error);
    if (found.count > 1)
        return error_set(error, BERTH_E_CONFLICT, NULL,
                         "%u pods are named '%s': %s%s; say NAMESPACE/NAME", found.count, text,
                         found.text, found.count > NAMESPACES_SHOWN ? ", ..." : "");
    *out = found.pod;
    return BERTH_OK;
}

berth_status pod_lookup(berth_engine *engine, berth_str namespace_name, const char *text,
                        berth_pod_id *out, berth_error *error)
{
    if (strncmp(text, "pod/", 4) == 0 || strncmp(text, "pods/", 5) == 0)
        text = strchr(text, '/') + 1; /* as kubectl and -o name say it */
    const char *slash = strchr(text, '/');
    if (slash == NULL && namespace_name.len == 0)
        return found_by_name(engine, text, out, error);
    berth_str name = slash != NULL ? words_of(slash + 1) : words_of(text);
    if (slash != NULL)
        namespace_name = (berth_str){text, (uint32_t)(slash - text)};
    *out = berth_engine_find_pod(engine, namespace_name, name);
    return *out != BERTH_POD_NONE ? BERTH_OK : not_found(engine, text, error);
}
