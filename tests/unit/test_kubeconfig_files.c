/* Which kubeconfig files are found, and how several of them are merged. */
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

#include "live/credentials/kubeconfig_files.h"

static kubeconfig config;
static berth_error error;
static char folder[32];

static const char *path_of(const char *name)
{
    static char paths[4][96];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/berth-kubeconfig-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(mkdir(path_of("b"), 0700), 0);
    assert_int_equal(mkdir(path_of(".kube"), 0700), 0);
    write_file("a", "kind: Config\ncurrent-context: one\n"
                    "contexts: [{name: one, context: {cluster: k, user: u}}]\n"
                    "clusters: [{name: k, cluster: {server: 'https://a:1', "
                    "certificate-authority: ca}}]\n");
    write_file("b/config", "current-context: two\n"
                           "contexts: [{name: two, context: {cluster: k, user: u, namespace: b}}]\n"
                           "clusters: [{name: k, cluster: {server: 'https://b:1'}}]\n"
                           "users: [{name: u, user: {tokenFile: tok}}]\n");
    write_file(".kube/config", "current-context: home\n"
                               "contexts: [{name: home, context: {cluster: k}}]\n"
                               "clusters: [{name: k, cluster: {server: 'https://home:1'}}]\n");
    write_file("wrong", "kind: Pod\n");
    setenv("HOME", folder, 1);
    unsetenv("KUBECONFIG");
    unsetenv("KUBERNETES_SERVICE_HOST");
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"a", "b/config", "b/more", ".kube/config", "wrong"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unlink(path_of(names[i]));
    rmdir(path_of("b"));
    rmdir(path_of(".kube"));
    rmdir(folder);
    return 0;
}

static berth_status find(kubeconfig_search search)
{
    error = (berth_error){.code = BERTH_OK};
    return kubeconfig_find(&config, &search, &error);
}

static void set_list(const char *first, const char *second)
{
    char list[256];
    snprintf(list, sizeof(list), "%s:%s:%s", path_of("none"), first, second);
    setenv("KUBECONFIG", list, 1);
}

static void test_order(void **state)
{
    (void)state;
    assert_int_equal(find((kubeconfig_search){.home = true}), BERTH_OK);
    assert_string_equal(config.access.server, "https://home:1");
    kubeconfig_free(&config);
    assert_int_equal(find((kubeconfig_search){0}), BERTH_E_NOT_FOUND);
    setenv("KUBECONFIG", path_of("b/config"), 1);
    assert_int_equal(find((kubeconfig_search){.home = true}), BERTH_OK);
    assert_string_equal(config.access.server, "https://b:1");
    kubeconfig_free(&config);
    assert_int_equal(find((kubeconfig_search){.path = path_of(".kube/config")}), BERTH_OK);
    assert_string_equal(config.access.server, "https://home:1");
    kubeconfig_free(&config);
}

/* For each name the first file counts; the paths in a file are relative to it. */
static void test_merged(void **state)
{
    char expected[128];
    (void)state;
    set_list(path_of("a"), path_of("b/config"));
    assert_int_equal(find((kubeconfig_search){0}), BERTH_OK);
    assert_string_equal(config.access.server, "https://a:1");
    snprintf(expected, sizeof(expected), "%s/ca", folder);
    assert_string_equal(config.access.ca_file, expected);
    snprintf(expected, sizeof(expected), "%s/b/tok", folder);
    assert_string_equal(config.token_file, expected);
    assert_string_equal(config.namespace_name, "default"); /* of the first file's context */
    kubeconfig_free(&config);
    set_list(path_of("b/config"), path_of("a"));
    assert_int_equal(find((kubeconfig_search){.choice = {.context = "one"}}), BERTH_OK);
    assert_string_equal(config.access.server, "https://b:1");
    kubeconfig_free(&config);
}

/* The files of a user and a command with a slash are beside the kubeconfig; absolute ones and
 * commands of the path are not. */
static void test_paths(void **state)
{
    static const char head[] = "contexts: [{name: x, context: {cluster: k, user: x}}]\n"
                               "users: [{name: x, user: {";
    static const char exec[] = "exec: {apiVersion: client.authentication.k8s.io/v1, command: ";
    char text[512], expected[128];
    (void)state;
    const kubeconfig_search search = {.choice = {.context = "x"}};
    snprintf(text, sizeof(text), "%sclient-certificate: c, client-key: k/e, %s./login}}}]\n", head,
             exec);
    write_file("b/more", text);
    set_list(path_of("a"), path_of("b/more"));
    assert_int_equal(find(search), BERTH_OK);
    snprintf(expected, sizeof(expected), "%s/b/c", folder);
    assert_string_equal(config.access.certificate_file, expected);
    snprintf(expected, sizeof(expected), "%s/b/k/e", folder);
    assert_string_equal(config.access.key_file, expected);
    snprintf(expected, sizeof(expected), "%s/b/./login", folder);
    assert_string_equal(config.exec.command, expected);
    kubeconfig_free(&config);
    snprintf(text, sizeof(text), "%sclient-certificate: /c, client-key: /k, %slogin}}}]\n", head,
             exec);
    write_file("b/more", text);
    assert_int_equal(find(search), BERTH_OK);
    assert_string_equal(config.access.certificate_file, "/c");
    assert_string_equal(config.access.key_file, "/k");
    assert_string_equal(config.exec.command, "login");
    kubeconfig_free(&config);
}

