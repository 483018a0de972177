/* Finds the pods of a workload by their controllers. A Deployment is not the controller of its
 * pods. It is recognized by the ReplicaSet between them, whose name is the Deployment's name and a
 * hash that the pods carry as a label. A CronJob is recognized by the names of its Jobs. */
#include "explain/pod_owner.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/object_names.h"
#include "cli/suggest.h"
#include "cli/text_buffer.h"
#include "cli/words.h"
#include "explain/pod_lookup.h"

/* ---- parsing ---- */

static bool is_word(const char *text, size_t len, const char *wanted)
{
    if (strlen(wanted) != len)
        return false;
    for (size_t i = 0; i < len; i++)
        if (tolower((unsigned char)text[i]) != wanted[i])
            return false;
    return true;
}

static const char *kind_of(const char *text, size_t len)
{
    static const struct {
        const char *kind, *group, *words[3];
    } kinds[] = {
        {"Deployment", ".apps", {"deploy", "deployment", "deployments"}},
        {"StatefulSet", ".apps", {"sts", "statefulset", "statefulsets"}},
        {"DaemonSet", ".apps", {"ds", "daemonset", "daemonsets"}},
        {"ReplicaSet", ".apps", {"rs", "replicaset", "replicasets"}},
        {"Job", ".batch", {"job", "jobs", "jobs"}},
        {"CronJob", ".batch", {"cj", "cronjob", "cronjobs"}},
        {"ReplicationController", "", {"rc", "replicationcontroller", "replicationcontrollers"}},
    };
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        size_t group = strlen(kinds[k].group);
        size_t own = len;
        if (group > 0 && len > group && is_word(text + len - group, group, kinds[k].group))
            own -= group;
        for (size_t w = 0; w < 3; w++)
            if (is_word(text, own, kinds[k].words[w]))
                return kinds[k].kind;
    }
    return NULL;
}

bool pod_owner_parse(const char *text, berth_str namespace_name, pod_owner *out)
{
    const char *slash = strchr(text, '/');
    const char *kind = slash != NULL ? kind_of(text, (size_t)(slash - text)) : NULL;
    if (kind == NULL)
        return false;
    const char *name = slash + 1;
    const char *second = strchr(name, '/');
    if (second != NULL)
        namespace_name = (berth_str){name, (uint32_t)(second - name)};
    *out = (pod_owner){kind, namespace_name, words_of(second != NULL ? second + 1 : name)};
    return true;
}

bool pod_owner_is_kind(const char *text)
{
    return kind_of(text, strlen(text)) != NULL;
}

bool pod_owner_is_service(const char *text)
{
    const char *slash = strchr(text, '/');
    size_t len = slash != NULL ? (size_t)(slash - text) : 0;
    return is_word(text, len, "svc") || is_word(text, len, "service") ||
           is_word(text, len, "services");
}

/* ---- owners of pods ---- */

/* Cut "-TAIL" off a name; false if the name does not end with it. */
static bool cut_tail(berth_str name, berth_str tail, berth_str *out)
{
    if (tail.len == 0 || name.len <= tail.len + 1)
        return false;
    uint32_t at = name.len - tail.len - 1;
    *out = (berth_str){name.data, at};
    return name.data[at] == '-' && memcmp(name.data + at + 1, tail.data, tail.len) == 0;
}

/* The CronJob of a Job, whose name ends with the minute of the run; for a CronJob of a manifest,
 * the reader uses a hash instead. */
static bool cron_job_of(berth_str job, berth_str *out)
{
    enum { DIGITS_LEAST = 8 };
    uint32_t at = job.len;
    while (at > 0 && isxdigit((unsigned char)job.data[at - 1]))
        at--;
    if (job.len - at < DIGITS_LEAST)
        return false;
    return cut_tail(job, (berth_str){job.data + at, job.len - at}, out);
}

