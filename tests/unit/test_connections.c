/* Which connection the server closes when there are too many, and whom it takes for one client or
 * for a client of this host. Sockets are numbers here, whose addresses the test chooses. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "live/serving/connections.h"

enum { ROOM = 8, MOST = 64, CLOSED_NONE = -1 };

static connections c;
static const char *addresses[MOST]; /* by socket; NULL: it has none any more */
static char handles[MOST];          /* the connection of each socket */
static int closed;                  /* the socket that was shut down last */
static int closings;

static struct MHD_Connection *handle_of(int fd)
{
    return (void *)&handles[fd];
}

static int socket_of(const struct MHD_Connection *handle)
{
    return (int)((const char *)handle - handles);
}

const union MHD_ConnectionInfo *__wrap_MHD_get_connection_info(struct MHD_Connection *handle,
                                                               enum MHD_ConnectionInfoType type,
                                                               ...);
const union MHD_ConnectionInfo *
__wrap_MHD_get_connection_info(struct MHD_Connection *handle, enum MHD_ConnectionInfoType type, ...)
{
    static union MHD_ConnectionInfo info;
    assert_int_equal(type, MHD_CONNECTION_INFO_CONNECTION_FD);
    info.connect_fd = socket_of(handle);
    return info.connect_fd == MOST - 1 ? NULL : &info;
}

int __wrap_getpeername(int fd, struct sockaddr *out, socklen_t *size);
int __wrap_getpeername(int fd, struct sockaddr *out, socklen_t *size)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(1)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(1)};
    assert_true(*size >= sizeof(v6));
    if (addresses[fd] == NULL) {
        errno = ENOTCONN;
        return -1;
    }
    if (inet_pton(AF_INET, addresses[fd], &v4.sin_addr) == 1) {
        memcpy(out, &v4, sizeof(v4));
        *size = sizeof(v4);
    } else {
        assert_int_equal(inet_pton(AF_INET6, addresses[fd], &v6.sin6_addr), 1);
        memcpy(out, &v6, sizeof(v6));
        *size = sizeof(v6);
    }
    return 0;
}

int __wrap_shutdown(int fd, int how);
int __wrap_shutdown(int fd, int how)
{
    assert_int_equal(how, SHUT_RDWR);
    closed = fd;
    closings++;
    return 0;
}

static int start(void **state)
{
    (void)state;
    connections_init(&c, ROOM);
    memset(addresses, 0, sizeof(addresses));
    closings = 0;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    connections_free(&c);
    assert_null(c.items);
    return 0;
}

/* Opens a connection; returns the socket that was closed for it. */
static int opened(int fd, const char *address)
{
    closed = CLOSED_NONE;
    addresses[fd] = address;
    connections_open(&c, handle_of(fd));
    return closed;
}

static void ended(int fd)
{
    connections_close(&c, handle_of(fd));
}

static void request(int fd, bool begins)
{
    connections_request(&c, handle_of(fd), begins);
}

/* ---- too many ---- */

/* A quarter of the room is one client's: of more, its own oldest goes, and nobody else's. */
static void a_client_has_a_quarter(void **state)
{
    (void)state;
    assert_int_equal(opened(0, "10.0.0.9"), CLOSED_NONE);
    assert_int_equal(opened(1, "10.0.0.1"), CLOSED_NONE);
    assert_int_equal(opened(2, "10.0.0.1"), CLOSED_NONE);
    assert_int_equal(opened(3, "10.0.0.1"), 1);
    assert_int_equal(opened(4, "10.0.0.1"), 2);
    assert_int_equal(c.count, 3);
    ended(1);
    ended(2);
    assert_int_equal(c.count, 3); /* these were not counted any more */
    ended(3);
    assert_int_equal(c.count, 2);
    assert_int_equal(opened(5, "10.0.0.1"), CLOSED_NONE);
    assert_int_equal(opened(6, "10.0.0.1"), 4);
}

/* Three quarters are all clients': of more, the oldest of all goes. */
static void all_have_three_quarters(void **state)
{
    static const char *const from[] = {"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4",
                                       "10.0.0.5", "10.0.0.6", "10.0.0.7"};
    (void)state;
    for (int i = 0; i < 6; i++)
        assert_int_equal(opened(i, from[i]), CLOSED_NONE);
    assert_int_equal(opened(6, from[6]), 0);
    assert_int_equal(c.count, 6);
    assert_int_equal(opened(7, from[0]), 1);
    ended(0);
    assert_int_equal(opened(8, from[1]), 2);
    assert_int_equal(closings, 3);
}

/* The shares are these in rooms of any size. */
static void rooms_of_any_size(void **state)
{
    static char from[MOST][16];
    (void)state;
    for (int room = 4; room < MOST - 1; room++) {
        stop(NULL);
        connections_init(&c, (uint32_t)room);
        for (int i = 0; i < room / 4; i++)
            assert_int_equal(opened(i, "10.0.0.1"), CLOSED_NONE);
        assert_int_equal(opened(room / 4, "10.0.0.1"), 0);
        stop(NULL);
        connections_init(&c, (uint32_t)room);
        for (int i = 0; i <= room / 4 * 3; i++) {
            snprintf(from[i], sizeof(from[i]), "10.0.1.%d", i);
            assert_int_equal(opened(i, from[i]), i < room / 4 * 3 ? CLOSED_NONE : 0);
        }
    }
}

