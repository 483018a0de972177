/* The certificate of a server that was given none: what it says, for whom it is valid and how long,
 * and that each failure of the library that makes it is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <gnutls/crypto.h>
#include <gnutls/x509.h>

#include "berth/status.h"
#include "live/serving/self_signed.h"

/* ---- a library that fails ---- */

static unsigned calls, fails_at; /* the call that fails; 0: none */

static bool fails(void)
{
    return ++calls == fails_at;
}

/* Give a function of GnuTLS to the test, which lets one call fail. */
#define GIVE(name, parameters, arguments)                                 \
    int __real_##name parameters;                                         \
    int __wrap_##name parameters;                                         \
    int __wrap_##name parameters                                          \
    {                                                                     \
        return fails() ? GNUTLS_E_MEMORY_ERROR : __real_##name arguments; \
    }

GIVE(gnutls_x509_crt_init, (gnutls_x509_crt_t * out), (out))
GIVE(gnutls_x509_privkey_init, (gnutls_x509_privkey_t * out), (out))
GIVE(gnutls_rnd, (gnutls_rnd_level_t level, void *bytes, size_t count), (level, bytes, count))
GIVE(gnutls_x509_privkey_generate,
     (gnutls_x509_privkey_t key, gnutls_pk_algorithm_t kind, unsigned bits, unsigned flags),
     (key, kind, bits, flags))
GIVE(gnutls_x509_crt_set_version, (gnutls_x509_crt_t c, unsigned version), (c, version))
GIVE(gnutls_x509_crt_set_serial, (gnutls_x509_crt_t c, const void *bytes, size_t count),
     (c, bytes, count))
GIVE(gnutls_x509_crt_set_activation_time, (gnutls_x509_crt_t c, time_t at), (c, at))
GIVE(gnutls_x509_crt_set_expiration_time, (gnutls_x509_crt_t c, time_t at), (c, at))
GIVE(gnutls_x509_crt_set_dn, (gnutls_x509_crt_t c, const char *name, const char **wrong),
     (c, name, wrong))
GIVE(gnutls_x509_crt_set_key, (gnutls_x509_crt_t c, gnutls_x509_privkey_t key), (c, key))
GIVE(gnutls_x509_crt_set_key_usage, (gnutls_x509_crt_t c, unsigned usage), (c, usage))
GIVE(gnutls_x509_crt_set_key_purpose_oid, (gnutls_x509_crt_t c, const void *oid, unsigned critical),
     (c, oid, critical))
GIVE(gnutls_x509_crt_set_subject_alt_name,
     (gnutls_x509_crt_t c, gnutls_x509_subject_alt_name_t kind, const void *name, unsigned bytes,
      unsigned flags),
     (c, kind, name, bytes, flags))
GIVE(gnutls_x509_crt_sign2,
     (gnutls_x509_crt_t c, gnutls_x509_crt_t issuer, gnutls_x509_privkey_t key,
      gnutls_digest_algorithm_t digest, unsigned flags),
     (c, issuer, key, digest, flags))
GIVE(gnutls_x509_crt_export2,
     (gnutls_x509_crt_t c, gnutls_x509_crt_fmt_t format, gnutls_datum_t *out), (c, format, out))
GIVE(gnutls_x509_privkey_export2,
     (gnutls_x509_privkey_t key, gnutls_x509_crt_fmt_t format, gnutls_datum_t *out),
     (key, format, out))

/* ---- what it says ---- */

typedef struct made {
    gnutls_x509_crt_t certificate;
    char *text, *key;
} made;

static made make(const char *host)
{
    made m = {0};
    berth_error error;
    assert_int_equal(self_signed_make(host, &m.text, &m.key, &error), BERTH_OK);
    const gnutls_datum_t pem = {(unsigned char *)m.text, (unsigned)strlen(m.text)};
    assert_true(__real_gnutls_x509_crt_init(&m.certificate) >= 0);
    assert_true(gnutls_x509_crt_import(m.certificate, &pem, GNUTLS_X509_FMT_PEM) >= 0);
    return m;
}

static void release(made *m)
{
    gnutls_x509_crt_deinit(m->certificate);
    free(m->text);
    free(m->key);
}

static int start(void **state)
{
    (void)state;
    calls = fails_at = 0;
    return 0;
}

