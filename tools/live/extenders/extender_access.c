/* Source: kube-scheduler v1.37, extender.go, makeTransport; client-go v1.37, TLSConfigFor. */
#include "live/extenders/extender_access.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "live/credentials/kubeconfig.h"

/* Keep a text; NULL for an empty one. */
static const char *keep(extender_access *access, berth_str text)
{
    if (text.len == 0)
        return NULL;
    char *own = heap_text(text.data, text.len);
    access->texts[access->text_count++] = own;
    return own;
}

static berth_status keep_data(extender_access *access, berth_str base64, const char *field,
                              berth_str *out, berth_error *error)
{
    if (base64.len == 0)
        return BERTH_OK;
    char *text = heap_text(base64.data, base64.len);
    char *decoded = heap_new(base64.len, 1);
    const long length = base64_decode(text, decoded);
    free(text);
    access->texts[access->text_count++] = decoded;
    if (length < 0)
        return error_set(error, BERTH_E_INVALID, "extenders", "tlsConfig.%s is not base64", field);
    *out = (berth_str){decoded, (uint32_t)length};
    return BERTH_OK;
}

berth_status extender_access_make(extender_access *access, const berth_extender_config *config,
                                  berth_error *error)
{
    server_access *server = &access->server;
    *access = (extender_access){.text_count = 0};
    server->server = keep(access, config->url_prefix);
    server->tls_server_name = keep(access, config->tls.server_name);
    server->ca_file = keep(access, config->tls.ca_file);
    server->certificate_file = keep(access, config->tls.certificate_file);
    server->key_file = keep(access, config->tls.key_file);
    TRY(keep_data(access, config->tls.ca_base64, "caData", &server->ca_data, error));
    TRY(keep_data(access, config->tls.certificate_base64, "certData", &server->certificate_data,
                  error));
    TRY(keep_data(access, config->tls.key_base64, "keyData", &server->key_data, error));
    const bool has_ca = server->ca_file != NULL || server->ca_data.len > 0;
    if (has_ca && config->tls.insecure)
        return error_set(error, BERTH_E_INVALID, "extenders",
                         "tlsConfig names a CA, and is insecure: one of them is too many");
    server->insecure = config->tls.insecure || (config->enable_https && !has_ca);
    return BERTH_OK;
}

void extender_access_free(extender_access *access)
{
    for (unsigned i = 0; i < access->text_count; i++)
        free(access->texts[i]);
    access->text_count = 0;
}

static const server_access *get(void *self)
{
    return &((extender_access *)self)->server;
}

static access_state authorize(void *self, const char **bearer, const char **why)
{
    (void)self;
    (void)why;
    *bearer = NULL;
    return ACCESS_READY;
}

static bool refused(void *self)
{
    (void)self;
    return false;
}

const access_ops extender_access_ops = {get, authorize, refused};
