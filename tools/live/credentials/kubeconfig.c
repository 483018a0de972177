/* Reads kubeconfig: a context names a cluster and a user, and the settings of both are checked. */
#include "live/credentials/kubeconfig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "live/credentials/yaml_tree.h"

enum { SMALL_FILE_MAX = 1 << 20 };

typedef struct reading {
    kubeconfig *config;
    const char *source, *folder;
    berth_error *error;
} reading;

static char *own(kubeconfig *config, char *text)
{
    config->texts = heap_grow(config->texts, &config->text_capacity, config->text_count + 1,
                              sizeof(*config->texts));
    return config->texts[config->text_count++] = text;
}

static const char *keep(kubeconfig *config, const char *text)
{
    return text != NULL ? own(config, heap_text(text, strlen(text))) : NULL;
}

static berth_status wrong(const reading *r, berth_status code, const char *field, const char *what)
{
    error_set(r->error, code, r->source, "%s", what);
    snprintf(r->error->field, sizeof(r->error->field), "%s", field);
    return code;
}

/* ---- helpers ---- */

char *small_file_read(const char *path, size_t *length)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    char *text = heap_new(SMALL_FILE_MAX + 2, 1);
    *length = fread(text, 1, SMALL_FILE_MAX + 1, file);
    int failed = ferror(file) != 0 ? EIO : 0;
    fclose(file);
    if (*length > SMALL_FILE_MAX)
        failed = EFBIG;
    if (failed != 0) {
        free(text);
        errno = failed;
        return NULL;
    }
    text[*length] = '\0';
    return text;
}

static int sextet(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+')
        return 62;
    return c == '/' ? 63 : -1;
}

long base64_decode(const char *text, char *out)
{
    uint32_t bits = 0;
    int bit_count = 0, padding = 0;
    long length = 0, digits = 0;
    for (; *text != '\0'; text++) {
        if (*text == '\n' || *text == '\r')
            continue;
        digits++;
        if (*text == '=') {
            padding++;
            continue;
        }
        int value = sextet(*text);
        if (value < 0 || padding > 0)
            return -1;
        bits = bits << 6 | (uint32_t)value;
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            out[length++] = (char)(bits >> bit_count);
        }
    }
    return digits % 4 == 0 && padding <= 2 ? length : -1;
}

/* ---- members ---- */

static const char *path_of(const reading *r, const json_t *object, const char *key)
{
    const char *path = yaml_tree_text(object, key);
    if (path == NULL || path[0] == '/' || r->folder[0] == '\0')
        return keep(r->config, path);
    size_t bytes = strlen(r->folder) + strlen(path) + 2;
    char *whole = own(r->config, heap_new(bytes, 1));
    snprintf(whole, bytes, "%s/%s", r->folder, path);
    return whole;
}

static berth_status data_of(const reading *r, const json_t *object, const char *key, berth_str *out)
{
    const char *text = yaml_tree_text(object, key);
    if (text == NULL)
        return BERTH_OK;
    char *data = own(r->config, heap_new(strlen(text) + 1, 1));
    long length = base64_decode(text, data);
    if (length < 0)
        return wrong(r, BERTH_E_INVALID, key, "this is not base64");
    *out = (berth_str){data, (uint32_t)length};
    return BERTH_OK;
}

/* Returns the member of a list `[{name: NAME, KEY: {...}}]`, or NULL. */
static json_t *named(const json_t *root, const char *list, const char *key, const char *name)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(root, list), i, item)
    {
        const char *its = json_string_value(json_object_get(item, "name"));
        if (its != NULL && name != NULL && strcmp(its, name) == 0)
            return json_object_get(item, key);
    }
    return NULL;
}

/* ---- cluster ---- */

static berth_status read_server(const reading *r, const char *server)
{
    if (server == NULL)
        return wrong(r, BERTH_E_INVALID, "server", "the cluster has no server");
    if (strncmp(server, "https://", 8) != 0 && strncmp(server, "http://", 7) != 0)
        return wrong(r, BERTH_E_INVALID, "server", "the server is not an http or https URL");
    const char *host = strstr(server, "://") + 3;
    if (host[0] == '\0' || host[0] == '/' || strpbrk(host, "?#@ ") != NULL)
        return wrong(r, BERTH_E_INVALID, "server", "the server is not the URL of a host");
    r->config->access.server = keep(r->config, server);
    return BERTH_OK;
}

