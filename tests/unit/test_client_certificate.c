/* Whom a client's certificate names. The parts of the certificate are the test's, not GnuTLS's:
 * no tool makes one with a zero byte in a name, or with names at the limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gnutls/x509.h>

#include "live/serving/client_certificate.h"

enum { UTF8 = 12, PRINTABLE = 19, T61 = 20, IA5 = 22, BMP = 30 };
#define COMMON_NAME GNUTLS_OID_X520_COMMON_NAME
#define ORGANIZATION GNUTLS_OID_X520_ORGANIZATION_NAME

typedef struct part {
    const char *oid, *value;
    unsigned size; /* 0: that of the text */
    unsigned long tag;
} part;

static struct {
    unsigned chain;                    /* certificates that the client has shown */
    int verify, import, subject, init; /* what GnuTLS returns */
    unsigned problems;                 /* of the verification */
    const char *purposes[4];           /* ended by NULL */
    int purposes_end;                  /* what is returned after the last one */
    const part *parts;                 /* each in a name of its own, ended by a NULL oid */
    bool together;                     /* or all in one */
    bool terminated;                   /* OIDs have a zero byte at their end */
} shown;

static char places[4];
static const gnutls_session_t session = (void *)&places[0];
static int made; /* certificates that are not freed */

const gnutls_datum_t *__wrap_gnutls_certificate_get_peers(gnutls_session_t of, unsigned *count);
const gnutls_datum_t *__wrap_gnutls_certificate_get_peers(gnutls_session_t of, unsigned *count)
{
    static const gnutls_datum_t chain[2] = {{(unsigned char *)places, 1},
                                            {(unsigned char *)places + 1, 1}};
    assert_ptr_equal(of, session);
    *count = shown.chain;
    return shown.chain == 0 ? NULL : chain;
}

int __wrap_gnutls_certificate_verify_peers2(gnutls_session_t of, unsigned *problems);
int __wrap_gnutls_certificate_verify_peers2(gnutls_session_t of, unsigned *problems)
{
    assert_ptr_equal(of, session);
    *problems = shown.problems;
    return shown.verify;
}

int __wrap_gnutls_x509_crt_init(gnutls_x509_crt_t *out);
int __wrap_gnutls_x509_crt_init(gnutls_x509_crt_t *out)
{
    made += shown.init == 0;
    *out = (void *)&places[2];
    return shown.init;
}

void __wrap_gnutls_x509_crt_deinit(gnutls_x509_crt_t certificate);
void __wrap_gnutls_x509_crt_deinit(gnutls_x509_crt_t certificate)
{
    assert_ptr_equal(certificate, &places[2]);
    made--;
}

int __wrap_gnutls_x509_crt_import(gnutls_x509_crt_t certificate, const gnutls_datum_t *data,
                                  gnutls_x509_crt_fmt_t format);
int __wrap_gnutls_x509_crt_import(gnutls_x509_crt_t certificate, const gnutls_datum_t *data,
                                  gnutls_x509_crt_fmt_t format)
{
    assert_ptr_equal(certificate, &places[2]);
    assert_ptr_equal(data->data, places); /* the client's own is the first of the chain */
    assert_int_equal(format, GNUTLS_X509_FMT_DER);
    return shown.import;
}

int __wrap_gnutls_x509_crt_get_key_purpose_oid(gnutls_x509_crt_t certificate, unsigned at,
                                               void *out, size_t *size, unsigned *critical);
int __wrap_gnutls_x509_crt_get_key_purpose_oid(gnutls_x509_crt_t certificate, unsigned at,
                                               void *out, size_t *size, unsigned *critical)
{
    (void)certificate;
    (void)critical;
    if (shown.purposes[at] == NULL)
        return shown.purposes_end;
    assert_true(strlen(shown.purposes[at]) < *size);
    strcpy(out, shown.purposes[at]);
    return 0;
}

int __wrap_gnutls_x509_crt_get_subject(gnutls_x509_crt_t certificate, gnutls_x509_dn_t *out);
int __wrap_gnutls_x509_crt_get_subject(gnutls_x509_crt_t certificate, gnutls_x509_dn_t *out)
{
    (void)certificate;
    *out = (void *)&places[3];
    return shown.subject;
}

int __wrap_gnutls_x509_dn_get_rdn_ava(gnutls_x509_dn_t subject, int name, int at,
                                      gnutls_x509_ava_st *out);