static void test_wrong_files_in_lists(void **state)
{
    (void)state;
    set_list(path_of("b"), path_of("a")); /* a folder */
    assert_int_equal(find((kubeconfig_search){0}), BERTH_E_IO);
    assert_string_equal(error.source, path_of("b"));
    write_file("b/more", "a: [\n");
    set_list(path_of("a"), path_of("b/more"));
    assert_int_equal(find((kubeconfig_search){0}), BERTH_E_PARSE);
    write_file("b/more", "contexts: none\nclusters: {}\nusers: [{name: u, user: {token: t}}]\n");
    set_list(path_of("b/more"), path_of("a"));
    assert_int_equal(find((kubeconfig_search){0}), BERTH_OK); /* what is no list adds nothing */
    assert_string_equal(config.access.server, "https://a:1");
    assert_string_equal(config.token, "t");
    kubeconfig_free(&config);
}

static void test_wrong_lists(void **state)
{
    (void)state;
    set_list(path_of("a"), path_of("wrong"));
    assert_int_equal(find((kubeconfig_search){0}), BERTH_E_INVALID);
    assert_string_equal(error.source, path_of("wrong"));
    set_list(path_of("nor"), path_of("neither"));
    assert_int_equal(find((kubeconfig_search){.home = true}), BERTH_E_NOT_FOUND);
    set_list(path_of("a"), path_of("b/config"));
    assert_int_equal(find((kubeconfig_search){.choice = {.context = "x"}}), BERTH_E_INVALID);
    assert_string_equal(error.field, "contexts");
    assert_string_equal(error.message, "there is no context \"x\": the contexts are one, two");
    /* Of many contexts, only the first are named. */
    write_file(
        "b/many",
        "contexts: [{name: a-context-with-a-long-name-of-forty-letters}, {name: "
        "another-context-with-a-name-of-46-letters-----}, {name: a-third-context-with-a-name-"
        "of-45-letters----}, {name: fourth}, {name: a-fifth-context}, {name: sixth}]\n");
    set_list(path_of("b/many"), path_of("b/config"));
    assert_int_equal(find((kubeconfig_search){.choice = {.context = "x"}}), BERTH_E_INVALID);
    assert_string_equal(error.message,
                        "there is no context \"x\": the contexts are "
                        "a-context-with-a-long-name-of-forty-letters, "
                        "another-context-with-a-name-of-46-letters-----, "
                        "a-third-context-with-a-name-of-45-letters----, fourth, ...");
    /* A user that only the missing file would have. */
    set_list(path_of("a"), path_of("nothing"));
    assert_int_equal(find((kubeconfig_search){0}), BERTH_E_INVALID);
    assert_string_equal(error.field, "contexts.context.user");
}

static void test_no_file(void **state)
{
    (void)state;
    setenv("HOME", path_of("none"), 1);
    assert_int_equal(find((kubeconfig_search){.home = true}), BERTH_E_NOT_FOUND);
    assert_non_null(strstr(error.message, "there is no kubeconfig"));
    assert_int_equal(find((kubeconfig_search){0}), BERTH_E_NOT_FOUND);
    assert_null(strstr(error.message, "there is no kubeconfig")); /* none was looked for */
    setenv("HOME", "", 1);
    assert_int_equal(find((kubeconfig_search){.home = true}), BERTH_E_NOT_FOUND);
    unsetenv("HOME");
    assert_int_equal(find((kubeconfig_search){.home = true}), BERTH_E_NOT_FOUND);
    assert_int_equal(find((kubeconfig_search){.choice = {.context = "x"}}), BERTH_E_NOT_FOUND);
    assert_non_null(strstr(error.message, "the context \"x\""));
    assert_int_equal(find((kubeconfig_search){.choice = {.server = "http://alone:1"}}), BERTH_OK);
    assert_string_equal(config.access.server, "http://alone:1");
    assert_string_equal(config.namespace_name, "default");
    assert_null(config.token);
    kubeconfig_free(&config);
    assert_int_equal(find((kubeconfig_search){.choice = {.server = "alone"}}), BERTH_E_INVALID);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_order),       IN_FOLDER(test_merged),
        IN_FOLDER(test_paths),       IN_FOLDER(test_wrong_files_in_lists),
        IN_FOLDER(test_wrong_lists), IN_FOLDER(test_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
