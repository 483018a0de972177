#include "live/serving/permission.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/heap.h"
enum { VERB_BYTES = 16 };

/* The token of "Authorization: Bearer TOKEN", on the heap; NULL: none. As in kube-scheduler, text
 * after a second space is ignored. */
static char *token_of(struct MHD_Connection *connection)
{
    static const char scheme[] = "Bearer ", space[] = " \t";
    const char *value =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);
    if (value == NULL)
        return NULL;
    value += strspn(value, space);
    if (strncasecmp(value, scheme, strlen(scheme)) != 0)
        return NULL;
    value += strlen(scheme);
    const size_t length = strcspn(value, space);
    return length > 0 ? heap_text(value, length) : NULL;
}

/* Read the certificate that the client has sent; `out->user` is "" if it has sent none. Returns
 * false if the certificate is not valid. */
static bool read_certificate(struct MHD_Connection *connection, client_certificate *out)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    out->user[0] = '\0';
    out->group_count = 0;
    return info == NULL || info->tls_session == NULL ||
           client_certificate_read(info->tls_session, out);
}

void permission_settle(permission *a, unsigned status, const char *message)
{
    a->status = status;
    a->message = heap_text(message, strlen(message));
    MHD_resume_connection(a->connection); /* PERMISSION-1 */
}

static void refuse(permission *a, unsigned status, const char *message)
{
    a->status = status;
    a->message = heap_text(message, strlen(message));
}

static void lower(const char *method, char verb[VERB_BYTES])
{
    size_t i = 0;
    for (; method[i] != '\0' && i + 1 < VERB_BYTES; i++)
        verb[i] = (char)tolower((unsigned char)method[i]);
    verb[i] = '\0';
}

/* Ask whether the client may have the page; its request is suspended until then. */
static permission_state ask(permission *a, const permission_rule *rule, const char *token,
                            const char *method, const char *path)
{
    client_certificate certificate;
    char verb[VERB_BYTES];
    serving_client client = {.token = token, .verb = verb, .path = path};
    /* As in kube-scheduler, a token may stand in for a certificate that is not valid. */
    const bool valid = read_certificate(a->connection, &certificate);
    if (!valid && client.token == NULL) {
        refuse(a, MHD_HTTP_UNAUTHORIZED, "Unauthorized");
        return PERMISSION_REFUSED;
    }
    if (valid && certificate.user[0] != '\0') {
        client.user = certificate.user;
        for (unsigned i = 0; i < certificate.group_count; i++)
            client.groups[i] = certificate.groups[i];
    }
    lower(method, verb);
    MHD_suspend_connection(a->connection);
    rule->ask(rule->context, &client, a);
    return PERMISSION_WAITS;
}

permission_state permission_of(permission *a, const permission_rule *rule,
                               struct MHD_Connection *connection, const char *method,
                               const char *path)
{
    if (rule->is_open == NULL || rule->is_open(rule->context, path))
        return PERMISSION_GIVEN;
    if (a->asked)
        return a->status == MHD_HTTP_OK ? PERMISSION_GIVEN : PERMISSION_REFUSED;
    a->asked = true;
    a->connection = connection;
    char *token = token_of(connection);
    const permission_state state = ask(a, rule, token, method, path);
    free(token);
    return state;
}

debug_page permission_page(const permission *a)
{
    const bool forbidden = a->status == MHD_HTTP_FORBIDDEN;
    debug_page page = {a->status, "text/plain; charset=utf-8", NULL, 0};
    if (forbidden || a->status == MHD_HTTP_UNAUTHORIZED) {
        json_t *status = json_pack("{s:s, s:s, s:{}, s:s, s:s, s:s}", "kind", "Status",
                                   "apiVersion", "v1", "metadata", "status", "Failure", "message",
                                   a->message, "reason", forbidden ? "Forbidden" : "Unauthorized");
        if (forbidden)
            json_object_set_new(status, "details", json_object());
        json_object_set_new(status, "code", json_integer(a->status));
        page.type = "application/json";
        page.text = json_dumps(status, JSON_INDENT(2));
        json_decref(status);
    }
    if (page.text == NULL) {
        page.type = "text/plain; charset=utf-8";
        page.text = heap_text(a->message, strlen(a->message));
    }
    page.length = strlen(page.text);
    return page;
}

void permission_free(permission *a)
{
    free(a->message);
    a->message = NULL;
}