int __wrap_gnutls_x509_dn_get_rdn_ava(gnutls_x509_dn_t subject, int name, int at,
                                      gnutls_x509_ava_st *out)
{
    static char value[CERTIFICATE_NAME_BYTES + 8], oid[64];
    /* neither ends with a zero byte, but an OID may contain it */
    const int which = shown.together ? at : name, other = shown.together ? name : at;
    assert_ptr_equal(subject, &places[3]);
    for (int i = 0; i <= which; i++)
        if (shown.parts[i].oid == NULL)
            return GNUTLS_E_ASN1_ELEMENT_NOT_FOUND;
    if (other > 0)
        return GNUTLS_E_ASN1_ELEMENT_NOT_FOUND;
    const part *one = &shown.parts[which];
    const size_t size = one->size > 0 ? one->size : strlen(one->value);
    const size_t oid_size = strlen(one->oid) + shown.terminated;
    memset(value, 'z', sizeof(value));
    memset(oid, 'z', sizeof(oid));
    assert_true(size <= sizeof(value));
    memcpy(value, one->value, size);
    memcpy(oid, one->oid, oid_size);
    *out = (gnutls_x509_ava_st){.oid = {(unsigned char *)oid, (unsigned)oid_size},
                                .value = {(unsigned char *)value, (unsigned)size},
                                .value_tag = one->tag};
    return 0;
}

/* ---- reading ---- */

static client_certificate out;

static int start(void **state)
{
    static const part jane[] = {{COMMON_NAME, "jane", 0, UTF8}, {NULL, NULL, 0, 0}};
    (void)state;
    memset(&shown, 0, sizeof(shown));
    shown.chain = 2;
    shown.purposes_end = GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE;
    shown.parts = jane;
    return 0;
}

/* Whether the certificate is good; nobody is named otherwise, and nobody is left of the last. */
static bool is_good(void)
{
    memset(&out, 'x', sizeof(out));
    const bool good = client_certificate_read(session, &out);
    assert_int_equal(made, 0);
    if (!good) {
        assert_string_equal(out.user, "");
        assert_int_equal(out.group_count, 0);
    }
    return good;
}

static void jane_is_named(void **state)
{
    (void)state;
    assert_true(is_good());
    assert_string_equal(out.user, "jane");
    assert_int_equal(out.group_count, 0);
    shown.chain = 1; /* without its signer */
    assert_true(is_good());
    assert_string_equal(out.user, "jane");
    shown.chain = 0;
    assert_true(is_good()); /* none is shown */
    assert_string_equal(out.user, "");
}

/* Each step must succeed, and the verification find nothing. */
static void what_is_not_valid(void **state)
{
    (void)state;
    shown.problems = GNUTLS_CERT_EXPIRED;
    assert_false(is_good());
    shown.problems = GNUTLS_CERT_INVALID | GNUTLS_CERT_SIGNER_NOT_FOUND;
    assert_false(is_good());
    shown.problems = 0;
    shown.verify = GNUTLS_E_NO_CERTIFICATE_FOUND;
    assert_false(is_good());
    shown.verify = 0;
    shown.init = GNUTLS_E_MEMORY_ERROR;
    assert_false(is_good());
    shown.init = 0;
    shown.import = -1;
    assert_false(is_good());
    shown.import = 0;
    shown.subject = -1;
    assert_false(is_good());
    shown.subject = 0;
    assert_true(is_good());
}

