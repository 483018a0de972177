/* kubeconfig files: every accepted form, every refused one, and the messages of refusals. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/credentials/exec_plugin.h"
#include "live/credentials/yaml_tree.h"

static kubeconfig config;
static berth_error error;

static berth_status read_text(const char *text)
{
    error = (berth_error){.code = BERTH_OK};
    return kubeconfig_read_text(&config, (berth_str){text, (uint32_t)strlen(text)}, "kc", "/etc/k",
                                NULL, &error);
}

/* A kubeconfig of one context; `cluster` and `user` in flow style. */
static const char *whole(const char *cluster, const char *user)
{
    static char text[4096];
    snprintf(text, sizeof(text),
             "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
             "contexts: [{name: other, context: {}}, {name: c, context: {cluster: k, user: u, "
             "namespace: kube-system}}]\n"
             "clusters:\n- name: k\n  cluster: {%s}\nusers:\n- name: u\n  user: {%s}\n",
             cluster, user);
    return text;
}

#define SERVER "server: 'https://10.0.0.1:6443'"

static void test_files_and_data(void **state)
{
    (void)state;
    assert_int_equal(read_text(whole(SERVER ", certificate-authority: ca.crt",
                                     "client-certificate: /abs/c.crt, client-key: c.key")),
                     BERTH_OK);
    assert_string_equal(config.access.server, "https://10.0.0.1:6443");
    assert_string_equal(config.access.ca_file, "/etc/k/ca.crt");
    assert_string_equal(config.access.certificate_file, "/abs/c.crt");
    assert_string_equal(config.access.key_file, "/etc/k/c.key");
    assert_string_equal(config.namespace_name, "kube-system");
    assert_null(config.token);
    kubeconfig_free(&config);
    assert_int_equal(
        read_text(whole(SERVER ", certificate-authority-data: UEVN, tls-server-name: api, "
                               "proxy-url: 'socks5://p:1'",
                        "client-certificate-data: QQ==, client-key-data: QkI=, token: t, "
                        "tokenFile: tok")),
        BERTH_OK);
    assert_memory_equal(config.access.ca_data.data, "PEM", 3);
    assert_int_equal(config.access.ca_data.len, 3);
    assert_int_equal(config.access.certificate_data.len, 1);
    assert_int_equal(config.access.key_data.len, 2);
    assert_string_equal(config.access.tls_server_name, "api");
    assert_string_equal(config.access.proxy, "socks5://p:1");
    assert_string_equal(config.token, "t");
    assert_string_equal(config.token_file, "/etc/k/tok");
    kubeconfig_free(&config);
    assert_int_equal(read_text(whole(SERVER ", insecure-skip-tls-verify: true", "")), BERTH_OK);
    assert_true(config.access.insecure);
    kubeconfig_free(&config);
}

static void test_json(void **state)
{
    (void)state;
    assert_int_equal(read_text("{\"kind\":\"Config\",\"current-context\":\"c\",\"contexts\":[{"
                               "\"name\":\"c\",\"context\":{\"cluster\":\"k\"}}],\"clusters\":[{"
                               "\"name\":\"k\",\"cluster\":{\"server\":\"http://h\"}}]}"),
                     BERTH_OK);
    assert_string_equal(config.access.server, "http://h");
    assert_string_equal(config.namespace_name, "default");
    kubeconfig_free(&config);
}

static void test_impersonation(void **state)
{
    (void)state;
    assert_int_equal(read_text(whole(SERVER, "as: jane, as-uid: '7', as-groups: [a, b], "
                                             "as-user-extra: {'x/y': [v, w]}")),
                     BERTH_OK);
    assert_int_equal(config.access.header_count, 6);
    assert_string_equal(config.access.headers[0], "Impersonate-User: jane");
    assert_string_equal(config.access.headers[1], "Impersonate-Uid: 7");
    assert_string_equal(config.access.headers[3], "Impersonate-Group: b");
    assert_string_equal(config.access.headers[4], "Impersonate-Extra-x%2Fy: v");
    kubeconfig_free(&config);
}