static berth_status read_cluster(const reading *r, const json_t *cluster, const char *server)
{
    server_access *access = &r->config->access;
    TRY(read_server(r, server != NULL ? server : yaml_tree_text(cluster, "server")));
    access->tls_server_name = keep(r->config, yaml_tree_text(cluster, "tls-server-name"));
    access->insecure = json_is_true(json_object_get(cluster, "insecure-skip-tls-verify"));
    access->ca_file = path_of(r, cluster, "certificate-authority");
    TRY(data_of(r, cluster, "certificate-authority-data", &access->ca_data));
    if (access->insecure && (access->ca_file != NULL || access->ca_data.data != NULL))
        return wrong(r, BERTH_E_INVALID, "insecure-skip-tls-verify",
                     "a certificate authority is given that nothing would be verified by");
    const char *proxy = yaml_tree_text(cluster, "proxy-url");
    if (proxy != NULL && strncmp(proxy, "http://", 7) != 0 && strncmp(proxy, "https://", 8) != 0 &&
        strncmp(proxy, "socks5://", 9) != 0)
        return wrong(r, BERTH_E_INVALID, "proxy-url", "the proxy is no http, https or socks5 URL");
    access->proxy = keep(r->config, proxy);
    return BERTH_OK;
}

/* ---- user ---- */

static void add_header(kubeconfig *config, const char **lines, size_t *count, const char *name,
                       const char *value)
{
    size_t bytes = strlen(name) + strlen(value) + 3;
    char *line = own(config, heap_new(bytes, 1));
    snprintf(line, bytes, "%s: %s", name, value);
    lines[(*count)++] = line;
}

static bool is_header_text(const char *text)
{
    return strpbrk(text, "\r\n") == NULL;
}

/* Impersonate-Extra-KEY: characters of the key that a header's name cannot have are
 * percent-encoded. */
static void extra_name(const char *key, char *out, size_t size)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    size_t at = (size_t)snprintf(out, size, "Impersonate-Extra-");
    for (; *key != '\0' && at + 4 < size; key++)
        if (strchr(plain, *key) != NULL)
            out[at++] = *key;
        else
            at += (size_t)snprintf(out + at, size - at, "%%%02X", (unsigned char)*key);
    out[at] = '\0';
}

static berth_status read_impersonation(const reading *r, const json_t *user)
{
    const char *as = yaml_tree_text(user, "as"), *uid = yaml_tree_text(user, "as-uid");
    const json_t *groups = json_object_get(user, "as-groups");
    json_t *extra = json_object_get(user, "as-user-extra"), *values, *value;
    const char *key;
    size_t i, count = 0, room = 2 + json_array_size(groups);
    json_object_foreach(extra, key, values) room += json_array_size(values);
    if (as == NULL) {
        if (uid != NULL || json_array_size(groups) > 0 || json_object_size(extra) > 0)
            return wrong(r, BERTH_E_INVALID, "as", "impersonation without a user");
        return BERTH_OK;
    }
    const char **lines = r->config->lists[0] = heap_new(room, sizeof(*lines));
    bool good = is_header_text(as) && (uid == NULL || is_header_text(uid));
    add_header(r->config, lines, &count, "Impersonate-User", as);
    if (uid != NULL)
        add_header(r->config, lines, &count, "Impersonate-Uid", uid);
    json_array_foreach(groups, i, value)
    {
        const char *group = json_string_value(value);
        good = good && group != NULL && is_header_text(group);
        if (good)
            add_header(r->config, lines, &count, "Impersonate-Group", group);
    }
    json_object_foreach(extra, key, values)
    {
        char name[512];
        extra_name(key, name, sizeof(name));
        json_array_foreach(values, i, value)
        {
            const char *text = json_string_value(value);
            good = good && text != NULL && is_header_text(text);
            if (good)
                add_header(r->config, lines, &count, name, text);
        }
    }
    r->config->access.headers = lines;
    r->config->access.header_count = count;
    return good ? BERTH_OK
                : wrong(r, BERTH_E_INVALID, "as", "impersonation is not by strings of one line");
}

