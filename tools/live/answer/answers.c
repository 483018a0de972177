#include "live/answer/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"

/* How a question may be asked. */
typedef enum asked_by { BY_GET = 1, BY_POST = 2, BY_BOTH = BY_GET | BY_POST } asked_by;

typedef struct answerer {
    const char *path;
    asked_by by;
    const char *name;
    uint32_t flat_depth; /* as in the command of this name, so that answers are equal */
    berth_status (*make)(answer_room *room, output *o, berth_error *error);
    berth_status (*write)(answer_room *room, FILE *out, berth_error *error); /* a whole document */
    const char *type;                                                        /* NULL: JSON */
} answerer;

static const answerer answerers[] = {
    {"/v1/fits", BY_POST, "fits", 2, answer_fits, NULL, NULL},
    {"/v1/capacity", BY_POST, "capacity", 4, answer_capacity, NULL, NULL},
    {"/v1/drain", BY_GET, "drain", 4, answer_drain, NULL, NULL},
    {"/v1/explain", BY_GET, "explain", 3, answer_explain, NULL, NULL},
    {"/v1/grow", BY_BOTH, "grow", 0, NULL, answer_grow, NULL},
    {"/v1/report", BY_GET, "report", 0, NULL, answer_report, NULL},
    {"/", BY_GET, "page", 0, NULL, answer_page, "text/html; charset=utf-8"},
    {"/v1/changes", BY_GET, "changes", 0, NULL, NULL, NULL}, /* answered in asking.c */
    {"/openapi.json", BY_GET, "openapi", 0, NULL, NULL, NULL},
};

static const answerer *find(const char *path)
{
    for (size_t i = 0; i < sizeof(answerers) / sizeof(answerers[0]); i++)
        if (strcmp(answerers[i].path, path) == 0)
            return &answerers[i];
    return NULL;
}

const char *answers_name(const char *path)
{
    const answerer *found = find(path);
    return found != NULL ? found->name : "other";
}

/* ---- refusals ---- */

typedef struct refusal {
    unsigned status;
    const char *reason;
} refusal;

static refusal refusal_of(berth_status status)
{
    switch (status) {
    case BERTH_E_NOT_FOUND:
        return (refusal){404, "NotFound"};
    case BERTH_E_EXISTS:
        return (refusal){409, "AlreadyExists"};
    case BERTH_E_CONFLICT:
        return (refusal){409, "Conflict"};
    case BERTH_E_ARG:
    case BERTH_E_PARSE:
        return (refusal){400, "BadRequest"};
    case BERTH_E_INVALID:
    case BERTH_E_RANGE:
    case BERTH_E_UNSUPPORTED:
        return (refusal){422, "Invalid"};
    case BERTH_E_STATE:
        return (refusal){503, "NotReady"};
    case BERTH_E_CANCELLED:
        return (refusal){504, "Timeout"};
    default:
        return (refusal){500, "InternalError"};
    }
}

debug_page answers_refuse(unsigned status, const char *reason, const char *message)
{
    debug_page page = {.status = status, .type = "application/json"};
    FILE *out = open_memstream(&page.text, &page.length);
    if (out == NULL)
        return page;
    output o;
    output_open(&o, out, OUTPUT_JSON, 2);
    output_object(&o);
    output_key(&o, "error");
    output_object(&o);
    output_pair_text(&o, "reason", reason);
    output_pair_text(&o, "message", message);
    output_object_end(&o);
    output_object_end(&o);
    output_close(&o);
    fclose(out);
    return page;
}

static debug_page refuse(const berth_error *error)
{
    char text[1024];
    const refusal how = refusal_of(error->code);
    berth_error_format(error, text, sizeof(text));
    return answers_refuse(how.status, how.reason, text);
}

/* ---- answers ---- */

static berth_status write_object(const answerer *how, answer_room *room, FILE *out,
                                 berth_error *error)
{
    output o;
    output_open(&o, out, OUTPUT_JSON, how->flat_depth);
    output_object(&o);
    output_schema(&o, how->name);
    TRY(how->make(room, &o, error));
    output_object_end(&o);
    output_close(&o);
    return BERTH_OK;
}

static debug_page make(const answerer *how, answer_room *room)
{
    berth_error error = {.code = BERTH_OK};
    debug_page page = {.status = 200, .type = how->type != NULL ? how->type : "application/json"};
    FILE *out = open_memstream(&page.text, &page.length);
    if (out == NULL)
        return (debug_page){.status = 500, .type = page.type};
    berth_status status =
        how->write != NULL ? how->write(room, out, &error) : write_object(how, room, out, &error);
    fclose(out);
    if (status == BERTH_OK)
        return page;
    free(page.text);
    error.code = status;
    return refuse(&error);
}

static debug_page about_cluster(const answerer *how, const answer_world *world,
                                const question *asked, berth_cancel_flag cancel)
{
    answer_room room;
    berth_error error = {.code = BERTH_OK};
    berth_status status = answer_room_open(&room, world, asked, cancel, &error);
    if (status == BERTH_OK)
        status = answer_room_time(&room, &error);
    error.code = status;
    const debug_page page = status == BERTH_OK ? make(how, &room) : refuse(&error);
    answer_room_close(&room);
    return page;
}

/* HEAD is as good as GET; 0: no question is asked like this. */
static asked_by by_of(const char *method)
{
    if (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0)
        return BY_GET;
    return strcmp(method, "POST") == 0 ? BY_POST : (asked_by)0;
}

debug_page answers_make(const answer_world *world, const question *asked, berth_cancel_flag cancel)
{
    const answerer *how = find(asked->path);
    if (how == NULL)
        return answers_refuse(404, "NotFound", "no such question; /openapi.json lists them");
    const asked_by by = by_of(asked->method);
    if ((by & how->by) == 0) {
        static const char *const words[] = {[BY_GET] = "GET", "POST", "GET or POST"};
        char text[64];
        snprintf(text, sizeof(text), "this question is asked by %s", words[how->by]);
        return answers_refuse(405, "MethodNotAllowed", text);
    }
    if (how->make == NULL && how->write == NULL) {
        debug_page page = {.status = 200, .type = "application/json"};
        page.length = strlen(openapi_document);
        page.text = heap_text(openapi_document, page.length);
        return page;
    }
    if (asked->is_too_long)
        return answers_refuse(413, "TooLarge", "the manifest is too long");
    if (by == BY_POST && asked->length == 0)
        return answers_refuse(400, "BadRequest", "there is no manifest in the request");
    return about_cluster(how, world, asked, cancel);
}