static void test_exec(void **state)
{
    (void)state;
    assert_int_equal(
        read_text(whole(
            SERVER ", certificate-authority-data: UEVN, extensions: [{name: "
                   "client.authentication.k8s.io/exec, extension: {a: b}}]",
            "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, args: [x, y], "
            "env: [{name: A, value: b}], interactiveMode: IfAvailable, provideClusterInfo: true, "
            "installHint: get it}")),
        BERTH_OK);
    assert_string_equal(config.exec.command, "/etc/k/./login");
    assert_string_equal(config.exec.arguments[0], "/etc/k/./login");
    assert_string_equal(config.exec.arguments[2], "y");
    assert_null(config.exec.arguments[3]);
    assert_string_equal(config.exec.environment[0], "A=b");
    assert_string_equal(config.exec.cluster_json,
                        "{\"server\":\"https://10.0.0.1:6443\","
                        "\"certificate-authority-data\":\"UEVN\",\"config\":{\"a\":\"b\"}}");
    kubeconfig_free(&config);
    assert_int_equal(read_text(whole(SERVER, "exec: {apiVersion: "
                                             "client.authentication.k8s.io/v1beta1, "
                                             "command: login}")),
                     BERTH_OK);
    assert_string_equal(config.exec.command, "login"); /* found by the path */
    assert_null(config.exec.cluster_json);
    kubeconfig_free(&config);
}

typedef struct refusal {
    const char *cluster, *user;
    berth_status status;
    const char *field;
} refusal;

#define EXEC "exec: {apiVersion: client.authentication.k8s.io/v1, command: c"

static void test_refusals(void **state)
{
    (void)state;
    static const refusal refusals[] = {
        {"", "", BERTH_E_INVALID, "server"},
        {"server: 'ftp://x'", "", BERTH_E_INVALID, "server"},
        {"server: 'https://'", "", BERTH_E_INVALID, "server"},
        {"server: 'https:/h'", "", BERTH_E_INVALID, "server"},
        {"server: 'http:/h'", "", BERTH_E_INVALID, "server"},
        {"server: 'http:///h'", "", BERTH_E_INVALID, "server"},
        {"server: 'https://u@h'", "", BERTH_E_INVALID, "server"},
        {"server: 'http://h'", "token: t", BERTH_E_INVALID, "server"},
        {SERVER ", proxy-url: 'gopher://x'", "", BERTH_E_INVALID, "proxy-url"},
        {SERVER ", certificate-authority: a, insecure-skip-tls-verify: true", "", BERTH_E_INVALID,
         "insecure-skip-tls-verify"},
        {SERVER ", certificate-authority-data: '!!!!'", "", BERTH_E_INVALID,
         "certificate-authority-data"},
        {SERVER ", certificate-authority-data: 'QQ'", "", BERTH_E_INVALID,
         "certificate-authority-data"},
        {SERVER, "client-certificate: a", BERTH_E_INVALID, "client-certificate"},
        {SERVER, "client-key-data: QQ==", BERTH_E_INVALID, "client-certificate"},
        {SERVER, "client-key-data: 'Q=Q='", BERTH_E_INVALID, "client-key-data"},
        {SERVER, "username: a", BERTH_E_UNSUPPORTED, "username"},
        {SERVER, "password: a", BERTH_E_UNSUPPORTED, "username"},
        {SERVER, "auth-provider: {name: gcp}", BERTH_E_UNSUPPORTED, "auth-provider"},
        {SERVER, "token: \"a\\nb\"", BERTH_E_INVALID, "token"},
        {SERVER, "exec: {command: c}", BERTH_E_UNSUPPORTED, "exec.apiVersion"},
        {SERVER, "exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: c}",
         BERTH_E_UNSUPPORTED, "exec.apiVersion"},
        {SERVER, "exec: {apiVersion: client.authentication.k8s.io/v1}", BERTH_E_INVALID,
         "exec.command"},
        {SERVER, EXEC ", interactiveMode: Always}", BERTH_E_UNSUPPORTED, "exec.interactiveMode"},
        {SERVER, EXEC ", args: [[]]}", BERTH_E_INVALID, "exec.args"},
        {SERVER, EXEC ", env: [{value: a}]}", BERTH_E_INVALID, "exec.env"},
        {SERVER, "as-groups: [a]", BERTH_E_INVALID, "as"},
        {SERVER, "as: a, as-groups: [\"b\\r\\nX: y\"]", BERTH_E_INVALID, "as"},
        {SERVER, "as: a, as-groups: [[]]", BERTH_E_INVALID, "as"},
        {SERVER, "as: a, as-user-extra: {k: [[]]}", BERTH_E_INVALID, "as"},
    };
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        const refusal *r = &refusals[i];
        berth_status status = read_text(whole(r->cluster, r->user));
        if (status != r->status || strcmp(error.field, r->field) != 0)
            fail_msg("%s | %s: %d, field %s", r->cluster, r->user, (int)status, error.field);
        assert_int_equal(error.code, status);
        assert_string_equal(error.source, "kc");
        assert_null(config.texts);
    }
}