/* One that waits for headers goes before one whose request is answered, even if that is older. */
static void requests_are_kept(void **state)
{
    (void)state;
    (void)opened(0, "10.0.0.1");
    (void)opened(1, "10.0.0.1");
    request(0, true);
    assert_int_equal(opened(2, "10.0.0.1"), 1);
    request(2, true);
    assert_int_equal(opened(3, "10.0.0.1"), 0); /* all but the new one are in a request */
    request(3, true);
    request(2, false); /* it waits since now */
    assert_int_equal(opened(4, "10.0.0.1"), 2);
    ended(0);
    ended(2);
    request(4, true);
    request(3, false);
    request(3, true); /* the beginning of a request does not make it younger, its end does */
    assert_int_equal(opened(5, "10.0.0.1"), 4);
}

/* The time of waiting begins anew with the end of a request. */
static void waiting_begins_anew(void **state)
{
    (void)state;
    (void)opened(0, "10.0.0.1");
    (void)opened(1, "10.0.0.1");
    request(0, true);
    request(0, false);
    assert_int_equal(opened(2, "10.0.0.1"), 1);
    request(0, true);
    request(2, true);
    ended(1);
    request(2, false);
    request(0, false);
    assert_int_equal(opened(3, "10.0.0.1"), 2);
}

/* What the server has no place for is neither counted nor closed by us. */
static void no_place(void **state)
{
    static const char *const from[] = {
        "::1:0:0:0:1", "1::", "2::", "3::", "4::", "5::", "6::", "7::", "8::", "9::"};
    (void)state;
    assert_int_equal(opened(MOST - 1, "10.0.0.1"), CLOSED_NONE); /* it has no socket */
    assert_int_equal(c.count, 0);
    for (int i = 0; i < ROOM; i++)
        (void)opened(i, from[i]);
    assert_int_equal(c.count, 6);
    assert_int_equal(opened(ROOM, from[ROOM]), CLOSED_NONE);
    assert_int_equal(c.count, 6);
    ended(ROOM);
    assert_int_equal(c.count, 6);
    request(ROOM, true);
    request(ROOM, false);
    ended(7);
    assert_int_equal(c.count, 5);
    assert_int_equal(opened(7, from[7]), CLOSED_NONE);
}

/* ---- clients ---- */

static void same_client(const char *a, const char *b, bool same)
{
    stop(NULL);
    start(NULL);
    (void)opened(0, a);
    (void)opened(1, a);
    const bool too_many = opened(2, b) == 0;
    if (too_many != same)
        fail_msg("%s and %s", a, b);
}

/* A client of IPv6 may have the whole network of its first 64 bits, one of IPv4 its address. */
static void who_is_one_client(void **state)
{
    (void)state;
    same_client("10.0.0.1", "10.0.0.1", true);
    same_client("10.0.0.1", "10.0.0.2", false);
    same_client("10.0.0.1", "11.0.0.1", false);
    same_client("10.0.0.1", "::ffff:10.0.0.1", true);
    same_client("::ffff:10.0.0.1", "::ffff:10.0.0.2", false);
    same_client("2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff", true);
    same_client("2001:db8:0:1::1", "2001:db8:0:2::1", false);
    same_client("2001:db8::", "3001:db8::", false);
}

static void addresses_are_told(void **state)
{
    static const uint8_t v4[16] =
        {[10] = 0xff, [11] = 0xff, [12] = 10, [13] = 1, [14] = 2, [15] = 3},
                         v6[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 2}, none[16] = {0};
    uint8_t out[16];
    (void)state;
    (void)opened(0, "10.1.2.3");
    (void)opened(1, "2001:db8:1:2:3:4:5:6");
    connections_client(&c, handle_of(0), out);
    assert_memory_equal(out, v4, 16);
    connections_client(&c, handle_of(1), out);
    assert_memory_equal(out, v6, 16);
    connections_client(&c, handle_of(2), out);
    assert_memory_equal(out, none, 16);
}

/* Only clients of this host may change it: no address that is merely like one of loopback is. */
static void who_is_local(void **state)
{
    static const struct {
        const char *address;
        bool local;
    } cases[] = {
        {"127.0.0.1", true},
        {"127.255.255.254", true},
        {"126.0.0.1", false},
        {"128.0.0.1", false},
        {"10.0.0.127", false},
        {"::ffff:127.0.0.1", true},
        {"::ffff:10.0.0.1", false},
        {"::1", true},
        {"::2", false},
        {"::", false},
        {"::1:1", false},
        {"1::1", false},
        {"::127.0.0.1", false},
        {"7f00::", false},
        {"fe80::1", false},
        {NULL, false},
    };
    (void)state;
    (void)opened(0, "127.0.0.1");
    assert_true(connections_is_local(&c, handle_of(0)));
    ended(0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void)opened(0, "1::"); /* the first place is another's */
        (void)opened(1, cases[i].address);
        if (connections_is_local(&c, handle_of(1)) != cases[i].local)
            fail_msg("%s", cases[i].address != NULL ? cases[i].address : "no address");
        addresses[1] = NULL; /* it is gone: nothing is known */
        assert_true(cases[i].address == NULL || strchr(cases[i].address, '.') != NULL ||
                    !connections_is_local(&c, handle_of(1)));
        ended(0);
        ended(1);
        assert_false(connections_is_local(&c, handle_of(1)));
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(a_client_has_a_quarter), T(all_have_three_quarters), T(rooms_of_any_size),
        T(requests_are_kept),      T(waiting_begins_anew),     T(no_place),
        T(who_is_one_client),      T(addresses_are_told),      T(who_is_local),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
