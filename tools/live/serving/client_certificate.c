#include "live/serving/client_certificate.h"

#include <gnutls/x509.h>
#include <string.h>

/* Whether the certificate is for clients: it says so, or for any purpose. kube-scheduler requires
 * the same. */
static bool is_for_clients(gnutls_x509_crt_t certificate)
{
    char purpose[128];
    for (unsigned i = 0;; i++) {
        size_t size = sizeof(purpose);
        int code = gnutls_x509_crt_get_key_purpose_oid(certificate, i, purpose, &size, NULL);
        if (code < 0)
            return false;
        if (strcmp(purpose, GNUTLS_KP_TLS_WWW_CLIENT) == 0 || strcmp(purpose, GNUTLS_KP_ANY) == 0)
            return true;
    }
}

/* Returns false at the end of the names, or if one is too long. */
static bool read_name(gnutls_x509_crt_t certificate, const char *oid, unsigned index,
                      char out[CERTIFICATE_NAME_BYTES], bool *too_long)
{
    size_t size = CERTIFICATE_NAME_BYTES;
    int code = gnutls_x509_crt_get_dn_by_oid(certificate, oid, index, 0, out, &size);
    *too_long = code == GNUTLS_E_SHORT_MEMORY_BUFFER;
    return code >= 0;
}

static bool read_names(gnutls_x509_crt_t certificate, client_certificate *out)
{
    bool too_long;
    if (!read_name(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, out->user, &too_long) ||
        out->user[0] == '\0')
        return false;
    while (out->group_count < CERTIFICATE_GROUPS_MAX &&
           read_name(certificate, GNUTLS_OID_X520_ORGANIZATION_NAME, out->group_count,
                     out->groups[out->group_count], &too_long))
        out->group_count++;
    char more[CERTIFICATE_NAME_BYTES];
    return !too_long && !read_name(certificate, GNUTLS_OID_X520_ORGANIZATION_NAME, out->group_count,
                                   more, &too_long);
}

bool client_certificate_read(gnutls_session_t session, client_certificate *out)
{
    unsigned count = 0, problems = 0;
    gnutls_x509_crt_t certificate;
    memset(out, 0, sizeof(*out));
    const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &count);
    if (chain == NULL || count == 0)
        return true;
    if (gnutls_certificate_verify_peers2(session, &problems) < 0 || problems != 0 ||
        gnutls_x509_crt_init(&certificate) < 0)
        return false;
    const bool good = gnutls_x509_crt_import(certificate, &chain[0], GNUTLS_X509_FMT_DER) >= 0 &&
                      is_for_clients(certificate) && read_names(certificate, out);
    gnutls_x509_crt_deinit(certificate);
    if (!good)
        memset(out, 0, sizeof(*out));
    return good;
}
