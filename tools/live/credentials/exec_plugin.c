/* Uses posix_spawn, a pipe in the loop, and a timer that kills a plugin that hangs. */
#include "live/credentials/exec_plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/heap.h"
#include "live/credentials/yaml_tree.h"

enum { PRINTED_MAX = 1 << 20 };
static const int64_t reap_every_ns = 20000000;

struct exec_plugin {
    event_loop *loop;
    const exec_config *config;
    exec_done_fn done;
    void *context;
    pid_t child; /* 0: it could not be started */
    int pipe;    /* -1: closed */
    int64_t deadline_ns;
    live_id timer;
    char *printed;
    size_t printed_bytes, printed_capacity;
    const char *failure;
};

/* ---- output ---- */

bool time_read(const char *text, int64_t *unix_ns)
{
    struct tm parts = {0};
    const char *at = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
    if (at == NULL)
        return false;
    int64_t fraction_ns = 0, unit_ns = 100000000;
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9'; at++, unit_ns /= 10)
            fraction_ns += (*at - '0') * unit_ns;
    int64_t seconds = timegm(&parts);
    int hours, minutes, read = 0;
    if (*at == '+' || *at == '-') {
        if (sscanf(at + 1, "%2d:%2d%n", &hours, &minutes, &read) != 2 || at[1 + read] != '\0')
            return false;
        seconds += (*at == '+' ? -60 : 60) * (hours * 60 + minutes);
    } else if (strcmp(at, "Z") != 0)
        return false;
    if (seconds < -INT64_C(9000000000) || seconds > INT64_C(9000000000))
        return false;
    *unix_ns = seconds * INT64_C(1000000000) + fraction_ns;
    return true;
}

static const char *read_status(const json_t *root, const char *api_version, exec_credential *out)
{
    const json_t *status = json_object_get(root, "status");
    const char *kind = yaml_tree_text(root, "kind"), *version = yaml_tree_text(root, "apiVersion");
    if (kind == NULL || strcmp(kind, "ExecCredential") != 0)
        return "it did not print an ExecCredential";
    if (version == NULL || strcmp(version, api_version) != 0)
        return "it printed another apiVersion than the kubeconfig names";
    out->token = yaml_tree_text(status, "token");
    out->certificate = yaml_tree_text(status, "clientCertificateData");
    out->key = yaml_tree_text(status, "clientKeyData");
    if ((out->certificate == NULL) != (out->key == NULL))
        return "it printed a certificate without its key, or a key without its certificate";
    if (out->token == NULL && out->certificate == NULL)
        return "it printed neither a token nor a certificate";
    if (out->token != NULL && strpbrk(out->token, "\r\n") != NULL)
        return "its token has several lines";
    const char *expires = yaml_tree_text(status, "expirationTimestamp");
    if (expires != NULL && !time_read(expires, &out->expires_unix_ns))
        return "its expirationTimestamp is no time";
    return NULL;
}

void exec_credential_read(const char *text, size_t length, const char *api_version,
                          exec_credential *out, json_t **tree)
{
    *out = (exec_credential){.expires_unix_ns = INT64_MAX};
    *tree = json_loadb(text != NULL ? text : "", length, JSON_DISABLE_EOF_CHECK, NULL);
    out->failure = *tree != NULL ? read_status(*tree, api_version, out) : "it did not print JSON";
}

/* ---- end ---- */

static void close_pipe(exec_plugin *p)
{
    if (p->pipe < 0)
        return;
    event_loop_fd(p->loop, p->pipe, 0, NULL, NULL);
    close(p->pipe);
    p->pipe = -1;
}

static void release(exec_plugin *p)
{
    close_pipe(p);
    event_loop_timer_stop(p->loop, p->timer);
    free(p->printed);
    free(p);
}

static void finish(exec_plugin *p)
{
    exec_credential credential = {.expires_unix_ns = INT64_MAX, .failure = p->failure};
    json_t *tree = NULL;
    if (p->failure == NULL)
        exec_credential_read(p->printed, p->printed_bytes, p->config->api_version, &credential,
                             &tree);
    p->done(p->context, &credential);
    json_decref(tree);
    release(p);
}

static void on_timer(void *context)
{
    exec_plugin *p = context;
    int how = 0;
    p->timer = 0;
    if (p->child == 0) {
        finish(p);
        return;
    }
    int64_t now_ns = event_loop_now();
    pid_t ended = p->pipe < 0 ? waitpid(p->child, &how, WNOHANG) : 0;
    if (ended == 0 && now_ns >= p->deadline_ns) {
        kill(p->child, SIGKILL);
        ended = waitpid(p->child, &how, 0);
        if (p->failure == NULL)
            p->failure = "it did not end in time";
    }
    if (ended == 0) {
        int64_t at_ns = p->pipe < 0 ? now_ns + reap_every_ns : p->deadline_ns;
        p->timer = event_loop_timer(p->loop, at_ns, on_timer, p);
        return;
    }
    if (p->failure == NULL && (!WIFEXITED(how) || WEXITSTATUS(how) != 0))
        p->failure = "it failed";
    finish(p);
}