/* Describes the cluster to a plugin, in the form of the kubeconfig's cluster entry. */
static void tell_cluster(exec_config *exec, const json_t *cluster)
{
    static const char *const same[] = {"server", "tls-server-name", "insecure-skip-tls-verify",
                                       "certificate-authority-data", "proxy-url"};
    json_t *told = json_object();
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        json_t *value = json_object_get(cluster, same[i]);
        if (value != NULL)
            json_object_set(told, same[i], value);
    }
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(cluster, "extensions"), i, item)
    {
        const char *name = json_string_value(json_object_get(item, "name"));
        if (name != NULL && strcmp(name, "client.authentication.k8s.io/exec") == 0)
            json_object_set(told, "config", json_object_get(item, "extension"));
    }
    exec->cluster_json = json_dumps(told, JSON_COMPACT);
    json_decref(told);
}

static berth_status read_exec_lists(const reading *r, const json_t *from, exec_config *exec)
{
    const json_t *arguments = json_object_get(from, "args"), *names = json_object_get(from, "env");
    const char **words = r->config->lists[1] =
        heap_new(json_array_size(arguments) + 2, sizeof(*words));
    const char **environment = r->config->lists[2] =
        heap_new(json_array_size(names) + 1, sizeof(*environment));
    size_t i;
    json_t *item;
    words[0] = exec->command;
    json_array_foreach(arguments, i, item)
    {
        const char *word = json_string_value(item);
        if (word == NULL)
            return wrong(r, BERTH_E_INVALID, "exec.args", "an argument is not a string");
        words[i + 1] = keep(r->config, word);
    }
    json_array_foreach(names, i, item)
    {
        const char *name = yaml_tree_text(item, "name");
        const char *value = json_string_value(json_object_get(item, "value"));
        if (name == NULL)
            return wrong(r, BERTH_E_INVALID, "exec.env", "a variable has no name");
        size_t bytes = strlen(name) + strlen(value != NULL ? value : "") + 2;
        char *line = own(r->config, heap_new(bytes, 1));
        snprintf(line, bytes, "%s=%s", name, value != NULL ? value : "");
        environment[i] = line;
    }
    exec->arguments = words;
    exec->environment = environment;
    return BERTH_OK;
}

static berth_status read_exec(const reading *r, const json_t *from, const json_t *cluster)
{
    exec_config *exec = &r->config->exec;
    if (from == NULL || json_is_null(from))
        return BERTH_OK;
    const char *version = yaml_tree_text(from, "apiVersion");
    const char *mode = yaml_tree_text(from, "interactiveMode");
    const char *command = yaml_tree_text(from, "command");
    if (command == NULL)
        return wrong(r, BERTH_E_INVALID, "exec.command", "there is no command");
    if (version == NULL || (strcmp(version, "client.authentication.k8s.io/v1") != 0 &&
                            strcmp(version, "client.authentication.k8s.io/v1beta1") != 0))
        return wrong(r, BERTH_E_UNSUPPORTED, "exec.apiVersion",
                     "expected client.authentication.k8s.io/v1 or v1beta1");
    if (mode != NULL && strcmp(mode, "Always") == 0)
        return wrong(r, BERTH_E_UNSUPPORTED, "exec.interactiveMode",
                     "a plugin that must ask somebody can't serve a scheduler");
    exec->command =
        strchr(command, '/') != NULL ? path_of(r, from, "command") : keep(r->config, command);
    exec->api_version = keep(r->config, version);
    exec->install_hint = keep(r->config, yaml_tree_text(from, "installHint"));
    if (json_is_true(json_object_get(from, "provideClusterInfo")))
        tell_cluster(exec, cluster);
    return read_exec_lists(r, from, exec);
}

