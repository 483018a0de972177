/* Keeps tokens and certificates current. If a token cannot be read again, the old one stays in use.
 * If a credential plugin fails, it is run again after a pause; requests fail in the meantime
 * instead of waiting forever. */
#include "live/credentials/credentials.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/heap.h"
#include "live/credentials/exec_plugin.h"
#include "live/log/log.h"

static const int64_t second_ns = 1000000000;
enum { EXEC_AGAIN_SECONDS = 5, FILES = 3 };

/* Shows whether a file has changed. */
typedef struct file_mark {
    const char *path; /* NULL: none */
    struct timespec changed;
    off_t size;
    ino_t inode;
} file_mark;

struct credentials {
    credentials_options options;
    curl_transport *transport;
    server_access access;
    char *token; /* the token in use; NULL: none */
    int64_t token_read_ns;
    bool token_was_read;
    exec_plugin *running;
    bool has_exec; /* a plugin has answered, and its answer is valid until */
    int64_t exec_expires_unix_ns;
    int64_t exec_again_ns; /* after a failure: not before this time */
    int64_t exec_got_ns;
    char *certificate, *key;
    file_mark files[FILES];
    live_id timer;
};

static int64_t or_else(int64_t value, int64_t otherwise)
{
    return value != 0 ? value : otherwise;
}

/* ---- token files ---- */

/* Returns whether the file holds a new token. */
static bool read_token(credentials *c)
{
    size_t length = 0;
    char *text = small_file_read(c->options.config->token_file, &length);
    c->token_read_ns = event_loop_now();
    c->token_was_read = true;
    if (text == NULL) {
        LOG_WARNING("the token file can't be read; the old token stays", "file",
                    c->options.config->token_file);
        return false;
    }
    char *from = text + strspn(text, " \t\r\n");
    char *end = from + strlen(from);
    while (end > from && strchr(" \t\r\n", end[-1]) != NULL)
        *--end = '\0';
    if (*from == '\0' || strpbrk(from, "\r\n") != NULL ||
        (c->token != NULL && strcmp(from, c->token) == 0)) {
        free(text);
        return false;
    }
    free(c->token);
    c->token = heap_text(from, strlen(from));
    free(text);
    return true;
}

/* ---- plugins ---- */

static int64_t unix_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * second_ns + now.tv_nsec;
}

static char *copy_or_null(const char *text)
{
    return text != NULL ? heap_text(text, strlen(text)) : NULL;
}

static void take_certificate(credentials *c, const exec_credential *got)
{
    bool same = (c->certificate == NULL && got->certificate == NULL) ||
                (c->certificate != NULL && got->certificate != NULL &&
                 strcmp(c->certificate, got->certificate) == 0 && strcmp(c->key, got->key) == 0);
    if (same)
        return;
    bool renew = c->certificate != NULL;
    free(c->certificate);
    free(c->key);
    c->certificate = copy_or_null(got->certificate);
    c->key = copy_or_null(got->key);
    c->access.certificate_data = (berth_str){0};
    c->access.key_data = (berth_str){0};
    if (c->certificate != NULL) {
        c->access.certificate_data = (berth_str){c->certificate, (uint32_t)strlen(c->certificate)};
        c->access.key_data = (berth_str){c->key, (uint32_t)strlen(c->key)};
    }
    if (renew)
        curl_transport_renew(c->transport);
}

static void on_exec(void *context, const exec_credential *got)
{
    credentials *c = context;
    c->running = NULL;
    if (got->failure != NULL) {
        LOG_ERROR("the credential plugin gave nothing", "command", c->options.config->exec.command,
                  "why", got->failure);
        c->exec_again_ns = event_loop_now() + EXEC_AGAIN_SECONDS * second_ns;
    } else {
        c->has_exec = true;
        c->exec_expires_unix_ns = got->expires_unix_ns;
        c->exec_got_ns = event_loop_now();
        free(c->token);
        c->token = copy_or_null(got->token);
        take_certificate(c, got);
    }
    curl_transport_resume(c->transport);
}