static void test_contexts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *field;
    } wrong[] = {
        {"kind: Pod\n", "kind"},
        {"[]\n", "kind"},
        {"kind: Config\n", "current-context"},
        {"current-context: a\ncontexts: [{name: b, context: {}}]\n", "current-context"},
        {"current-context: a\ncontexts: [{name: a, context: {cluster: k}}]\n",
         "contexts.context.cluster"},
        {"current-context: a\ncontexts: [{name: a, context: {cluster: k, user: u}}]\n"
         "clusters: [{name: k, cluster: {}}]\n",
         "contexts.context.user"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(read_text(wrong[i].text), BERTH_E_INVALID);
        assert_string_equal(error.field, wrong[i].field);
    }
    assert_int_equal(read_text("a: [\n"), BERTH_E_PARSE);
    assert_int_equal(error.line, 2);
    assert_int_equal(read_text(""), BERTH_E_PARSE);
}

static void test_the_file_itself(void **state)
{
    (void)state;
    char path[] = "/tmp/berth-kubeconfig-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    const char *text = whole(SERVER, "tokenFile: tok");
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    assert_int_equal(kubeconfig_read_file(&config, path,
                                          &(kubeconfig_choice){.server = "https://else:1"}, &error),
                     BERTH_OK);
    assert_string_equal(config.access.server, "https://else:1");
    assert_string_equal(config.token_file, "/tmp/tok");
    kubeconfig_free(&config);
    unlink(path);
    assert_int_equal(kubeconfig_read_file(&config, path, NULL, &error), BERTH_E_IO);
    assert_string_equal(error.source, path);
}

/* Each of the 64 digits has its value, and no other byte has one. */
static void test_base64(void **state)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char out[8];
    (void)state;
    for (int byte = 1; byte < 256; byte++) {
        const char *digit = strchr(digits, byte);
        const char text[] = {'A', 'A', 'A', (char)byte, '\0'};
        if (byte == '=' || byte == '\n' || byte == '\r')
            continue;
        assert_int_equal(base64_decode(text, out), digit != NULL ? 3 : -1);
        if (digit != NULL)
            assert_int_equal(out[2], digit - digits);
    }
    assert_int_equal(base64_decode("/+\n9A\r\n", out), 3);
    assert_memory_equal(out, "\xff\xef\x40", 3);
    assert_int_equal(base64_decode("QUI=", out), 2);
    assert_memory_equal(out, "AB", 2);
    assert_int_equal(base64_decode("QQ==", out), 1);
    assert_int_equal(base64_decode("", out), 0);
    static const char *const wrong[] = {"Q", "QQ", "QQ=", "Q===", "====", "=QQQ", "QQ=Q", "QUI=Q"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(base64_decode(wrong[i], out), -1);
}