static berth_status read_user(const reading *r, const json_t *user, const json_t *cluster)
{
    server_access *access = &r->config->access;
    if (yaml_tree_text(user, "username") != NULL || yaml_tree_text(user, "password") != NULL)
        return wrong(r, BERTH_E_UNSUPPORTED, "username",
                     "no supported API server takes a user's name and password");
    if (json_is_object(json_object_get(user, "auth-provider")))
        return wrong(r, BERTH_E_UNSUPPORTED, "auth-provider",
                     "auth-provider was removed from Kubernetes; use exec");
    access->certificate_file = path_of(r, user, "client-certificate");
    access->key_file = path_of(r, user, "client-key");
    TRY(data_of(r, user, "client-certificate-data", &access->certificate_data));
    TRY(data_of(r, user, "client-key-data", &access->key_data));
    bool certificate = access->certificate_file != NULL || access->certificate_data.data != NULL;
    if (certificate != (access->key_file != NULL || access->key_data.data != NULL))
        return wrong(r, BERTH_E_INVALID, "client-certificate",
                     "a client's certificate and key are given together");
    r->config->token = keep(r->config, yaml_tree_text(user, "token"));
    if (r->config->token != NULL && !is_header_text(r->config->token))
        return wrong(r, BERTH_E_INVALID, "token", "a token is one line");
    r->config->token_file = path_of(r, user, "tokenFile");
    TRY(read_exec(r, json_object_get(user, "exec"), cluster));
    TRY(read_impersonation(r, user));
    bool any = certificate || r->config->token != NULL || r->config->token_file != NULL ||
               r->config->exec.command != NULL;
    if (any && strncmp(access->server, "http://", 7) == 0)
        return wrong(r, BERTH_E_INVALID, "server", "credentials are not sent without TLS");
    return BERTH_OK;
}

/* ---- the whole ---- */

/* "there is no context "prod": the kubeconfig has dev, test" */
static berth_status no_context(const reading *r, const json_t *root, const char *field,
                               const char *name)
{
    char names[160] = "", text[256];
    size_t i, at = 0;
    json_t *item;
    json_array_foreach(json_object_get(root, "contexts"), i, item)
    {
        const char *its = yaml_tree_text(item, "name");
        const size_t room = sizeof(names) - at;
        if (its == NULL)
            continue;
        if (strlen(its) + 8 > room) {
            at += (size_t)snprintf(names + at, room, ", ...");
            break;
        }
        at += (size_t)snprintf(names + at, room, "%s%s", at > 0 ? ", " : "", its);
    }
    snprintf(text, sizeof(text), "there is no context \"%.60s\"%s%s", name,
             at > 0 ? ": the contexts are " : "", names);
    return wrong(r, BERTH_E_INVALID, field, text);
}

static berth_status read_tree(const reading *r, const json_t *root, const kubeconfig_choice *choice)
{
    const char *kind = yaml_tree_text(root, "kind");
    if (!json_is_object(root) || (kind != NULL && strcmp(kind, "Config") != 0))
        return wrong(r, BERTH_E_INVALID, "kind", "expected a kubeconfig, of kind Config");
    const char *field = choice->context != NULL ? "contexts" : "current-context";
    const char *current =
        choice->context != NULL ? choice->context : yaml_tree_text(root, "current-context");
    if (current == NULL)
        return wrong(r, BERTH_E_INVALID, field, "there is no current context");
    const json_t *context = named(root, "contexts", "context", current);
    if (!json_is_object(context))
        return no_context(r, root, field, current);
    const char *cluster_name = yaml_tree_text(context, "cluster");
    const json_t *cluster = named(root, "clusters", "cluster", cluster_name);
    if (!json_is_object(cluster))
        return wrong(r, BERTH_E_INVALID, "contexts.context.cluster",
                     "there is no cluster of this name");
    const char *user_name = yaml_tree_text(context, "user");
    const json_t *user = named(root, "users", "user", user_name);
    if (user_name != NULL && !json_is_object(user))
        return wrong(r, BERTH_E_INVALID, "contexts.context.user", "there is no user of this name");
    const char *space = yaml_tree_text(context, "namespace");
    r->config->namespace_name = keep(r->config, space != NULL ? space : "default");
    TRY(read_cluster(r, cluster, choice->server));
    return read_user(r, user, cluster);
}

