/* Lists every kind, in the order of the kinds, page by page, and writes the objects into a file in
 * memory as items of one List, each with its kind and apiVersion, as kubectl does.
 *
 * Each kind is read in its group's preferred version; if that version lacks the kind, in the next
 * one that the server names. A kind that no version has is skipped, as in `berth dump`. */
#include "live/read/cluster_read.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <jansson.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/progress.h"
#include "live/read/api_reads.h"
#include "live/watch/object_view.h"
#include "live/watch/stream_cut.h"

enum { PAGE = 500, EXPIRED_TRIES = 3, PATH_BYTES = 256 };

typedef struct reading {
    api_reads reads;
    const cluster_request *request;
    json_t *groups; /* from /apis */
    FILE *file;
    uint64_t object_count;
    progress progress;
    char denied[256]; /* kinds that we are not allowed to list */
    size_t denied_count;
    /* the current list */
    const cluster_kind *kind;
    char version[128]; /* "v1", "apps/v1" */
    stream_cut cut;
    char *next_page;
    off_t page_at; /* where its page begins in the file */
    uint64_t page_object_count;
} reading;

/* ---- items ---- */

/* An item of a list has neither kind nor apiVersion; the list's own values are added. */
static bool on_item(void *context, const char *text, size_t length)
{
    reading *r = context;
    const berth_str object = {text, (uint32_t)length};
    const bool named = json_member(object, "kind").data != NULL;
    size_t at = 1;
    while (at < length && isspace((unsigned char)text[at]))
        at++;
    if (text[at] == '}')
        return true;
    fputs(r->object_count++ > 0 ? ",\n" : "\n", r->file);
    if (named)
        at = 0;
    else
        fprintf(r->file, "{\"apiVersion\":\"%s\",\"kind\":\"%s\",", r->version, r->kind->kind);
    fwrite(text + at, 1, length - at, r->file);
    if (r->object_count % 64 == 0)
        progress_update(&r->progress, r->object_count);
    return true;
}

static bool on_data(void *context, const char *bytes, size_t count)
{
    return stream_cut_list(&((reading *)context)->cut, bytes, count);
}

/* Everything written after `at` will be overwritten; the file is truncated when it is complete. */
static void go_back_to(reading *r, off_t at, uint64_t object_count)
{
    r->object_count = object_count;
    fseeko(r->file, at, SEEK_SET);
}

/* Drops a page whose answer broke off, before it is requested again. */
static void restart_page(void *context)
{
    reading *r = context;
    go_back_to(r, r->page_at, r->page_object_count);
    stream_cut_reset(&r->cut);
}

/* ---- pages ---- */

/* Reads the token of the next page. Returns false if the list is incomplete. */
static bool read_list_end(reading *r)
{
    const char *text = stream_cut_list_end(&r->cut);
    json_t *root = text != NULL ? json_loads(text, 0, NULL) : NULL;
    const json_t *metadata = json_object_get(root, "metadata");
    const char *next = json_string_value(json_object_get(metadata, "continue"));
    const bool good = json_is_object(root) && json_object_get(root, "items") != NULL;
    free(r->next_page);
    r->next_page = next != NULL && next[0] != '\0' ? heap_text(next, strlen(next)) : NULL;
    json_decref(root);
    return good;
}

/* The path of the next page; tokens are percent-encoded. The caller frees it. */
static char *page_path(const reading *r, const char *resource)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~";
    const bool core = strchr(r->version, '/') == NULL;
    const char *token = r->next_page != NULL ? r->next_page : "";
    const size_t room = PATH_BYTES + 3 * strlen(token);
    char *path = heap_new(room, 1);
    size_t at = (size_t)snprintf(path, room, "/%s/%s/%s?limit=%d%s", core ? "api" : "apis",
                                 r->version, resource, PAGE, token[0] != '\0' ? "&continue=" : "");
    for (; *token != '\0'; token++)
        if (strchr(plain, *token) != NULL)
            path[at++] = *token;
        else
            at += (size_t)snprintf(path + at, room - at, "%%%02X", (unsigned char)*token);
    return path;
}

/* "replicasets" of "replicasets.apps" */
static void plural_of(const cluster_kind *kind, char *out, size_t size)
{
    snprintf(out, size, "%.*s", (int)strcspn(kind->resource, "."), kind->resource);
}

static void deny(reading *r)
{
    const size_t at = strlen(r->denied), len = strlen(r->kind->resource);
    if (at + len + 24 < sizeof(r->denied))
        snprintf(r->denied + at, sizeof(r->denied) - at, "%s%s", at > 0 ? ", " : "",
                 r->kind->resource);
    else if (r->denied[at - 1] != '.')
        snprintf(r->denied + at, sizeof(r->denied) - at, ", ...");
    r->denied_count++;
}