/* The name of the workload of that kind to which a pod with this controller belongs. */
static bool name_in_kind(const char *kind, berth_str owner_kind, berth_str owner_name,
                         berth_str template_hash, berth_str *out)
{
    *out = owner_name;
    if (words_equal(owner_kind, words_of(kind)))
        return owner_name.len > 0;
    if (strcmp(kind, "Deployment") == 0 && words_equal(owner_kind, words_of("ReplicaSet")))
        return cut_tail(owner_name, template_hash, out);
    if (strcmp(kind, "CronJob") == 0 && words_equal(owner_kind, words_of("Job")))
        return cron_job_of(owner_name, out);
    return false;
}

/* ---- finding ---- */

typedef struct owner_search {
    const berth_engine *engine;
    const pod_owner *wanted;
    berth_pod_id *pods;
    size_t count, capacity;
    berth_str namespaces[2]; /* the first two with such a workload */
    uint32_t namespace_count;
    suggestion like;
    text_buffer whole; /* the name of the workload looked at */
} owner_search;

/* Looks at the workload of one pod, if it is of the wanted kind; returns whether it is the wanted
 * workload. */
static bool look_at(owner_search *s, berth_str namespace_name, berth_str name)
{
    const pod_owner *wanted = s->wanted;
    const char *text = text_name(&s->whole, (berth_str){0}, namespace_name, name).data;
    suggestion_offer(&s->like,
                     wanted->namespace_name.len > 0 ? text : text + s->whole.len - name.len);
    if (!words_equal(name, wanted->name) ||
        (wanted->namespace_name.len > 0 && !words_equal(namespace_name, wanted->namespace_name)))
        return false;
    for (uint32_t i = 0; i < s->namespace_count; i++)
        if (words_equal(s->namespaces[i], namespace_name))
            return true;
    if (words_equal(namespace_name, words_of("default"))) {
        s->namespaces[0] = namespace_name;
        s->namespace_count = 1;
    } else if (s->namespace_count == 0 ||
               (s->namespace_count == 1 && !words_equal(s->namespaces[0], words_of("default")))) {
        s->namespaces[s->namespace_count++] = namespace_name;
    }
    return true;
}

static void note_pod(void *context, berth_pod_id pod, berth_str namespace_name, berth_str name)
{
    owner_search *s = context;
    berth_pod_info info = {.size = sizeof(info)};
    berth_str owner = {0};
    (void)name;
    if (berth_engine_pod_info(s->engine, pod, &info, NULL) != BERTH_OK)
        return;
    berth_str hash = berth_engine_pod_label(s->engine, pod, words_of("pod-template-hash"));
    if (!name_in_kind(s->wanted->kind, info.owner_kind, info.owner_name, hash, &owner) ||
        !look_at(s, namespace_name, owner))
        return;
    s->pods = heap_grow(s->pods, &s->capacity, s->count + 1, sizeof(*s->pods));
    s->pods[s->count++] = pod;
}

/* Looks at finished pods; returns how many belong to the workload. */
static uint32_t look_at_finished(owner_search *s, const finished_pods *finished)
{
    uint32_t count = 0;
    for (size_t i = 0; i < finished->count; i++) {
        const finished_pod *pod = &finished->items[i];
        berth_str owner = {0};
        count += name_in_kind(s->wanted->kind, words_of(pod->owner_kind), words_of(pod->owner_name),
                              words_of(pod->template_hash), &owner) &&
                 look_at(s, words_of(pod->namespace_name), owner);
    }
    return count;
}

static berth_status not_found(const pod_owner *owner, const owner_search *s, berth_error *error)
{
    const char *like = suggestion_end(&s->like);
    return error_set(
        error, BERTH_E_NOT_FOUND, NULL, "no pod of %s '%.*s%s%.*s' is in the input%s%s%s",
        owner->kind, (int)owner->namespace_name.len,
        owner->namespace_name.len > 0 ? owner->namespace_name.data : "",
        owner->namespace_name.len > 0 ? "/" : "", (int)owner->name.len, owner->name.data,
        like != NULL ? "; did you mean '" : "", like != NULL ? like : "", like != NULL ? "'?" : "");
}