static void purposes(void **state)
{
    static const struct {
        const char *purposes[3];
        int end;
        bool good;
    } cases[] = {
        {{GNUTLS_KP_TLS_WWW_CLIENT}, GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE, true},
        {{GNUTLS_KP_ANY}, GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE, true},
        {{GNUTLS_KP_TLS_WWW_SERVER, GNUTLS_KP_TLS_WWW_CLIENT},
         GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE,
         true},
        {{GNUTLS_KP_TLS_WWW_SERVER}, GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE, false},
        {{GNUTLS_KP_TLS_WWW_SERVER, GNUTLS_KP_CODE_SIGNING},
         GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE,
         false},
        {{GNUTLS_KP_TLS_WWW_CLIENT "0"}, GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE, false},
        {{NULL}, GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE, true},
        {{NULL}, GNUTLS_E_SHORT_MEMORY_BUFFER, false}, /* a purpose that is not readable */
        {{NULL}, GNUTLS_E_ASN1_DER_ERROR, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memcpy(shown.purposes, cases[i].purposes, sizeof(cases[i].purposes));
        shown.purposes_end = cases[i].end;
        if (is_good() != cases[i].good)
            fail_msg("purpose %zu", i);
    }
}

/* The last common name counts; organizations are groups, in order; other parts are passed over. */
static void names(void **state)
{
    static const part parts[] = {{ORGANIZATION, "ops", 0, PRINTABLE},
                                 {COMMON_NAME, "first", 0, UTF8},
                                 {GNUTLS_OID_X520_COUNTRY_NAME, "DE", 0, PRINTABLE},
                                 {COMMON_NAME ".1", "longer", 0, UTF8},
                                 {"2.5.4", "shorter", 0, UTF8},
                                 {COMMON_NAME, "last", 0, IA5},
                                 {ORGANIZATION, "dev, \"x\"", 0, UTF8},
                                 {NULL, NULL, 0, 0}};
    (void)state;
    shown.parts = parts;
    for (int way = 0; way < 4; way++) {
        shown.together = way % 2 == 1;
        shown.terminated = way / 2 == 1;
        assert_true(is_good());
        assert_string_equal(out.user, "last");
        assert_int_equal(out.group_count, 2);
        assert_string_equal(out.groups[0], "ops");
        assert_string_equal(out.groups[1], "dev, \"x\"");
    }
    static const part nobody[] = {{ORGANIZATION, "system:masters", 0, UTF8}, {NULL, NULL, 0, 0}};
    shown.parts = nobody;
    assert_true(is_good());
    assert_string_equal(out.user, "");
    assert_int_equal(out.group_count, 0); /* groups of nobody are none */
}

/* A zero byte would cut a name short, and an encoding that is not ours would be another name. */
static void names_that_are_refused(void **state)
{
    static const struct {
        const char *value;
        unsigned size;
        unsigned long tag;
        bool good;
    } cases[] = {
        {"admin\0.evil", 11, UTF8, false},
        {"\0admin", 6, UTF8, false},
        {"admin\0", 6, UTF8, false},
        {"name", 4, PRINTABLE, true},
        {"name", 4, IA5, true},
        {"name", 4, UTF8, true},
        {"name", 4, T61, false},
        {"name", 4, BMP, false},
        {"name", 4, 18, false},
        {"name", 4, 13, false},
        {"name", 4, 11, false},
        {"name", 4, 21, false},
        {"name", 4, 23, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int group = 0; group < 2; group++) {
            const part parts[] = {
                {COMMON_NAME, "jane", 0, UTF8},
                {group ? ORGANIZATION : COMMON_NAME, cases[i].value, cases[i].size, cases[i].tag},
                {NULL, NULL, 0, 0}};
            shown.parts = parts;
            if (is_good() != cases[i].good)
                fail_msg("name %zu", i);
        }
}

static void names_at_the_limit(void **state)
{
    static char name[CERTIFICATE_NAME_BYTES + 2];
    (void)state;
    memset(name, 'n', CERTIFICATE_NAME_BYTES + 1);
    for (unsigned more = 0; more < 3; more++)
        for (int group = 0; group < 2; group++) {
            const part parts[] = {
                {COMMON_NAME, "jane", 0, UTF8},
                {group ? ORGANIZATION : COMMON_NAME, name, CERTIFICATE_NAME_BYTES - 1 + more, UTF8},
                {NULL, NULL, 0, 0}};
            shown.parts = parts;
            assert_int_equal(is_good(), more == 0);
            if (more == 0)
                assert_int_equal(strlen(group ? out.groups[0] : out.user),
                                 CERTIFICATE_NAME_BYTES - 1);
        }
}

static void groups_at_the_limit(void **state)
{
    static part parts[CERTIFICATE_GROUPS_MAX + 3];
    (void)state;
    shown.parts = parts;
    parts[0] = (part){COMMON_NAME, "jane", 0, UTF8};
    for (int i = 1; i <= CERTIFICATE_GROUPS_MAX + 1; i++) {
        parts[i] = (part){ORGANIZATION, "group", 0, UTF8};
        assert_int_equal(is_good(), i <= CERTIFICATE_GROUPS_MAX);
        if (i <= CERTIFICATE_GROUPS_MAX)
            assert_int_equal(out.group_count, i);
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, start)
    const struct CMUnitTest tests[] = {
        T(jane_is_named),
        T(what_is_not_valid),
        T(purposes),
        T(names),
        T(names_that_are_refused),
        T(names_at_the_limit),
        T(groups_at_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