typedef enum page_end {
    PAGE_MORE,
    PAGE_LAST,
    PAGE_DENIED,
    PAGE_ABSENT,  /* the server lacks the kind in this version */
    PAGE_EXPIRED, /* the list's resourceVersion is too old */
    PAGE_FAILED,
} page_end;

static page_end list_page(reading *r, berth_error *error)
{
    char plural[64], doing[96];
    plural_of(r->kind, plural, sizeof(plural));
    snprintf(doing, sizeof(doing), "list %s", r->kind->resource);
    char *path = page_path(r, plural);
    r->page_at = ftello(r->file);
    r->page_object_count = r->object_count;
    stream_cut_reset(&r->cut);
    const api_answer answer = api_reads_get(&r->reads, path, on_data, restart_page, r);
    free(path);
    switch (answer.status) {
    case 200:
        if (answer.answered && read_list_end(r))
            return r->next_page != NULL ? PAGE_MORE : PAGE_LAST;
        error_set(error, BERTH_E_IO, r->reads.config.access.server,
                  "what the API server answers to '%s' is no list", doing);
        return PAGE_FAILED;
    case 403:
        return PAGE_DENIED;
    case 404:
        return PAGE_ABSENT;
    case 410:
        return PAGE_EXPIRED;
    default:
        (void)api_reads_failed(&r->reads, &answer, doing, error);
        return PAGE_FAILED;
    }
}

static void forget_page(reading *r)
{
    free(r->next_page);
    r->next_page = NULL;
}

/* Reads all pages of one version. `*served`: the server has the kind in this version. */
static berth_status list_version(reading *r, bool *served, berth_error *error)
{
    const off_t list_at = ftello(r->file);
    const uint64_t before = r->object_count;
    page_end end;
    int expired = 0;
    forget_page(r);
    while ((end = list_page(r, error)) == PAGE_MORE || end == PAGE_EXPIRED) {
        if (end == PAGE_MORE)
            continue;
        if (++expired == EXPIRED_TRIES)
            return error_set(error, BERTH_E_IO, r->reads.config.access.server,
                             "the list of %s changes faster than it can be read (410)",
                             r->kind->resource);
        go_back_to(r, list_at, before);
        forget_page(r);
    }
    *served = end != PAGE_ABSENT;
    if (end == PAGE_DENIED)
        deny(r);
    return end == PAGE_FAILED ? BERTH_E_IO : BERTH_OK;
}

/* ---- kinds ---- */

static json_t *group_of(const reading *r, const char *name)
{
    size_t i;
    json_t *group;
    json_array_foreach(json_object_get(r->groups, "groups"), i, group)
    {
        const char *its = json_string_value(json_object_get(group, "name"));
        if (its != NULL && strcmp(its, name) == 0)
            return group;
    }
    return NULL;
}

/* Tries the versions of a group, the preferred one first. */
static berth_status list_group(reading *r, json_t *group, berth_error *error)
{
    const json_t *preferred = json_object_get(group, "preferredVersion");
    const char *best = json_string_value(json_object_get(preferred, "groupVersion"));
    bool served = false;
    size_t i;
    json_t *version;
    if (best != NULL && strlen(best) < sizeof(r->version)) {
        snprintf(r->version, sizeof(r->version), "%s", best);
        TRY(list_version(r, &served, error));
    }
    json_array_foreach(json_object_get(group, "versions"), i, version)
    {
        const char *name = json_string_value(json_object_get(version, "groupVersion"));
        if (served || name == NULL || strlen(name) >= sizeof(r->version) ||
            (best != NULL && strcmp(name, best) == 0))
            continue;
        snprintf(r->version, sizeof(r->version), "%s", name);
        TRY(list_version(r, &served, error));
    }
    return BERTH_OK;
}

static berth_status list_kind(reading *r, const cluster_kind *kind, berth_error *error)
{
    const char *dot = strchr(kind->resource, '.');
    bool served = false;
    r->kind = kind;
    if (dot != NULL) {
        json_t *group = group_of(r, dot + 1);
        return group != NULL ? list_group(r, group, error) : BERTH_OK;
    }
    snprintf(r->version, sizeof(r->version), "v1");
    TRY(list_version(r, &served, error));
    if (served)
        return BERTH_OK;
    return error_set(error, BERTH_E_IO, r->reads.config.access.server,
                     "what answers there is no API server: it has no %s", kind->resource);
}