static void on_pipe(void *context, int fd, uint32_t events)
{
    exec_plugin *p = context;
    char bytes[4096];
    (void)events;
    ssize_t count = read(fd, bytes, sizeof(bytes));
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count > 0 && p->printed_bytes + (size_t)count <= PRINTED_MAX) {
        p->printed =
            heap_grow(p->printed, &p->printed_capacity, p->printed_bytes + (size_t)count, 1);
        memcpy(p->printed + p->printed_bytes, bytes, (size_t)count);
        p->printed_bytes += (size_t)count;
        return;
    }
    if (count > 0) {
        p->failure = "it printed more than a megabyte";
        p->deadline_ns = 0;
    }
    close_pipe(p);
    event_loop_timer_stop(p->loop, p->timer);
    p->timer = event_loop_timer(p->loop, event_loop_now(), on_timer, p);
}

/* ---- start ---- */

/* The process's environment with the plugin's variables added; they replace those of the same
 * name. */
static char **environment_of(const exec_config *config, char *info)
{
    size_t count = 0, added = 0;
    while (environ[count] != NULL)
        count++;
    while (config->environment[added] != NULL)
        added++;
    char **all = heap_new(count + added + 2, sizeof(*all));
    size_t at = 0;
    for (size_t i = 0; i < added; i++)
        all[at++] = heap_text(config->environment[i], strlen(config->environment[i]));
    all[at++] = info;
    size_t first = at;
    for (size_t i = 0; i < count; i++) {
        size_t name = strcspn(environ[i], "=") + 1;
        bool replaced = false;
        for (size_t j = 0; j < first; j++)
            replaced = replaced || strncmp(all[j], environ[i], name) == 0;
        if (!replaced)
            all[at++] = heap_text(environ[i], strlen(environ[i]));
    }
    return all;
}

static char *info_of(const exec_config *config)
{
    const char *cluster = config->cluster_json;
    size_t bytes = strlen(config->api_version) + (cluster != NULL ? strlen(cluster) : 0) + 160;
    char *info = heap_new(bytes, 1);
    snprintf(info, bytes,
             "KUBERNETES_EXEC_INFO={\"apiVersion\":\"%s\",\"kind\":\"ExecCredential\","
             "\"spec\":{%s%s%s\"interactive\":false}}",
             config->api_version, cluster != NULL ? "\"cluster\":" : "",
             cluster != NULL ? cluster : "", cluster != NULL ? "," : "");
    return info;
}

static int spawn(exec_plugin *p, int out)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, 1);
    posix_spawnattr_setsigmask(&attributes, &none); /* the loop's thread blocks some signals */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    char **environment = environment_of(p->config, info_of(p->config));
    union {
        const char *const *kept;
        char *const *given; /* posix_spawnp does not change them */
    } arguments = {p->config->arguments};
    int failed = posix_spawnp(&p->child, p->config->command, &files, &attributes, arguments.given,
                              environment);
    for (size_t i = 0; environment[i] != NULL; i++)
        free(environment[i]);
    free(environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

exec_plugin *exec_plugin_run(event_loop *loop, const exec_config *config, int64_t timeout_ns,
                             exec_done_fn done, void *context)
{
    exec_plugin *p = heap_new(1, sizeof(*p));
    int ends[2];
    int64_t now_ns = event_loop_now();
    *p = (exec_plugin){.loop = loop,
                       .config = config,
                       .done = done,
                       .context = context,
                       .pipe = -1,
                       .deadline_ns = now_ns + timeout_ns};
    if (pipe2(ends, O_CLOEXEC) != 0) {
        p->failure = "no descriptor is left for its output";
    } else {
        p->pipe = ends[0];
        (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
        if (spawn(p, ends[1]) != 0) {
            p->child = 0;
            p->failure =
                config->install_hint != NULL ? config->install_hint : "it cannot be started";
        } else if (!event_loop_fd(loop, p->pipe, EPOLLIN, on_pipe, p))
            p->deadline_ns = now_ns;
        close(ends[1]);
    }
    p->timer = event_loop_timer(loop, p->child == 0 ? now_ns : p->deadline_ns, on_timer, p);
    return p;
}

void exec_plugin_kill(exec_plugin *p)
{
    if (p == NULL)
        return;
    if (p->child != 0) {
        kill(p->child, SIGKILL);
        waitpid(p->child, NULL, 0);
    }
    release(p);
}
