/* How the server starts: addresses, files, and what libmicrohttpd is told, from the versions of TLS
 * to the number of connections. No server runs here. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/serving/self_signed.h"
#include "live/serving/serving.h"

static bool no_address;          /* names are only noted */
static char host[300], port[16]; /* the last that were looked up; host "*": every address */
static char signed_host[300];    /* for which a certificate was made */
static bool no_daemon;
static char place; /* the daemon is its address */

static struct {
    unsigned flags, limit, timeout_s;
    int fd;
    char priorities[128], certificate[8192], key[2048], trust[8192];
    bool all_blocked;                     /* all signals */
    bool asks_clients;                    /* for certificates */
    int family, listens, reuses, v6_only; /* of the socket */
    int stops;
} told;

int __real_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                       struct addrinfo **out);
int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                       struct addrinfo **out);
int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                       struct addrinfo **out)
{
    snprintf(host, sizeof(host), "%s", name != NULL ? name : "*");
    snprintf(port, sizeof(port), "%s", service);
    assert_int_equal(hints->ai_socktype, SOCK_STREAM);
    assert_int_equal(hints->ai_flags, AI_PASSIVE | AI_NUMERICSERV);
    return no_address ? EAI_NONAME : __real_getaddrinfo(name, service, hints, out);
}

berth_status __real_self_signed_make(const char *name, char **certificate, char **key,
                                     berth_error *error);
berth_status __wrap_self_signed_make(const char *name, char **certificate, char **key,
                                     berth_error *error);
berth_status __wrap_self_signed_make(const char *name, char **certificate, char **key,
                                     berth_error *error)
{
    snprintf(signed_host, sizeof(signed_host), "%s", name);
    return __real_self_signed_make(name, certificate, key, error);
}

static void keep(char *out, size_t size, const void *text)
{
    snprintf(out, size, "%s", text != NULL ? (const char *)text : "");
}

static void take_items(const struct MHD_OptionItem *item)
{
    for (; item->option != MHD_OPTION_END; item++)
        if (item->option == MHD_OPTION_HTTPS_PRIORITIES)
            keep(told.priorities, sizeof(told.priorities), item->ptr_value);
        else if (item->option == MHD_OPTION_HTTPS_MEM_CERT)
            keep(told.certificate, sizeof(told.certificate), item->ptr_value);
        else if (item->option == MHD_OPTION_HTTPS_MEM_KEY)
            keep(told.key, sizeof(told.key), item->ptr_value);
        else if (item->option == MHD_OPTION_HTTPS_MEM_TRUST) {
            told.asks_clients = true;
            keep(told.trust, sizeof(told.trust), item->ptr_value);
        } else
            fail_msg("option %d", (int)item->option);
}

static void take_option(int option, va_list *args)
{
    switch (option) {
    case MHD_OPTION_LISTEN_SOCKET:
        told.fd = va_arg(*args, int);
        break;
    case MHD_OPTION_CONNECTION_LIMIT:
        told.limit = va_arg(*args, unsigned);
        break;
    case MHD_OPTION_CONNECTION_TIMEOUT:
        told.timeout_s = va_arg(*args, unsigned);
        break;
    case MHD_OPTION_NOTIFY_CONNECTION:
    case MHD_OPTION_NOTIFY_COMPLETED:
        assert_non_null(va_arg(*args, void *));
        assert_non_null(va_arg(*args, void *));
        break;
    case MHD_OPTION_ARRAY:
        take_items(va_arg(*args, const struct MHD_OptionItem *));
        break;
    default:
        fail_msg("option %d", option);
    }
}

static int option_of(int level, int option)
{
    int value = -1;
    socklen_t size = sizeof(value);
    (void)getsockopt(told.fd, level, option, &value, &size);
    return value;
}

static void look_at_the_socket(void)
{
    told.family = option_of(SOL_SOCKET, SO_DOMAIN);
    told.listens = option_of(SOL_SOCKET, SO_ACCEPTCONN);
    told.reuses = option_of(SOL_SOCKET, SO_REUSEADDR);
    told.v6_only = told.family == AF_INET6 ? option_of(IPPROTO_IPV6, IPV6_V6ONLY) : 0;
}

static bool is_blocked(int signal)
{
    sigset_t now;
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &now), 0);
    return sigismember(&now, signal) == 1;
}

struct MHD_Daemon *__wrap_MHD_start_daemon(unsigned flags, uint16_t at,
                                           MHD_AcceptPolicyCallback accept, void *accept_context,
                                           MHD_AccessHandlerCallback handle, void *handle_context,
                                           ...);