static berth_status list_all(reading *r, berth_error *error)
{
    const cluster_request *request = r->request;
    progress_start(&r->progress, "objects read from the API server:", 0);
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < request->kind_count && status == BERTH_OK; i++)
        status = list_kind(r, request->kinds[i], error);
    progress_end(&r->progress);
    if (status == BERTH_OK && r->denied_count > 0)
        status = error_set(error, BERTH_E_IO, r->reads.config.access.server,
                           "not allowed (403): the role lacks the verb list of %s", r->denied);
    return status;
}

/* ---- server ---- */

static berth_status read_version(reading *r, cluster_text *out, berth_error *error)
{
    const api_answer answer = api_reads_get(&r->reads, "/version", NULL, NULL, NULL);
    if (answer.status == 403)
        return BERTH_OK; /* the nodes' version is used instead */
    if (!answer.answered || (answer.status != 200 && answer.status != 404))
        return api_reads_failed(&r->reads, &answer, "show /version", error);
    json_t *root = json_loadb(answer.body.data, answer.body.len, 0, NULL);
    const char *version = json_string_value(json_object_get(root, "gitVersion"));
    const bool good = answer.status == 200 && version != NULL;
    if (good)
        snprintf(out->version, sizeof(out->version), "%s", version);
    json_decref(root);
    return good ? BERTH_OK
                : error_set(error, BERTH_E_IO, r->reads.config.access.server,
                            "what answers there is no API server: it has no /version");
}

static berth_status read_groups(reading *r, berth_error *error)
{
    const api_answer answer = api_reads_get(&r->reads, "/apis", NULL, NULL, NULL);
    if (answer.status == 403)
        return error_set(error, BERTH_E_IO, r->reads.config.access.server,
                         "not allowed (403): the role lacks the verb get of the nonResourceURL "
                         "/apis (ClusterRole system:discovery has it)");
    if (!answer.answered || answer.status != 200)
        return api_reads_failed(&r->reads, &answer, "show /apis", error);
    r->groups = json_loadb(answer.body.data, answer.body.len, 0, NULL);
    if (json_is_array(json_object_get(r->groups, "groups")))
        return BERTH_OK;
    return error_set(error, BERTH_E_IO, r->reads.config.access.server,
                     "what answers there is no API server: /apis names no groups");
}

/* ---- public function ---- */

static berth_status finish(reading *r, cluster_text *out, berth_error *error)
{
    fputs("\n]}\n", r->file);
    const off_t bytes = ftello(r->file);
    if (fflush(r->file) != 0 || ferror(r->file) || bytes < 0 ||
        ftruncate(fileno(r->file), bytes) != 0)
        return error_set(error, BERTH_E_NOMEM, NULL, "there is no memory for the cluster");
    out->file = dup(fileno(r->file));
    out->bytes = (size_t)bytes;
    out->text = mmap(NULL, out->bytes, PROT_READ, MAP_PRIVATE, out->file, 0);
    if (out->text != MAP_FAILED)
        return BERTH_OK;
    close(out->file);
    return error_set(error, BERTH_E_NOMEM, NULL, "there is no memory for the cluster");
}

static berth_status read_all(reading *r, cluster_text *out, berth_error *error)
{
    const kubeconfig_search search = {
        .path = r->request->kubeconfig, .home = true, .choice = {.context = r->request->context}};
    TRY(api_reads_open(&r->reads, &search, error));
    snprintf(out->server, sizeof(out->server), "%s", r->reads.config.access.server);
    snprintf(out->namespace_name, sizeof(out->namespace_name), "%s",
             r->reads.config.namespace_name);
    TRY(read_version(r, out, error));
    TRY(read_groups(r, error));
    fputs("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[", r->file);
    TRY(list_all(r, error));
    return finish(r, out, error);
}

static FILE *file_in_memory(void)
{
    const int fd = memfd_create("cluster", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (file == NULL && fd >= 0)
        close(fd);
    return file;
}

berth_status cluster_read(const cluster_request *request, cluster_text *out, berth_error *error)
{
    reading r = {.request = request, .file = file_in_memory()};
    cluster_text read = {0};
    struct sigaction before;
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    if (r.file == NULL)
        return error_set(error, BERTH_E_NOMEM, NULL, "there is no memory for the cluster");
    r.cut.piece = on_item;
    r.cut.context = &r;
    sigaction(SIGPIPE, &ignore, &before); /* a broken connection is an error of its request */
    berth_status status = read_all(&r, &read, error);
    sigaction(SIGPIPE, &before, NULL);
    if (status == BERTH_OK)
        *out = read;
    api_reads_close(&r.reads);
    json_decref(r.groups);
    stream_cut_free(&r.cut);
    free(r.next_page);
    fclose(r.file);
    return status;
}
