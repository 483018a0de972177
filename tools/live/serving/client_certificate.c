#include "live/serving/client_certificate.h"

#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

/* Whether the certificate is for clients: it names this purpose, any purpose, or none. Go's
 * verification, which kube-scheduler uses, accepts the same certificates. */
static bool is_for_clients(gnutls_x509_crt_t certificate)
{
    for (unsigned i = 0;; i++) {
        char purpose[128];
        size_t size = sizeof(purpose);
        const int code = gnutls_x509_crt_get_key_purpose_oid(certificate, i, purpose, &size, NULL);
        if (code < 0)
            return i == 0 && code == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE;
        if (strcmp(purpose, GNUTLS_KP_TLS_WWW_CLIENT) == 0 || strcmp(purpose, GNUTLS_KP_ANY) == 0)
            return true;
    }
}

/* Copy a part of the subject as it is, without the escapes of its textual form. False: it is too
 * long, has a zero byte, or is neither UTF-8 nor a subset of it. */
static bool copy_value(const gnutls_x509_ava_st *part, char out[CERTIFICATE_NAME_BYTES])
{
    enum { UTF8 = 12, PRINTABLE = 19, IA5 = 22 };
    const unsigned size = part->value.size;
    if (size >= CERTIFICATE_NAME_BYTES || memchr(part->value.data, '\0', size) != NULL ||
        (part->value_tag != UTF8 && part->value_tag != PRINTABLE && part->value_tag != IA5))
        return false;
    memcpy(out, part->value.data, size);
    out[size] = '\0';
    return true;
}

static bool is_oid(const gnutls_x509_ava_st *part, const char *oid)
{
    return part->oid.size >= strlen(oid) && memcmp(part->oid.data, oid, strlen(oid)) == 0 &&
           (part->oid.size == strlen(oid) || part->oid.data[strlen(oid)] == '\0');
}

/* The last common name counts, as in Go. */
static bool take_part(const gnutls_x509_ava_st *part, client_certificate *out)
{
    if (is_oid(part, GNUTLS_OID_X520_COMMON_NAME))
        return copy_value(part, out->user);
    if (!is_oid(part, GNUTLS_OID_X520_ORGANIZATION_NAME))
        return true;
    return out->group_count < CERTIFICATE_GROUPS_MAX &&
           copy_value(part, out->groups[out->group_count++]);
}

static bool read_names(gnutls_x509_crt_t certificate, client_certificate *out)
{
    gnutls_x509_dn_t subject; /* a part of the certificate */
    gnutls_x509_ava_st part;
    if (gnutls_x509_crt_get_subject(certificate, &subject) < 0)
        return false;
    for (int i = 0; gnutls_x509_dn_get_rdn_ava(subject, i, 0, &part) >= 0; i++)
        for (int j = 0; gnutls_x509_dn_get_rdn_ava(subject, i, j, &part) >= 0; j++)
            if (!take_part(&part, out))
                return false;
    return true;
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
    if (!good || out->user[0] == '\0')
        memset(out, 0, sizeof(*out));
    return good;
}

bool client_authority_good(const char *pem)
{
    gnutls_certificate_credentials_t credentials;
    if (gnutls_certificate_allocate_credentials(&credentials) < 0)
        return false;
    char *copy = heap_text(pem, strlen(pem)); /* the type of a datum is not const */
    const gnutls_datum_t text = {(unsigned char *)copy, (unsigned)strlen(copy)};
    const int count =
        gnutls_certificate_set_x509_trust_mem(credentials, &text, GNUTLS_X509_FMT_PEM);
    gnutls_certificate_free_credentials(credentials);
    free(copy);
    return count > 0;
}