/* Files of up to a mebibyte are read, to their last byte; larger ones are not cut off. */
static void test_small_files(void **state)
{
    enum { MOST = 1 << 20 };
    char path[] = "/tmp/berth-small-XXXXXX";
    const int fd = mkstemp(path);
    size_t length = 0;
    (void)state;
    assert_true(fd >= 0);
    for (size_t more = 0; more < 2; more++) {
        assert_int_equal(ftruncate(fd, MOST - 1 + (off_t)more), 0);
        assert_int_equal(pwrite(fd, "x", 1, MOST - 2 + (off_t)more), 1);
        char *text = small_file_read(path, &length);
        assert_non_null(text);
        assert_int_equal(length, MOST - 1 + more);
        assert_int_equal(text[length - 1], 'x');
        assert_int_equal(text[length], '\0');
        free(text);
    }
    assert_int_equal(ftruncate(fd, MOST + 1), 0);
    errno = 0;
    assert_null(small_file_read(path, &length));
    assert_int_equal(errno, EFBIG);
    close(fd);
    assert_int_equal(unlink(path), 0);
    assert_null(small_file_read(path, &length));
    assert_int_equal(errno, ENOENT);
    assert_null(small_file_read("/", &length)); /* a folder */
    assert_int_equal(errno, EIO);
}

/* NULL: the variable is not set. */
static void set_service(const char *host, const char *port)
{
    unsetenv("KUBERNETES_SERVICE_HOST");
    unsetenv("KUBERNETES_SERVICE_PORT");
    if (host != NULL)
        setenv("KUBERNETES_SERVICE_HOST", host, 1);
    if (port != NULL)
        setenv("KUBERNETES_SERVICE_PORT", port, 1);
}

static void test_in_cluster(void **state)
{
    static const char *const none[][2] = {{NULL, "443"}, {"h", NULL}, {"", "443"}, {"h", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        set_service(none[i][0], none[i][1]);
        assert_int_equal(kubeconfig_in_cluster(&config, "/nowhere", &error), BERTH_E_NOT_FOUND);
    }
    set_service("fd00::1", "443");
    assert_int_equal(kubeconfig_in_cluster(&config, "/nowhere", &error), BERTH_E_IO);
    assert_string_equal(error.source, "/nowhere/token");
    char folder[] = "/tmp/berth-account-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/token", folder);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs("tok\n", file);
    fclose(file);
    assert_int_equal(kubeconfig_in_cluster(&config, folder, &error), BERTH_OK);
    assert_string_equal(config.access.server, "https://[fd00::1]:443");
    assert_string_equal(config.token_file, path);
    assert_string_equal(config.namespace_name, "default");
    kubeconfig_free(&config);
    unlink(path);
    rmdir(folder);
}

/* ---- YAML ---- */

static void test_yaml(void **state)
{
    (void)state;
    static const char text[] =
        "# a comment\nbase: &b {a: 1, t: true, n: null, s: 'true'}\nlist: [*b, &x two, *x]\n"
        "more: {<<: *b, a: 9}\nmany: {<<: [*b, {z: 2}]}\nblock: |\n  one\n  two\n";
    json_t *root = yaml_tree_read((berth_str){text, sizeof(text) - 1}, "y", &error);
    assert_non_null(root);
    char *out = json_dumps(root, JSON_COMPACT);
    assert_string_equal(
        out, "{\"base\":{\"a\":\"1\",\"t\":true,\"n\":null,\"s\":\"true\"},"
             "\"list\":[{\"a\":\"1\",\"t\":true,\"n\":null,\"s\":\"true\"},\"two\",\"two\"],"
             "\"more\":{\"a\":\"9\",\"t\":true,\"n\":null,\"s\":\"true\"},"
             "\"many\":{\"a\":\"1\",\"t\":true,\"n\":null,\"s\":\"true\",\"z\":\"2\"},"
             "\"block\":\"one\\ntwo\\n\"}");
    free(out);
    json_decref(root);
}

