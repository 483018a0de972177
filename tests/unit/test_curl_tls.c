/* Which servers the transport talks to over TLS: certificates of all kinds, versions of TLS, and
 * the roots that count. The "system's" roots are made here, too: the linker redirects
 * curl_easy_init (CMakeLists.txt) to a function that sets them as libcurl's default. */
#include <arpa/inet.h>
#include <stdatomic.h>
#include <unistd.h>

#include <curl/curl.h>
#include <microhttpd.h>

#include "loopback_client.h"

static char folder[64];

static const char *in_folder(const char *name)
{
    static char paths[4][128];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

CURL *__real_curl_easy_init(void);
CURL *__wrap_curl_easy_init(void);

CURL *__wrap_curl_easy_init(void)
{
    CURL *easy = __real_curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_CAINFO, in_folder("system.pem"));
    curl_easy_setopt(easy, CURLOPT_CAPATH, in_folder("system"));
    return easy;
}

/* ---- certificates ---- */

/* `ca` signs what a test needs; `system` is the root of the system. A certificate is NAME.pem with
 * its chain, and NAME.key. The configuration lets libssl take everything, so that only the
 * transport's own settings refuse a server. */
static const char script[] =
    "set -e; cd \"$1\"\n"
    "curve='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'\n"
    "root() { openssl req -x509 $curve -days 2 -subj /CN=$1 -keyout $1.key -out $1.pem; }\n"
    "ask() { openssl req -new $curve -subj /CN=$2 -keyout $1.key -out $1.csr; }\n"
    "leaf() { # NAME CN SIGNER DAYS EXTENSIONS\n"
    "  ask $1 $2; printf \"$5\" >$1.ext\n"
    "  openssl x509 -req -in $1.csr -CA $3.pem -CAkey $3.key -CAcreateserial -days $4 "
    "-extfile $1.ext -out $1.pem; }\n"
    "names=subjectAltName=DNS:localhost,IP:127.0.0.1\n"
    "root ca; root system\n"
    "mkdir system; cp system.pem system/$(openssl x509 -in system.pem -noout -hash).0\n"
    "leaf good test ca 2 $names\n"
    "leaf other localhost ca 2 subjectAltName=DNS:other.example,IP:127.0.0.2\n"
    "leaf named other.example ca 2 ''\n"
    "leaf name-only test ca 2 subjectAltName=DNS:localhost\n"
    "leaf address-only test ca 2 subjectAltName=IP:127.0.0.1\n"
    "leaf address-as-name test ca 2 subjectAltName=DNS:127.0.0.1\n"
    "leaf wild test ca 2 'subjectAltName=DNS:*.web.example'\n"
    "leaf expired test ca -1 $names\n"
    "ask early test; printf $names >early.ext; : >index; echo 01 >serial\n"
    "printf '[ca]\ndefault_ca = a\n[a]\ndatabase = index\nserial = serial\nnew_certs_dir = .\n"
    "default_md = sha256\npolicy = p\n[p]\ncommonName = supplied\n' >ca.cnf\n"
    "openssl ca -batch -config ca.cnf -cert ca.pem -keyfile ca.key -in early.csr -notext "
    "-extfile early.ext -startdate 20990101000000Z -enddate 21000101000000Z -out early.pem\n"
    "leaf client test ca 2 \"$names\\nextendedKeyUsage=clientAuth\"\n"
    "leaf foreign test system 2 $names\n"
    "ask old-ca old-ca; printf basicConstraints=critical,CA:TRUE >old-ca.ext\n"
    "openssl x509 -req -in old-ca.csr -signkey old-ca.key -days -1 -extfile old-ca.ext "
    "-out old-ca.pem\n"
    "leaf of-old-ca test old-ca 2 $names\n"
    "leaf of-no-ca test good 2 $names; cat good.pem >>of-no-ca.pem\n"
    "openssl req -x509 $curve -days 2 -subj /CN=test -addext $names -keyout self.key "
    "-out self.pem\n"
    "printf 'openssl_conf = a\\n[a]\\nssl_conf = b\\n[b]\\nsystem_default = c\\n[c]\\n"
    "MinProtocol = TLSv1\\nCipherString = DEFAULT:@SECLEVEL=0\\n' >openssl.cnf\n";