/* It is valid for the host, by name or by address, for localhost, and for nobody else. */
static void names(void **state)
{
    static const char *const hosts[] = {"scheduler.example", "10.1.2.3", "fd00::1"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        made m = make(hosts[i]);
        for (size_t other = 0; other < 3; other++)
            assert_int_equal(gnutls_x509_crt_check_hostname(m.certificate, hosts[other]) != 0,
                             other == i);
        assert_true(gnutls_x509_crt_check_hostname(m.certificate, "localhost"));
        assert_true(gnutls_x509_crt_check_hostname(m.certificate, "127.0.0.1"));
        assert_true(gnutls_x509_crt_check_hostname(m.certificate, "::1"));
        unsigned char name[64];
        size_t bytes = sizeof(name);
        assert_int_equal(gnutls_x509_crt_get_subject_alt_name(m.certificate, 4, name, &bytes, NULL),
                         GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE);
        release(&m);
    }
    made m = make("");
    unsigned char name[64];
    size_t bytes = sizeof(name);
    assert_true(gnutls_x509_crt_get_subject_alt_name(m.certificate, 2, name, &bytes, NULL) >= 0);
    bytes = sizeof(name);
    assert_int_equal(gnutls_x509_crt_get_subject_alt_name(m.certificate, 3, name, &bytes, NULL),
                     GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE);
    release(&m);
}

static void purpose_and_time(void **state)
{
    const time_t day = 86400, before = time(NULL);
    unsigned usage = 0;
    char oid[64];
    size_t bytes = sizeof(oid);
    (void)state;
    made m = make("h");
    assert_true(gnutls_x509_crt_get_key_usage(m.certificate, &usage, NULL) >= 0);
    assert_int_equal(usage, GNUTLS_KEY_DIGITAL_SIGNATURE);
    assert_true(gnutls_x509_crt_get_key_purpose_oid(m.certificate, 0, oid, &bytes, NULL) >= 0);
    assert_string_equal(oid, GNUTLS_KP_TLS_WWW_SERVER);
    assert_int_equal(gnutls_x509_crt_get_version(m.certificate), 3);
    assert_int_equal(gnutls_x509_crt_get_ca_status(m.certificate, NULL),
                     GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE); /* it signs no others */
    const time_t from = gnutls_x509_crt_get_activation_time(m.certificate);
    const time_t to = gnutls_x509_crt_get_expiration_time(m.certificate);
    assert_in_range(from, before - day, time(NULL) - day);
    assert_in_range(to, before + 365 * day, time(NULL) + 365 * day);
    release(&m);
}

/* Each one has a key and a serial number of its own, and the serial is positive. */
static void each_differs(void **state)
{
    unsigned char serials[2][32] = {{0}};
    size_t bytes[2] = {32, 32};
    (void)state;
    made first = make("h"), second = make("h");
    assert_true(gnutls_x509_crt_get_serial(first.certificate, serials[0], &bytes[0]) >= 0);
    assert_true(gnutls_x509_crt_get_serial(second.certificate, serials[1], &bytes[1]) >= 0);
    assert_memory_not_equal(serials[0], serials[1], 16);
    assert_int_equal(bytes[0], 16);
    assert_int_equal(serials[0][0] & 0x80, 0);
    assert_string_not_equal(first.key, second.key);
    release(&first);
    release(&second);
}

/* Whichever call fails, nothing is made, nothing is left behind, and the error says why. A host
 * that cannot be added is tried as an address of either kind, and as a name. */
static void failures(void **state)
{
    static const char *const hosts[] = {"h", "10.1.2.3", "fd00::1"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        fails_at = 0;
        calls = 0;
        made m = make(hosts[i]);
        release(&m);
        const unsigned all = calls;
        assert_true(all >= 18);
        for (unsigned at = 1; at <= all; at++) {
            char *certificate = NULL, *key = NULL;
            char text[400];
            berth_error error;
            calls = 0;
            fails_at = at;
            const berth_status status = self_signed_make(hosts[i], &certificate, &key, &error);
            if (status == BERTH_OK) { /* only if the host could be added another way */
                assert_int_not_equal(i, 0);
                free(certificate);
                free(key);
                continue;
            }
            assert_int_equal(status, BERTH_E_INTERNAL);
            assert_null(certificate);
            assert_null(key);
            berth_error_format(&error, text, sizeof(text));
            assert_non_null(strstr(text, "a certificate can't be made: "));
            assert_non_null(strstr(text, gnutls_strerror(GNUTLS_E_MEMORY_ERROR)));
        }
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, start)
    const struct CMUnitTest tests[] = {
        T(names),
        T(purpose_and_time),
        T(each_differs),
        T(failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
