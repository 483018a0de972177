/* Made by GnuTLS, the library that serves TLS here. */
#include "live/serving/self_signed.h"

#include <arpa/inet.h>
#include <gnutls/crypto.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/exits.h"
#include "cli/heap.h"

enum { DAY_S = 86400, VALID_DAYS = 365, SERIAL_BYTES = 16 };

static int add_address(gnutls_x509_crt_t certificate, int family, const char *text)
{
    unsigned char bytes[sizeof(struct in6_addr)];
    if (inet_pton(family, text, bytes) != 1)
        return GNUTLS_E_INVALID_REQUEST;
    return gnutls_x509_crt_set_subject_alt_name(
        certificate, GNUTLS_SAN_IPADDRESS, bytes,
        family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr), GNUTLS_FSAN_APPEND);
}

static int add_name(gnutls_x509_crt_t certificate, const char *name)
{
    return gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_DNSNAME, name,
                                                (unsigned)strlen(name), GNUTLS_FSAN_APPEND);
}

static int add_names(gnutls_x509_crt_t certificate, const char *host)
{
    int code = add_name(certificate, "localhost");
    if (code >= 0)
        code = add_address(certificate, AF_INET, "127.0.0.1");
    if (code >= 0)
        code = add_address(certificate, AF_INET6, "::1");
    if (code >= 0 && host[0] != '\0' && add_address(certificate, AF_INET, host) < 0 &&
        add_address(certificate, AF_INET6, host) < 0)
        code = add_name(certificate, host);
    return code;
}

static int fill(gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, const char *host)
{
    unsigned char serial[SERIAL_BYTES];
    time_t now = time(NULL);
    int code = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof(serial));
    serial[0] = (serial[0] & 0x7f) | 1; /* positive */
    if (code >= 0)
        code = gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA,
                                            GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
    if (code >= 0)
        code = gnutls_x509_crt_set_version(certificate, 3);
    if (code >= 0)
        code = gnutls_x509_crt_set_serial(certificate, serial, sizeof(serial));
    if (code >= 0)
        code = gnutls_x509_crt_set_activation_time(certificate, now - DAY_S);
    if (code >= 0)
        code = gnutls_x509_crt_set_expiration_time(certificate, now + VALID_DAYS * DAY_S);
    if (code >= 0)
        code = gnutls_x509_crt_set_dn(certificate, "CN=berth", NULL);
    if (code >= 0)
        code = gnutls_x509_crt_set_key(certificate, key);
    if (code >= 0)
        code = gnutls_x509_crt_set_key_usage(certificate, GNUTLS_KEY_DIGITAL_SIGNATURE);
    if (code >= 0)
        code = gnutls_x509_crt_set_key_purpose_oid(certificate, GNUTLS_KP_TLS_WWW_SERVER, 0);
    if (code >= 0)
        code = add_names(certificate, host);
    if (code >= 0)
        code = gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0);
    return code;
}

static char *text_of(gnutls_datum_t *pem)
{
    char *text = heap_text((const char *)pem->data, pem->size);
    gnutls_free(pem->data);
    return text;
}

berth_status self_signed_make(const char *host, char **certificate, char **key, berth_error *error)
{
    gnutls_x509_crt_t made = NULL;
    gnutls_x509_privkey_t secret = NULL;
    gnutls_datum_t made_pem = {0}, secret_pem = {0};
    int code = gnutls_x509_crt_init(&made);
    if (code >= 0)
        code = gnutls_x509_privkey_init(&secret);
    if (code >= 0)
        code = fill(made, secret, host);
    if (code >= 0)
        code = gnutls_x509_crt_export2(made, GNUTLS_X509_FMT_PEM, &made_pem);
    if (code >= 0)
        code = gnutls_x509_privkey_export2(secret, GNUTLS_X509_FMT_PEM, &secret_pem);
    if (code >= 0) {
        *certificate = text_of(&made_pem);
        *key = text_of(&secret_pem);
    } else {
        gnutls_free(made_pem.data);
    }
    if (made != NULL)
        gnutls_x509_crt_deinit(made);
    if (secret != NULL)
        gnutls_x509_privkey_deinit(secret);
    return code >= 0 ? BERTH_OK
                     : error_set(error, BERTH_E_INTERNAL, NULL, "a certificate can't be made: %s",
                                 gnutls_strerror(code));
}