static bool make_certificates(void)
{
    FILE *file = fopen(in_folder("make.sh"), "w");
    char command[512];
    assert_non_null(file);
    fputs(script, file);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof(command), "sh %s %s >%s 2>&1", in_folder("make.sh"), folder,
             in_folder("log"));
    if (system("openssl version >/dev/null 2>&1") != 0) {
        print_message("skipped: openssl, which makes the certificates, is not installed\n");
        return false;
    }
    if (system(command) != 0) {
        snprintf(command, sizeof(command), "cat %s >&2", in_folder("log"));
        (void)!system(command);
        fail_msg("openssl makes no certificates");
    }
    return true;
}

static char *file_text(const char *name)
{
    static char texts[2][16384];
    static int next;
    char *text = texts[next++ % 2];
    FILE *file = fopen(in_folder(name), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(texts[0]) - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* ---- the server ---- */

static struct MHD_Daemon *server;
static atomic_int requests;

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *bytes, size_t *count, void **state)
{
    (void)context;
    (void)path;
    (void)method;
    (void)version;
    (void)bytes;
    (void)count;
    (void)state;
    requests++;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result result = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return result;
}

static void serve(const char *certificate, const char *versions)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char name[64], priorities[128];
    snprintf(priorities, sizeof(priorities), "NORMAL:-VERS-ALL:%s", versions);
    snprintf(name, sizeof(name), "%s.pem", certificate);
    const char *pem = file_text(name);
    snprintf(name, sizeof(name), "%s.key", certificate);
    server = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_TLS, 0, NULL, NULL,
                              on_request, NULL, MHD_OPTION_SOCK_ADDR, &any,
                              MHD_OPTION_HTTPS_PRIORITIES, priorities, MHD_OPTION_HTTPS_MEM_CERT,
                              pem, MHD_OPTION_HTTPS_MEM_KEY, file_text(name), MHD_OPTION_END);
    assert_non_null(server);
}

static void serve_new(const char *certificate)
{
    serve(certificate, "+VERS-TLS1.3:+VERS-TLS1.2");
}

static void end_server(void)
{
    MHD_stop_daemon(server);
    server = NULL;
}

static int port(void)
{
    return MHD_get_daemon_info(server, MHD_DAEMON_INFO_BIND_PORT)->port;
}

/* ---- requests ---- */

/* How the server is known: its host, the name to verify (or NULL), and its roots. */
typedef enum roots { ROOTS_FILE, ROOTS_DATA, ROOTS_SYSTEM, ROOTS_NONE } roots;

static bool talks(const char *host, const char *name, roots from, const char *ca)
{
    char url[128];
    loopback_end end;
    const int before = requests;
    client_open();
    snprintf(url, sizeof(url), "https://%s:%d", host, port());
    client.access = (server_access){.server = url, .tls_server_name = name};
    client.access.insecure = from == ROOTS_NONE;
    if (from == ROOTS_FILE)
        client.access.ca_file = in_folder(ca);
    const char *text = from == ROOTS_DATA ? file_text(ca) : NULL;
    if (text != NULL)
        client.access.ca_data = (berth_str){text, (uint32_t)strlen(text)};
    client_send("GET", "/", 0, &end);
    client_wait(&end);
    client_close();
    const bool answered = end.outcome == LIVE_ANSWERED;
    assert_int_equal(end.status, answered ? 200 : 0);
    assert_int_equal(requests - before, answered);
    if (!answered)
        assert_int_equal(end.outcome, LIVE_NOT_SENT);
    return answered;
}