struct MHD_Daemon *__wrap_MHD_start_daemon(unsigned flags, uint16_t at,
                                           MHD_AcceptPolicyCallback accept, void *accept_context,
                                           MHD_AccessHandlerCallback handle, void *handle_context,
                                           ...)
{
    va_list args;
    (void)accept_context;
    assert_int_equal(at, 0); /* the socket has it */
    assert_true(accept == NULL);
    assert_true(handle != NULL && handle_context != NULL);
    told.flags = flags;
    told.all_blocked = is_blocked(SIGTERM) && is_blocked(SIGINT) && is_blocked(SIGUSR1);
    va_start(args, handle_context);
    for (int option; (option = va_arg(args, int)) != MHD_OPTION_END;)
        take_option(option, &args);
    va_end(args);
    look_at_the_socket();
    return no_daemon ? NULL : (void *)&place;
}

void __wrap_MHD_stop_daemon(struct MHD_Daemon *daemon);
void __wrap_MHD_stop_daemon(struct MHD_Daemon *daemon)
{
    assert_ptr_equal(daemon, &place);
    told.stops++;
    close(told.fd);
}

/* ---- the server ---- */

static char path[64];
static berth_error error;

static int start(void **state)
{
    (void)state;
    memset(&told, 0, sizeof(told));
    no_address = no_daemon = false;
    host[0] = port[0] = signed_host[0] = '\0';
    snprintf(path, sizeof(path), "/tmp/berth-serving-XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    assert_int_equal(unlink(path), 0);
    assert_false(is_blocked(SIGTERM));
    return 0;
}

/* Starts and stops a server. */
static berth_status serve(const serving_options *options)
{
    serving *s = NULL;
    memset(&error, 0, sizeof(error));
    const berth_status status = serving_start(options, &s, &error);
    assert_int_equal(s != NULL, status == BERTH_OK);
    if (s != NULL)
        assert_true(serving_port(s) > 0);
    serving_stop(s);
    assert_int_equal(told.stops, status == BERTH_OK ? 1 : 0);
    told.stops = 0;
    return status;
}

/* ---- addresses ---- */

static void is_address(const char *address, const char *its_host, const char *its_port)
{
    host[0] = '\0';
    assert_int_equal(serve(&(serving_options){.address = address}), BERTH_E_ARG);
    if (its_host != NULL) {
        assert_non_null(strstr(error.message, "can't serve at"));
        assert_string_equal(host, its_host);
        assert_string_equal(port, its_port);
    } else {
        if (host[0] != '\0' || strstr(error.message, "is no address to serve at") == NULL)
            fail_msg("%s: %s", address, error.message);
    }
}

static void addresses(void **state)
{
    static const char *const none[] = {
        "",         "h",        "h:",     ":",     "::1",      "::1:1",    "h:65536", "h:99999",
        "h:100000", "h:00080x", "h:-1",   "h:+1",  "h: 1",     "h:1 ",     "h:0x10",  "[::1]",
        "[::1]:",   "[::1:1",   "::1]:1", "h:1:2", "h:000001", "[::1]x:1",
    };
    char longest[300], with_port[310];
    (void)state;
    no_address = true;
    is_address("h:1", "h", "1");
    is_address(":1", "*", "1");
    is_address("10.0.0.1:0", "10.0.0.1", "0");
    is_address("h:65535", "h", "65535");
    is_address("h:10000", "h", "10000");
    is_address("[::1]:10259", "::1", "10259");
    is_address("[]:1", "*", "1");
    is_address("[:1", "[", "1");
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        is_address(none[i], NULL, NULL);
    for (size_t length = 254; length <= 257; length++) {
        memset(longest, 'h', length);
        longest[length] = '\0';
        snprintf(with_port, sizeof(with_port), "%s:1", longest);
        is_address(with_port, length < 256 ? longest : NULL, "1");
    }
}

/* ---- what the library is told ---- */

enum { SERVES = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME };

static void without_tls(void **state)
{
    (void)state;
    assert_int_equal(serve(&(serving_options){.address = "127.0.0.1:0"}), BERTH_OK);
    assert_int_equal(told.flags, SERVES);
    assert_int_equal(told.limit, 64);
    assert_int_equal(told.timeout_s, 30);
    assert_true(told.all_blocked);
    assert_string_equal(told.certificate, "");
    assert_string_equal(told.trust, "");
    assert_int_equal(serve(&(serving_options){.address = "127.0.0.1:0", .connections = 1}),
                     BERTH_OK);
    assert_int_equal(told.limit, 1);
}

static void with_tls(void **state)
{
    serving_options options = {.address = "127.0.0.1:0", .self_signed = true};
    (void)state;
    assert_int_equal(serve(&options), BERTH_OK);
    assert_string_equal(signed_host, "127.0.0.1");
    assert_int_equal(told.flags, SERVES | MHD_USE_TLS);
    assert_string_equal(told.priorities, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2");
    assert_non_null(strstr(told.certificate, "BEGIN CERTIFICATE"));
    assert_non_null(strstr(told.key, "PRIVATE KEY"));
    assert_false(told.asks_clients);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(told.certificate, file);
    assert_int_equal(fclose(file), 0);
    options.client_ca_file = path;
    options.address = ":0";
    assert_int_equal(serve(&options), BERTH_OK);
    assert_string_equal(signed_host, "");
    assert_non_null(strstr(told.trust, "BEGIN CERTIFICATE"));
    assert_string_not_equal(told.trust, told.certificate);
}

/* The lowest file descriptor that is free. */
static int free_fd(void)
{
    const int fd = open("/", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    close(fd);
    return fd;
}

/* Whether this machine has IPv6. */
static bool has_v6(void)
{
    const struct sockaddr_in6 any = {.sin6_family = AF_INET6};
    const int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool has = fd >= 0 && bind(fd, (const struct sockaddr *)&any, sizeof(any)) == 0;
    if (fd >= 0)
        close(fd);
    return has;
}

/* It listens, at the port at once after another server; without a host, for IPv4 and IPv6. */
static void the_socket(void **state)
{
    char address[32];
    serving *first = NULL;
    (void)state;
    const int before = free_fd();
    assert_int_equal(serve(&(serving_options){.address = "127.0.0.1:0"}), BERTH_OK);
    assert_int_equal(told.family, AF_INET);
    assert_int_equal(told.listens, 1);
    assert_int_equal(told.reuses, 1);
    assert_int_equal(free_fd(), before);
    assert_int_equal(serve(&(serving_options){.address = ":0"}), BERTH_OK);
    assert_int_equal(told.family, has_v6() ? AF_INET6 : AF_INET);
    assert_int_equal(told.v6_only, 0);
    assert_int_equal(told.listens, 1);
    const serving_options taken = {.address = "127.0.0.1:0"};
    assert_int_equal(serving_start(&taken, &first, &error), BERTH_OK);
    const int fd = told.fd;
    snprintf(address, sizeof(address), "127.0.0.1:%d", serving_port(first));
    told.stops = 0;
    const int with_first = free_fd();
    assert_int_equal(serve(&(serving_options){.address = address}), BERTH_E_IO);
    assert_non_null(strstr(error.message, strerror(EADDRINUSE)));
    assert_int_equal(free_fd(), with_first);
    told.fd = fd;
    serving_stop(first);
    assert_int_equal(free_fd(), before);
}

/* Files win over a certificate of our own; both are needed. */
static void files(void **state)
{
    serving_options options = {.address = "127.0.0.1:0", .self_signed = true};
    (void)state;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("pem", file);
    assert_int_equal(fclose(file), 0);
    options.certificate_file = path;
    assert_int_equal(serve(&options), BERTH_E_ARG);
    options.certificate_file = NULL;
    options.key_file = path;
    assert_int_equal(serve(&options), BERTH_E_ARG);
    options.certificate_file = path;
    assert_int_equal(serve(&options), BERTH_OK);
    assert_string_equal(told.certificate, "pem");
    assert_string_equal(told.key, "pem");
    assert_string_equal(signed_host, "");
    no_daemon = true;
    assert_int_equal(serve(&options), BERTH_E_IO);
    assert_non_null(strstr(error.message, "can't serve with this certificate and its key"));
    assert_int_equal(fcntl(told.fd, F_GETFD), -1); /* the socket is closed */
    options = (serving_options){.address = "127.0.0.1:0"};
    assert_int_equal(serve(&options), BERTH_E_IO);
    assert_non_null(strstr(error.message, "the server can't be started"));
    no_daemon = false;
    options.client_ca_file = path; /* no certificate of an authority */
    assert_int_equal(serve(&options), BERTH_E_IO);
    assert_non_null(strstr(error.message, "it has no certificate in PEM"));
    assert_string_equal(error.source, path);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(serve(&options), BERTH_E_IO);
    assert_non_null(strstr(error.message, "it is empty"));
    options.client_ca_file = "/nowhere/ca";
    assert_int_equal(serve(&options), BERTH_E_IO);
    assert_non_null(strstr(error.message, strerror(ENOENT)));
    options.client_ca_file = "/"; /* a folder */
    assert_int_equal(serve(&options), BERTH_E_IO);
    assert_non_null(strstr(error.message, "can't be read"));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {T(addresses), T(the_socket), T(without_tls), T(with_tls),
                                       T(files)};
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