static access_state authorize_exec(credentials *c, const char **why)
{
    if (c->has_exec && unix_now() < c->exec_expires_unix_ns)
        return ACCESS_READY;
    c->has_exec = false;
    if (c->running != NULL)
        return ACCESS_WAIT;
    if (event_loop_now() < c->exec_again_ns) {
        *why = "the credential plugin failed";
        return ACCESS_FAILED;
    }
    c->running = exec_plugin_run(c->options.loop, &c->options.config->exec,
                                 or_else(c->options.exec_timeout_ns, 60 * second_ns), on_exec, c);
    return ACCESS_WAIT;
}

/* ---- called by the transport ---- */

static const server_access *get_access(void *self)
{
    return &((credentials *)self)->access;
}

static access_state authorize(void *self, const char **bearer, const char **why)
{
    credentials *c = self;
    const kubeconfig *config = c->options.config;
    if (config->exec.command != NULL) {
        access_state state = authorize_exec(c, why);
        if (state != ACCESS_READY)
            return state;
    } else if (config->token_file != NULL) {
        int64_t age_ns = event_loop_now() - c->token_read_ns;
        if (!c->token_was_read || age_ns >= or_else(c->options.token_age_ns, 50 * second_ns))
            (void)read_token(c);
    }
    *bearer = c->token;
    return ACCESS_READY;
}

static bool refused(void *self)
{
    credentials *c = self;
    const kubeconfig *config = c->options.config;
    if (config->exec.command != NULL) {
        /* If several requests are refused at once, only the first one makes the plugin run
         * again. */
        if (event_loop_now() - c->exec_got_ns >= second_ns)
            c->has_exec = false;
        return true;
    }
    if (config->token_file == NULL)
        return false;
    (void)read_token(c);
    return true;
}

const access_ops credentials_access_ops = {get_access, authorize, refused};

/* ---- files ---- */

static bool has_changed(file_mark *mark)
{
    struct stat now;
    if (mark->path == NULL || stat(mark->path, &now) != 0)
        return false;
    bool changed = now.st_size != mark->size || now.st_ino != mark->inode ||
                   now.st_mtim.tv_sec != mark->changed.tv_sec ||
                   now.st_mtim.tv_nsec != mark->changed.tv_nsec;
    mark->size = now.st_size;
    mark->inode = now.st_ino;
    mark->changed = now.st_mtim;
    return changed;
}

static bool any_has_changed(credentials *c)
{
    bool any = false;
    for (size_t i = 0; i < FILES; i++)
        any = has_changed(&c->files[i]) || any;
    return any;
}

static void on_timer(void *context)
{
    credentials *c = context;
    if (any_has_changed(c)) {
        LOG_INFO(0, "certificates have changed; connecting anew");
        curl_transport_renew(c->transport);
    }
    c->timer = event_loop_timer(
        c->options.loop, event_loop_now() + or_else(c->options.look_every_ns, 300 * second_ns),
        on_timer, c);
}

credentials *credentials_create(const credentials_options *options)
{
    credentials *c = heap_new(1, sizeof(*c));
    const server_access *access = &options->config->access;
    c->options = *options;
    c->access = *access;
    c->token = copy_or_null(options->config->token);
    if (access->insecure)
        LOG_WARNING("the API server's certificate is not verified", "server", access->server);
    if (access->ca_data.data == NULL)
        c->files[0].path = access->ca_file;
    if (access->certificate_data.data == NULL)
        c->files[1].path = access->certificate_file;
    if (access->key_data.data == NULL)
        c->files[2].path = access->key_file;
    (void)any_has_changed(c);
    return c;
}

void credentials_attach(credentials *c, curl_transport *transport)
{
    c->transport = transport;
    c->timer = event_loop_timer(
        c->options.loop, event_loop_now() + or_else(c->options.look_every_ns, 300 * second_ns),
        on_timer, c);
}

void credentials_destroy(credentials *c)
{
    if (c == NULL)
        return;
    exec_plugin_kill(c->running);
    event_loop_timer_stop(c->options.loop, c->timer);
    free(c->token);
    free(c->certificate);
    free(c->key);
    free(c);
}