static void each_certificate(void **state)
{
    static const struct {
        const char *certificate, *host, *name, *ca;
        bool good;
    } cases[] = {
        {"good", "localhost", NULL, "ca.pem", true},
        {"good", "127.0.0.1", NULL, "ca.pem", true},
        {"good", "127.0.0.1", "localhost", "ca.pem", true},
        {"good", "localhost", "other.example", "ca.pem", false},
        {"other", "localhost", NULL, "ca.pem", false}, /* though it is the certificate's subject */
        {"other", "127.0.0.1", NULL, "ca.pem", false},
        {"other", "127.0.0.1", "other.example", "ca.pem", true},
        {"named", "localhost", NULL, "ca.pem", false},
        {"named", "127.0.0.1", NULL, "ca.pem", false},
        {"name-only", "localhost", NULL, "ca.pem", true},
        {"name-only", "127.0.0.1", NULL, "ca.pem", false},
        {"address-only", "127.0.0.1", NULL, "ca.pem", true},
        {"address-only", "localhost", NULL, "ca.pem", false},
        {"address-as-name", "127.0.0.1", NULL, "ca.pem", false},
        {"wild", "127.0.0.1", "a.web.example", "ca.pem", true},
        {"wild", "127.0.0.1", "b.a.web.example", "ca.pem", false},
        {"wild", "127.0.0.1", "web.example", "ca.pem", false},
        {"expired", "localhost", NULL, "ca.pem", false},
        {"early", "localhost", NULL, "ca.pem", false},  /* not valid yet */
        {"client", "localhost", NULL, "ca.pem", false}, /* a client's certificate */
        {"foreign", "localhost", NULL, "ca.pem", false},
        {"foreign", "localhost", NULL, "system.pem", true},
        {"of-old-ca", "localhost", NULL, "old-ca.pem", false},
        {"of-old-ca", "localhost", NULL, "ca.pem", false},
        {"of-no-ca", "localhost", NULL, "ca.pem", false}, /* signed by a server */
        {"self", "localhost", NULL, "ca.pem", false},
        {"self", "localhost", NULL, "self.pem", true},
        {"self", "localhost", "other.example", "self.pem", false},
    };
    (void)state;
    if (folder[0] == '\0')
        skip();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        serve_new(cases[i].certificate);
        for (roots from = ROOTS_FILE; from <= ROOTS_DATA; from++)
            if (talks(cases[i].host, cases[i].name, from, cases[i].ca) != cases[i].good)
                fail_msg("certificate %s, host %s, name %s, roots %s: %s", cases[i].certificate,
                         cases[i].host, cases[i].name != NULL ? cases[i].name : "-", cases[i].ca,
                         cases[i].good ? "refused" : "accepted");
        if (!talks(cases[i].host, cases[i].name, ROOTS_NONE, NULL))
            fail_msg("certificate %s: refused without a check", cases[i].certificate);
        end_server();
    }
}

/* Where a CA is given, the system's roots do not count; without one, they alone do. */
static void the_systems_roots(void **state)
{
    (void)state;
    if (folder[0] == '\0')
        skip();
    serve_new("foreign");
    assert_true(talks("localhost", NULL, ROOTS_SYSTEM, NULL));
    assert_false(talks("localhost", NULL, ROOTS_FILE, "ca.pem"));
    assert_false(talks("localhost", NULL, ROOTS_DATA, "ca.pem"));
    assert_false(talks("127.0.0.2", NULL, ROOTS_SYSTEM, NULL));
    end_server();
    serve_new("good");
    assert_false(talks("localhost", NULL, ROOTS_SYSTEM, NULL));
    assert_true(talks("localhost", NULL, ROOTS_DATA, "ca.pem"));
    end_server();
}

/* Whether the server can be reached by anybody who accepts any version of TLS. */
static bool is_reachable(void)
{
    char url[128];
    CURL *easy = __real_curl_easy_init();
    snprintf(url, sizeof(url), "https://localhost:%d/", port());
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_CAINFO, in_folder("ca.pem"));
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_0);
    const bool reached = curl_easy_perform(easy) == CURLE_OK;
    curl_easy_cleanup(easy);
    return reached;
}

static void versions_of_tls(void **state)
{
    static const struct {
        const char *version;
        bool good;
    } cases[] = {
        {"+VERS-TLS1.3", true},
        {"+VERS-TLS1.2", true},
        {"+VERS-TLS1.1", false},
        {"+VERS-TLS1.0", false},
    };
    bool skips = false;
    (void)state;
    if (folder[0] == '\0')
        skip();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        serve("good", cases[i].version);
        const bool reachable = is_reachable();
        if (!reachable)
            print_message("skipped: %s: libcurl and the server cannot use it\n", cases[i].version);
        skips |= !reachable;
        if (reachable && talks("localhost", NULL, ROOTS_DATA, "ca.pem") != cases[i].good)
            fail_msg("%s: %s", cases[i].version, cases[i].good ? "refused" : "accepted");
        if (reachable && talks("localhost", NULL, ROOTS_NONE, NULL) != cases[i].good)
            fail_msg("%s, certificate not verified: %s", cases[i].version,
                     cases[i].good ? "refused" : "accepted");
        end_server();
    }
    if (skips)
        skip();
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/berth-tls-XXXXXX");
    assert_non_null(mkdtemp(folder));
    if (make_certificates()) {
        setenv("OPENSSL_CONF", in_folder("openssl.cnf"), 1); /* before libssl begins */
        return 0;
    }
    remove(in_folder("make.sh"));
    remove(folder);
    folder[0] = '\0';
    return 0;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return folder[0] == '\0' ? 0 : system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_certificate),
        cmocka_unit_test(the_systems_roots),
        cmocka_unit_test(versions_of_tls),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder) != 0;
}
