/* Reads any bytes as a kubeconfig file, as a configuration, and as the output of a credential
 * plugin. They must be either accepted as a whole or refused with a message. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "live/credentials/exec_plugin.h"
#include "live/run/run_config.h"

static void check_access(const kubeconfig *config)
{
    const server_access *access = &config->access;
    FUZZ_CHECK(access->server != NULL && strncmp(access->server, "http", 4) == 0);
    for (size_t i = 0; i < access->header_count; i++)
        FUZZ_CHECK(strncmp(access->headers[i], "Impersonate-", 12) == 0 &&
                   strpbrk(access->headers[i], "\r\n") == NULL);
    FUZZ_CHECK(config->token == NULL || strpbrk(config->token, "\r\n") == NULL);
    FUZZ_CHECK(config->exec.command == NULL || config->exec.arguments[0] != NULL);
    /* No credential is sent without TLS. */
    if (strncmp(access->server, "http://", 7) == 0)
        FUZZ_CHECK(config->token == NULL && config->token_file == NULL &&
                   config->exec.command == NULL && access->certificate_file == NULL);
}

static void try_plugin(const uint8_t *data, size_t size)
{
    exec_credential got;
    json_t *tree;
    exec_credential_read((const char *)data, size, "client.authentication.k8s.io/v1", &got, &tree);
    FUZZ_CHECK(got.failure != NULL || got.token != NULL || got.key != NULL);
    json_decref(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    berth_error error = {.code = BERTH_OK};
    const berth_str text = {(const char *)data, (uint32_t)size};
    kubeconfig config;
    run_config run;
    int64_t ns;
    if (kubeconfig_read_text(&config, text, "fuzz", "/", NULL, &error) == BERTH_OK) {
        check_access(&config);
        kubeconfig_free(&config);
    } else {
        FUZZ_CHECK(error.code != BERTH_OK && error.message[0] != '\0');
    }
    run_config_init(&run);
    if (run_config_read_text(&run, text, "fuzz", &error) == BERTH_OK)
        FUZZ_CHECK(run_config_wrong_times(&run) == NULL);
    run_config_free(&run);
    try_plugin(data, size);
    char *word = malloc(size + 1);
    FUZZ_CHECK(word != NULL);
    if (size > 0)
        memcpy(word, data, size);
    word[size] = '\0';
    if (duration_read(word, &ns))
        FUZZ_CHECK(ns >= 0);
    free(word);
    return 0;
}