static void test_yaml_that_is_wrong(void **state)
{
    (void)state;
    static char deep[300];
    memset(deep, '[', 200);
    const char *const texts[] = {"a: *b\n",   "a: &a [*a]\n", "{[a]: b}\n",    "<<: 7\n",
                                 "a: b: c\n", deep,           "<<: [{}, 1]\n", "a: \"\\xff"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        error.code = BERTH_OK;
        if (yaml_tree_read((berth_str){texts[i], (uint32_t)strlen(texts[i])}, "y", &error) != NULL)
            fail_msg("taken: %s", texts[i]);
        assert_int_equal(error.code, BERTH_E_PARSE);
        assert_true(error.line > 0);
    }
}

static json_t *read_yaml(const char *text)
{
    error.code = BERTH_OK;
    return yaml_tree_read((berth_str){text, (uint32_t)strlen(text)}, "y", &error);
}

/* Plain words have a meaning in each of their cases; quoted ones are strings. */
static void test_yaml_words(void **state)
{
    (void)state;
    json_t *root = read_yaml("[true, True, TRUE, tRue, false, False, FALSE, fALSE, ~, null, Null,\n"
                             "'true', 'false', '~', 'null', '', \"True\", a: , {'<<': {b: c}}]");
    assert_non_null(root);
    char *out = json_dumps(root, JSON_COMPACT);
    assert_string_equal(out, "[true,true,true,\"tRue\",false,false,false,\"fALSE\",null,null,"
                             "\"Null\",\"true\",\"false\",\"~\",\"null\",\"\",\"True\","
                             "{\"a\":null},{\"<<\":{\"b\":\"c\"}}]");
    free(out);
    json_decref(root);
}

/* `count` times `part`, between two other texts. */
static const char *repeated(const char *first, const char *part, size_t count, const char *last)
{
    static char text[4096];
    size_t length = (size_t)snprintf(text, sizeof(text), "%s", first);
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, part, (int)i);
    snprintf(text + length, sizeof(text) - length, "%s", last);
    return text;
}

