/* A map for nodes and one for pods, by "namespace/name". */
#include "live/extenders/object_texts.h"

#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "live/writes/text_map.h"

typedef struct entry {
    char *text; /* NULL: only the uid is kept */
    char uid[64];
} entry;

struct object_texts {
    pthread_mutex_t lock;
    object_texts_policy policy;
    text_map nodes, pods; /* values are entries */
};

object_texts *object_texts_create(object_texts_policy policy)
{
    object_texts *texts = heap_new(1, sizeof(*texts));
    *texts = (object_texts){.policy = policy};
    pthread_mutex_init(&texts->lock, NULL);
    return texts;
}

static void free_entry(entry *e)
{
    if (e != NULL)
        free(e->text);
    free(e);
}

static void free_map(text_map *map)
{
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].key != NULL)
            free_entry(map->slots[i].value);
    text_map_free(map);
}

void object_texts_destroy(object_texts *texts)
{
    if (texts == NULL)
        return;
    free_map(&texts->nodes);
    free_map(&texts->pods);
    pthread_mutex_destroy(&texts->lock);
    free(texts);
}

/* ---- keys ---- */

/* Names of Kubernetes have at most 253 bytes each. */
typedef struct key {
    char bytes[640];
    uint32_t len;
} key;

static key make_key(berth_str namespace_name, berth_str name)
{
    key made;
    snprintf(made.bytes, sizeof(made.bytes), "%.*s/%.*s", (int)namespace_name.len,
             namespace_name.len > 0 ? namespace_name.data : "", (int)name.len,
             name.len > 0 ? name.data : "");
    made.len = (uint32_t)strlen(made.bytes);
    return made;
}

static berth_str text_of(const key *k)
{
    return (berth_str){k->bytes, k->len};
}

static text_map *map_of(object_texts *texts, berth_kind kind)
{
    return kind == BERTH_KIND_NODE ? &texts->nodes : &texts->pods;
}

/* ---- changes ---- */

/* The object without metadata.managedFields, which kube-scheduler does not keep either. */
static char *shorten(berth_str text)
{
    json_t *object = json_loadb(text.data, text.len, JSON_ALLOW_NUL, NULL);
    (void)json_object_del(json_object_get(object, "metadata"), "managedFields");
    char *shorter = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    return shorter != NULL ? shorter : heap_text(text.data, text.len);
}

static bool keeps(const object_texts *texts, berth_kind kind, const object_view *view)
{
    if (kind == BERTH_KIND_NODE)
        return texts->policy.nodes;
    return view->node_name.len == 0 || texts->policy.running_pods;
}

static void put(object_texts *texts, berth_kind kind, const object_view *view, char *text)
{
    text_map *map = map_of(texts, kind);
    const key name = make_key(view->namespace_name, view->name);
    entry *e = text_map_get(map, text_of(&name));
    if (e == NULL) {
        e = heap_new(1, sizeof(*e));
        text_map_add(map, text_of(&name), e);
    }
    free(e->text);
    e->text = text;
    snprintf(e->uid, sizeof(e->uid), "%.*s", (int)view->uid.len,
             view->uid.len > 0 ? view->uid.data : "");
}

void object_texts_put(object_texts *texts, berth_kind kind, const object_view *view, berth_str text)
{
    if (kind != BERTH_KIND_NODE && kind != BERTH_KIND_POD)
        return;
    if (kind == BERTH_KIND_POD && view->node_name.len > 0 && texts->policy.last_pending)
        return;
    const bool kept = keeps(texts, kind, view);
    if (!kept && (kind == BERTH_KIND_NODE || !texts->policy.running_uids)) {
        object_texts_drop(texts, kind, view->namespace_name, view->name);
        return;
    }
    char *own = kept ? shorten(text) : NULL;
    pthread_mutex_lock(&texts->lock);
    put(texts, kind, view, own);
    pthread_mutex_unlock(&texts->lock);
}

void object_texts_drop(object_texts *texts, berth_kind kind, berth_str namespace_name,
                       berth_str name)
{
    if (kind != BERTH_KIND_NODE && kind != BERTH_KIND_POD)
        return;
    const key whole = make_key(namespace_name, name);
    pthread_mutex_lock(&texts->lock);
    free_entry(text_map_get(map_of(texts, kind), text_of(&whole)));
    text_map_remove(map_of(texts, kind), text_of(&whole));
    pthread_mutex_unlock(&texts->lock);
}

/* ---- reading ---- */

bool object_texts_write(object_texts *texts, berth_kind kind, berth_str namespace_name,
                        berth_str name, FILE *out)
{
    const key whole = make_key(namespace_name, name);
    pthread_mutex_lock(&texts->lock);
    const entry *e = text_map_get(map_of(texts, kind), text_of(&whole));
    const bool known = e != NULL && e->text != NULL;
    if (known)
        fputs(e->text, out);
    pthread_mutex_unlock(&texts->lock);
    return known;
}

bool object_texts_write_uid(object_texts *texts, berth_str namespace_name, berth_str name,
                            FILE *out)
{
    const key whole = make_key(namespace_name, name);
    pthread_mutex_lock(&texts->lock);
    const entry *e = text_map_get(&texts->pods, text_of(&whole));
    if (e != NULL)
        fprintf(out, "\"%s\"", e->uid);
    pthread_mutex_unlock(&texts->lock);
    return e != NULL;
}

bool object_texts_has_uid(object_texts *texts, berth_str namespace_name, berth_str name,
                          const char *uid)
{
    const key whole = make_key(namespace_name, name);
    pthread_mutex_lock(&texts->lock);
    const entry *e = text_map_get(&texts->pods, text_of(&whole));
    const bool same = e != NULL && strcmp(e->uid, uid) == 0;
    pthread_mutex_unlock(&texts->lock);
    return same;
}

static bool names_one(const json_t *amounts, const berth_strs *resources)
{
    for (uint32_t i = 0; i < resources->count; i++)
        if (json_object_getn(amounts, resources->items[i].data, resources->items[i].len) != NULL)
            return true;
    return false;
}

static bool one_asks(const json_t *containers, const berth_strs *resources)
{
    size_t i;
    const json_t *container;
    bool asks = false;
    json_array_foreach(containers, i, container)
    {
        const json_t *amounts = json_object_get(container, "resources");
        asks |= names_one(json_object_get(amounts, "requests"), resources) ||
                names_one(json_object_get(amounts, "limits"), resources);
    }
    return asks;
}

bool object_texts_asks(object_texts *texts, berth_str namespace_name, berth_str name,
                       const berth_strs *resources)
{
    const key whole = make_key(namespace_name, name);
    pthread_mutex_lock(&texts->lock);
    const entry *e = text_map_get(&texts->pods, text_of(&whole));
    json_t *pod = e != NULL && e->text != NULL ? json_loads(e->text, JSON_ALLOW_NUL, NULL) : NULL;
    pthread_mutex_unlock(&texts->lock);
    const json_t *spec = json_object_get(pod, "spec");
    const bool asks = one_asks(json_object_get(spec, "containers"), resources) ||
                      one_asks(json_object_get(spec, "initContainers"), resources);
    json_decref(pod);
    return asks;
}