berth_status pod_owner_find(pod_owner *owner, berth_engine *engine, const finished_pods *finished,
                            berth_pod_id **pods, uint32_t *count, uint32_t *finished_count,
                            berth_error *error)
{
    text_buffer wanted = {0};
    berth_status status = BERTH_OK;
    owner_search s = {.engine = engine, .wanted = owner};
    bool qualified = owner->namespace_name.len > 0;
    if (qualified)
        (void)text_name(&wanted, (berth_str){0}, owner->namespace_name, owner->name);
    else
        text_add_str(&wanted, owner->name);
    suggestion_begin(&s.like, text_str(&wanted).data);
    pod_lookup_each(engine, note_pod, &s);
    *finished_count = look_at_finished(&s, finished);
    *pods = s.pods;
    *count = (uint32_t)s.count;
    if (s.namespace_count == 0)
        status = not_found(owner, &s, error);
    text_free(&s.whole);
    text_free(&wanted);
    TRY(status);
    if (s.namespace_count > 1)
        return error_set(
            error, BERTH_E_CONFLICT, NULL,
            "%ss of several namespaces are named '%.*s': %.*s, %.*s; give -n NAMESPACE",
            owner->kind, (int)owner->name.len, owner->name.data, (int)s.namespaces[0].len,
            s.namespaces[0].data, (int)s.namespaces[1].len, s.namespaces[1].data);
    if (qualified)
        return BERTH_OK;
    /* pods of workloads of the same name in other namespaces were collected, too */
    free(s.pods);
    owner->namespace_name = s.namespaces[0];
    return pod_owner_find(owner, engine, finished, pods, count, finished_count, error);
}

/* ---- a kind without a name ---- */

typedef struct owner_names {
    const berth_engine *engine;
    const char *kind;
    berth_str namespace_name;
    word_table names; /* NAMESPACE/NAME */
} owner_names;

static void note_name(void *context, berth_pod_id pod, berth_str namespace_name, berth_str name)
{
    owner_names *n = context;
    berth_pod_info info = {.size = sizeof(info)};
    berth_str owner = {0};
    (void)name;
    if ((n->namespace_name.len > 0 && !words_equal(namespace_name, n->namespace_name)) ||
        berth_engine_pod_info(n->engine, pod, &info, NULL) != BERTH_OK)
        return;
    berth_str hash = berth_engine_pod_label(n->engine, pod, words_of("pod-template-hash"));
    if (!name_in_kind(n->kind, info.owner_kind, info.owner_name, hash, &owner))
        return;
    (void)object_names_add(&n->names, (berth_str){0}, namespace_name, owner);
}

berth_status pod_owner_no_name(const char *kind, berth_str namespace_name, berth_engine *engine,
                               berth_error *error)
{
    enum { SHOWN = 5 };
    owner_names n = {
        .engine = engine, .kind = kind_of(kind, strlen(kind)), .namespace_name = namespace_name};
    char list[300] = "";
    size_t at = 0;
    pod_lookup_each(engine, note_name, &n);
    for (uint32_t i = 0; i < n.names.count && i < SHOWN && at < sizeof(list); i++) {
        berth_str name = word_table_get(&n.names, i);
        at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%.*s", i > 0 ? ", " : "",
                               (int)name.len, name.data);
    }
    const uint32_t count = n.names.count;
    word_table_free(&n.names);
    if (count == 0)
        return error_set(error, BERTH_E_NOT_FOUND, NULL,
                         "expected the name of a %s, as in %s/NAME; the input has no pod of one",
                         n.kind, kind);
    return error_set(error, BERTH_E_NOT_FOUND, NULL,
                     "expected the name of a %s, as in %s/NAME; the input has %s%s", n.kind, kind,
                     list, count > SHOWN ? ", ..." : "");
}