static void test_yaml_limits(void **state)
{
    (void)state;
    static const struct {
        const char *part, *last;
        size_t most;
        const char *says;
    } cases[] = {
        {"{a: ", "x", 99, "nested more than 100 deep"},
        {"&a%d x, ", "]", 64, "more than 64 anchors"},
        {"&a%d [x], ", "]", 64, "more than 64 anchors"},
        {"&a%d {x: y}, ", "]", 64, "more than 64 anchors"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (size_t more = 0; more < 2; more++) {
            char last[128] = "";
            if (i == 0)
                memset(last + 1, '}', cases[i].most + more);
            last[0] = cases[i].last[0];
            json_t *root =
                read_yaml(repeated(i == 0 ? "" : "[", cases[i].part, cases[i].most + more, last));
            assert_true((root != NULL) == (more == 0));
            if (more == 1)
                assert_non_null(strstr(error.message, cases[i].says));
            json_decref(root);
        }
    json_t *wide = read_yaml(repeated("[", "[], {a%d: []}, ", 150, "]")); /* wide is not deep */
    assert_int_equal(json_array_size(wide), 300);
    json_decref(wide);
}

static void test_yaml_places(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        uint32_t line, column;
    } cases[] = {
        {"a:\n  b: *c\n", "an alias of an anchor that is not defined", 2, 6},
        {"a: 1\nb:\n  [c]: d\n", "a key is expected to be a string", 3, 3},
        {"a: 1\nb:\n  x: 1\n  <<: 7\n", "`<<` merges a mapping", 4, 3},
        {"", "there is no document", 1, 1},
        {"a: b\nc: [d\n", "did not find expected", 3, 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_null(read_yaml(cases[i].text));
        assert_int_equal(error.code, BERTH_E_PARSE);
        if (strstr(error.message, cases[i].says) == NULL)
            fail_msg("%zu: %s", i, error.message);
        assert_int_equal(error.line, cases[i].line);
        assert_int_equal(error.column, cases[i].column);
    }
}

/* Every kind of value can be named and used again; the last of two equal names counts. */
static void test_yaml_anchors(void **state)
{
    (void)state;
    json_t *root = read_yaml("- &s x\n- &l [y]\n- &m {z: *s}\n- *l\n- *m\n- &s w\n- *s\n");
    char *out = json_dumps(root, JSON_COMPACT);
    assert_string_equal(out, "[\"x\",[\"y\"],{\"z\":\"x\"},[\"y\"],{\"z\":\"x\"},\"w\",\"w\"]");
    free(out);
    json_decref(root);
}

/* ---- credentials that a plugin prints ---- */

#define HEAD "{\"apiVersion\":\"v1\",\"kind\":\"ExecCredential\",\"status\":"

static void test_printed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
    } cases[] = {
        {HEAD "{\"token\":\"t\"}}", true},
        {HEAD "{\"token\":\"t\",\"expirationTimestamp\":\"2026-01-02T03:04:05Z\"}}\nmore", true},
        {HEAD "{\"clientCertificateData\":\"c\",\"clientKeyData\":\"k\"}}", true},
        {HEAD "{\"clientCertificateData\":\"c\"}}", false},
        {HEAD "{\"clientKeyData\":\"c\"}}", false},
        {HEAD "{\"token\":\"a\\nb\"}}", false},
        {HEAD "{\"token\":\"t\",\"expirationTimestamp\":\"soon\"}}", false},
        {HEAD "{}}", false},
        {"{\"apiVersion\":\"v2\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"t\"}}", false},
        {"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"status\":{\"token\":\"t\"}}", false},
        {"[]", false},
        {"", false},
        {"please log in", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        exec_credential got;
        json_t *tree;
        exec_credential_read(cases[i].text, strlen(cases[i].text), "v1", &got, &tree);
        if ((got.failure == NULL) != cases[i].good)
            fail_msg("%s: %s", cases[i].text, got.failure != NULL ? got.failure : "taken");
        json_decref(tree);
    }
}

static void test_times(void **state)
{
    (void)state;
    int64_t at;
    assert_true(time_read("1970-01-01T00:00:01Z", &at));
    assert_int_equal(at, 1000000000);
    assert_true(time_read("1970-01-01T01:00:01.25+01:00", &at));
    assert_int_equal(at, 1250000000);
    assert_true(time_read("1969-12-31T23:00:01-01:00", &at));
    assert_int_equal(at, 1000000000);
    assert_false(time_read("1970-01-01T00:00:01", &at));
    assert_false(time_read("1970-01-01", &at));
    assert_false(time_read("1970-01-01T00:00:01+1", &at));
    /* Nanoseconds of these do not fit. */
    assert_false(time_read("9999-12-31T23:59:59Z", &at));
    assert_false(time_read("1000-01-01T00:00:00Z", &at));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_and_data),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_impersonation),
        cmocka_unit_test(test_exec),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_the_file_itself),
        cmocka_unit_test(test_base64),
        cmocka_unit_test(test_small_files),
        cmocka_unit_test(test_in_cluster),
        cmocka_unit_test(test_yaml),
        cmocka_unit_test(test_yaml_words),
        cmocka_unit_test(test_yaml_limits),
        cmocka_unit_test(test_yaml_places),
        cmocka_unit_test(test_yaml_anchors),
        cmocka_unit_test(test_yaml_that_is_wrong),
        cmocka_unit_test(test_printed),
        cmocka_unit_test(test_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
