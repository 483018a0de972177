/* How an extender's identity is verified, from its configuration: certificates are not verified
 * only where it says so, or asks for TLS without naming a CA. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "live/extenders/extender_access.h"

static extender_access access_made;
static const server_access *const server = &access_made.server;
static berth_error error;

static berth_status make(const berth_extender_config *config)
{
    extender_access_free(&access_made);
    memset(&error, 0, sizeof(error));
    return extender_access_make(&access_made, config, &error);
}

static int stop(void **state)
{
    (void)state;
    extender_access_free(&access_made);
    assert_int_equal(access_made.text_count, 0);
    extender_access_free(&access_made); /* again: nothing is left */
    return 0;
}

static void is_data(berth_str data, const char *wanted)
{
    assert_int_equal(data.len, strlen(wanted));
    assert_memory_equal(data.data, wanted, data.len);
}

static void texts_are_copies(void **state)
{
    char prefix[] = "https://x/y!", name[] = "n!", ca[] = "/ca!", certificate[] = "/c!",
         key[] = "/k!";
    (void)state;
    assert_int_equal(make(&(berth_extender_config){
                         .url_prefix = {prefix, sizeof(prefix) - 2},
                         .tls = {.server_name = {name, sizeof(name) - 2},
                                 .ca_file = {ca, sizeof(ca) - 2},
                                 .certificate_file = {certificate, sizeof(certificate) - 2},
                                 .key_file = {key, sizeof(key) - 2}}}),
                     BERTH_OK);
    prefix[0] = name[0] = ca[0] = certificate[0] = key[0] = '?';
    assert_string_equal(server->server, "https://x/y");
    assert_string_equal(server->tls_server_name, "n");
    assert_string_equal(server->ca_file, "/ca");
    assert_string_equal(server->certificate_file, "/c");
    assert_string_equal(server->key_file, "/k");
    assert_null(server->ca_data.data);
    assert_null(server->certificate_data.data);
    assert_null(server->key_data.data);
    assert_false(server->insecure);
}

static void data_is_decoded(void **state)
{
    (void)state;
    assert_int_equal(
        make(&(berth_extender_config){.url_prefix = BERTH_STR("https://x"),
                                      .tls = {.ca_base64 = BERTH_STR("YXV0aG9yaXR5"),
                                              .certificate_base64 = {"Y2VydGlmaWNhdGU=!", 16},
                                              .key_base64 = {"a2V5!", 4}}}),
        BERTH_OK);
    is_data(server->ca_data, "authority");
    is_data(server->certificate_data, "certificate");
    is_data(server->key_data, "key");
    assert_null(server->tls_server_name);
    assert_null(server->ca_file);
    assert_null(server->certificate_file);
    assert_null(server->key_file);
}

static void wrong_data_is_named(void **state)
{
    static const struct {
        berth_extender_config config;
        const char *message;
    } cases[] = {
        {{.tls = {.ca_base64 = {"YQ=", 3}}}, "tlsConfig.caData is not base64"},
        {{.tls = {.certificate_base64 = {"Y?==", 4}}}, "tlsConfig.certData is not base64"},
        {{.tls = {.key_base64 = {"Y", 1}}}, "tlsConfig.keyData is not base64"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(make(&cases[i].config), BERTH_E_INVALID);
        assert_string_equal(error.message, cases[i].message);
        assert_string_equal(error.source, "extenders");
    }
}

/* Without a CA, enableHTTPS means TLS that verifies nothing, as in kube-scheduler; a CA, in a file
 * or as data, ends that. */
static void what_is_verified(void **state)
{
    static const struct {
        bool enable_https, insecure;
        const char *ca_file, *ca_base64;
        bool refused, unverified;
    } cases[] = {
        {false, false, "", "", false, false},    {true, false, "", "", false, true},
        {false, true, "", "", false, true},      {true, true, "", "", false, true},
        {true, false, "/ca", "", false, false},  {true, false, "", "YQ==", false, false},
        {false, false, "/ca", "", false, false}, {false, false, "", "YQ==", false, false},
        {false, true, "/ca", "", true, false},   {false, true, "", "YQ==", true, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *file = cases[i].ca_file, *data = cases[i].ca_base64;
        const berth_extender_config config = {.enable_https = cases[i].enable_https,
                                              .tls = {.insecure = cases[i].insecure,
                                                      .ca_file = {file, (uint32_t)strlen(file)},
                                                      .ca_base64 = {data, (uint32_t)strlen(data)}}};
        assert_int_equal(make(&config), cases[i].refused ? BERTH_E_INVALID : BERTH_OK);
        assert_int_equal(server->insecure, cases[i].unverified);
    }
}

/* An extender gets no token, and a refusal is final. */
static void no_token_is_shown(void **state)
{
    const char *bearer = "of the API server", *why = NULL;
    (void)state;
    assert_int_equal(make(&(berth_extender_config){.url_prefix = BERTH_STR("http://x")}), BERTH_OK);
    assert_ptr_equal(extender_access_ops.access(&access_made), server);
    assert_int_equal(extender_access_ops.authorize(&access_made, &bearer, &why), ACCESS_READY);
    assert_null(bearer);
    assert_false(extender_access_ops.refused(&access_made));
}

int main(void)
{
#define T(name) cmocka_unit_test_teardown(name, stop)
    const struct CMUnitTest tests[] = {
        T(texts_are_copies), T(data_is_decoded),   T(wrong_data_is_named),
        T(what_is_verified), T(no_token_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
