/* Lists the kinds one after the other, each as a whole. If a kind cannot be listed (it is forbidden
 * or not served), its last list stays in use; if there is none, the kind counts as absent. */
#include "live/answer/standing.h"

#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "live/log/log.h"

static const int64_t second_ns = 1000000000;
enum { AGAIN_S = 30, TIMEOUT_S = 30, BODY_MAX = 64 << 20, TEMPLATES_MINOR = 34 };

typedef struct standing_kind {
    const char *path, *api_version, *kind;
    int since; /* Kubernetes 1.`since` */
} standing_kind;

static const standing_kind kinds[] = {
    {"/apis/scheduling.k8s.io/v1/priorityclasses", "scheduling.k8s.io/v1", "PriorityClass", 0},
    {"/apis/node.k8s.io/v1/runtimeclasses", "node.k8s.io/v1", "RuntimeClass", 0},
    {"/api/v1/limitranges", "v1", "LimitRange", 0},
    {"/api/v1/resourcequotas", "v1", "ResourceQuota", 0},
    {"/apis/resource.k8s.io/v1/resourceclaimtemplates", "resource.k8s.io/v1",
     "ResourceClaimTemplate", TEMPLATES_MINOR},
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

struct standing_text {
    unsigned users; /* under the lock */
    char *words;
    size_t length;
};

struct standing {
    const live_transport *transport;
    int minor;
    void (*listed)(void *context);
    void *context;
    size_t at; /* the kind that is being listed */
    live_id request, timer;
    char *items[KINDS]; /* "{...},{...}"; NULL: none */
    bool told[KINDS];   /* a failure was logged */
    bool is_listed;
    pthread_mutex_t lock;
    standing_text *newest; /* under the lock */
};

/* ---- texts ---- */

/* Under the lock. */
static void drop(standing_text *text)
{
    if (text == NULL || --text->users > 0)
        return;
    free(text->words);
    free(text);
}

static void publish(standing *s)
{
    standing_text *text = heap_new(1, sizeof(*text));
    FILE *out = open_memstream(&text->words, &text->length);
    if (out == NULL)
        abort(); /* no memory; heap_new ends the program, too */
    const char *between = "";
    fputs("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[", out);
    for (size_t i = 0; i < KINDS; i++) {
        if (s->items[i] == NULL)
            continue;
        fprintf(out, "%s%s", between, s->items[i]);
        between = ",";
    }
    fputs("]}", out);
    fclose(out);
    text->users = 1;
    pthread_mutex_lock(&s->lock);
    drop(s->newest);
    s->newest = text;
    pthread_mutex_unlock(&s->lock);
}

standing_text *standing_take(standing *s)
{
    pthread_mutex_lock(&s->lock);
    standing_text *text = s->newest;
    text->users++;
    pthread_mutex_unlock(&s->lock);
    return text;
}

berth_str standing_words(const standing_text *text)
{
    return (berth_str){text->words, (uint32_t)text->length};
}

void standing_drop(standing *s, standing_text *text)
{
    pthread_mutex_lock(&s->lock);
    drop(text);
    pthread_mutex_unlock(&s->lock);
}

/* ---- lists ---- */

static void list_next(standing *s);

static void begin(void *context)
{
    standing *s = context;
    s->timer = 0;
    s->at = 0;
    list_next(s);
}

/* An item of a list has neither kind nor apiVersion. */
static bool take_items(const standing_kind *kind, berth_str body, char **out)
{
    json_t *root = json_loadb(body.data, body.len, 0, NULL);
    json_t *list = json_object_get(root, "items"), *item;
    size_t i, length = 0;
    if (!json_is_array(list) && !json_is_null(list)) {
        json_decref(root);
        return false;
    }
    free(*out);
    *out = NULL;
    FILE *text = json_array_size(list) > 0 ? open_memstream(out, &length) : NULL;
    json_array_foreach(list, i, item)
    {
        json_object_set_new(item, "apiVersion", json_string(kind->api_version));
        json_object_set_new(item, "kind", json_string(kind->kind));
        if (text != NULL && i > 0)
            fputc(',', text);
        if (text != NULL)
            json_dumpf(item, text, JSON_COMPACT);
    }
    if (text != NULL)
        fclose(text);
    json_decref(root);
    return true;
}

static void on_list(void *context, const live_answer *answer)
{
    standing *s = context;
    const standing_kind *kind = &kinds[s->at];
    const bool good = answer->outcome == LIVE_ANSWERED && answer->status == 200 &&
                      take_items(kind, answer->body, &s->items[s->at]);
    char status[16];
    snprintf(status, sizeof(status), "%d", answer->status);
    if (!good && !s->told[s->at])
        LOG_WARNING("what applies to new pods can't be listed; it counts as absent", "kind",
                    kind->kind, "status", status, "why", answer->why);
    s->told[s->at] = !good;
    s->request = 0;
    s->at++;
    list_next(s);
}

static void list_next(standing *s)
{
    while (s->at < KINDS && kinds[s->at].since > s->minor)
        s->at++;
    if (s->at < KINDS) {
        s->request = live_send(s->transport, &(live_request){.connection = LIVE_READS,
                                                             .method = "GET",
                                                             .path = kinds[s->at].path,
                                                             .body_max = BODY_MAX,
                                                             .timeout_ns = TIMEOUT_S * second_ns,
                                                             .done = on_list,
                                                             .context = s});
        return;
    }
    publish(s);
    if (!s->is_listed)
        s->listed(s->context);
    s->is_listed = true;
    s->timer = live_timer_set(s->transport, live_now(s->transport) + AGAIN_S * second_ns, begin, s);
}

/* ---- life ---- */

standing *standing_create(const live_transport *transport, int minor, void (*listed)(void *context),
                          void *context)
{
    standing *s = heap_new(1, sizeof(*s));
    s->transport = transport;
    s->minor = minor;
    s->listed = listed;
    s->context = context;
    pthread_mutex_init(&s->lock, NULL);
    publish(s);
    return s;
}

void standing_start(standing *s)
{
    begin(s);
}

void standing_stop(standing *s)
{
    live_cancel(s->transport, s->request);
    live_timer_stop(s->transport, s->timer);
}

void standing_destroy(standing *s)
{
    if (s == NULL)
        return;
    drop(s->newest);
    for (size_t i = 0; i < KINDS; i++)
        free(s->items[i]);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