berth_status kubeconfig_read_tree(kubeconfig *config, const json_t *root, const char *source,
                                  const char *folder, const kubeconfig_choice *choice,
                                  berth_error *error)
{
    static const kubeconfig_choice as_it_stands = {0};
    const reading r = {config, source, folder, error};
    *config = (kubeconfig){0};
    berth_status status = read_tree(&r, root, choice != NULL ? choice : &as_it_stands);
    if (status != BERTH_OK)
        kubeconfig_free(config);
    return status;
}

berth_status kubeconfig_read_text(kubeconfig *config, berth_str text, const char *source,
                                  const char *folder, const kubeconfig_choice *choice,
                                  berth_error *error)
{
    json_t *root = yaml_tree_read(text, source, error);
    if (root == NULL)
        return BERTH_E_PARSE;
    berth_status status = kubeconfig_read_tree(config, root, source, folder, choice, error);
    json_decref(root);
    return status;
}

char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    /* A file in the root folder: its folder is "/". */
    if (slash == path)
        return heap_text("/", 1);
    return slash != NULL ? heap_text(path, (size_t)(slash - path)) : heap_text("", 0);
}

berth_status kubeconfig_read_file(kubeconfig *config, const char *path,
                                  const kubeconfig_choice *choice, berth_error *error)
{
    size_t length;
    char *text = small_file_read(path, &length);
    if (text == NULL)
        return error_set(error, BERTH_E_IO, path, "cannot read it: %s", strerror(errno));
    char *folder = folder_of(path);
    berth_status status = kubeconfig_read_text(config, (berth_str){text, (uint32_t)length}, path,
                                               folder, choice, error);
    free(folder);
    free(text);
    return status;
}

berth_status kubeconfig_of_server(kubeconfig *config, const char *server, berth_error *error)
{
    const reading r = {config, NULL, "", error};
    *config = (kubeconfig){0};
    config->namespace_name = keep(config, "default");
    berth_status status = read_server(&r, server);
    if (status != BERTH_OK)
        kubeconfig_free(config);
    return status;
}

berth_status kubeconfig_in_cluster(kubeconfig *config, const char *folder, berth_error *error)
{
    const char *host = getenv("KUBERNETES_SERVICE_HOST"), *port = getenv("KUBERNETES_SERVICE_PORT");
    char text[1024];
    *config = (kubeconfig){0};
    if (host == NULL || port == NULL || host[0] == '\0' || port[0] == '\0')
        return error_set(error, BERTH_E_NOT_FOUND, NULL,
                         "no kubeconfig is given, and this is no pod: KUBERNETES_SERVICE_HOST and "
                         "KUBERNETES_SERVICE_PORT are not set");
    if (folder == NULL)
        folder = "/var/run/secrets/kubernetes.io/serviceaccount";
    const bool six = strchr(host, ':') != NULL;
    snprintf(text, sizeof(text), "https://%s%s%s:%s", six ? "[" : "", host, six ? "]" : "", port);
    config->access.server = keep(config, text);
    snprintf(text, sizeof(text), "%s/token", folder);
    config->token_file = keep(config, text);
    snprintf(text, sizeof(text), "%s/ca.crt", folder);
    config->access.ca_file = keep(config, text);
    snprintf(text, sizeof(text), "%s/namespace", folder);
    size_t length = 0;
    char *space = small_file_read(text, &length);
    config->namespace_name = own(config, space != NULL ? space : heap_text("default", 7));
    if (access(config->token_file, R_OK) == 0)
        return BERTH_OK;
    error_set(error, BERTH_E_IO, config->token_file, "cannot read it: %s", strerror(errno));
    kubeconfig_free(config);
    return BERTH_E_IO;
}

void kubeconfig_free(kubeconfig *config)
{
    for (size_t i = 0; i < config->text_count; i++)
        free(config->texts[i]);
    free(config->texts);
    for (size_t i = 0; i < 3; i++)
        free(config->lists[i]);
    free(config->exec.cluster_json);
    *config = (kubeconfig){0};
}
