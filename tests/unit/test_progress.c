/* The progress bar on a terminal, which is a pseudo-terminal here, by a clock that the test sets:
 * when it appears, what it shows, and that it leaves nothing behind. */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/progress.h"

#define MS UINT64_C(1000000)

static uint64_t now_ns;
static int terminal, old_stderr;
static progress bar;
static char shown[1024];

int __wrap_clock_gettime(clockid_t clock, struct timespec *out);

int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    (void)clock;
    out->tv_sec = (time_t)(now_ns / 1000000000);
    out->tv_nsec = (long)(now_ns % 1000000000);
    return 0;
}

/* Standard error is the terminal only while the bar is called: cmocka writes there, too. */
static int start(void **state)
{
    (void)state;
    now_ns = 7000 * MS;
    terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    assert_int_equal(fcntl(terminal, F_SETFL, O_NONBLOCK), 0);
    const int end = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
    old_stderr = dup(STDERR_FILENO);
    assert_true(end >= 0 && old_stderr >= 0);
    assert_int_equal(dup2(end, STDERR_FILENO), STDERR_FILENO);
    close(end);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    progress_end(&bar);
    dup2(old_stderr, STDERR_FILENO);
    close(old_stderr);
    close(terminal);
    return 0;
}

/* What has been written since the last call: at least `wanted` bytes, unless they do not come. The
 * kernel hands them over in pieces. */
static const char *written(size_t wanted)
{
    enum { PATIENCE_MS = 10000 };
    struct pollfd ready = {.fd = terminal, .events = POLLIN};
    size_t count = 0;
    while (poll(&ready, 1, count < wanted ? PATIENCE_MS : 0) > 0) {
        const ssize_t more = read(terminal, shown + count, sizeof(shown) - 1 - count);
        if (more <= 0)
            break;
        count += (size_t)more;
    }
    shown[count] = '\0';
    return shown;
}

#define assert_written(text) assert_string_equal(written(strlen(text)), text)

static void update_after(uint64_t pause_ns, uint64_t done)
{
    now_ns += pause_ns;
    progress_update(&bar, done);
}

static void it_appears_after_half_a_second(void **state)
{
    (void)state;
    progress_start(&bar, "loading", 8);
    update_after(500 * MS - 1, 4);
    assert_written("");
    update_after(1, 4);
    assert_written("\rloading [###############...............]  50% 0 s left\033[K");
    update_after(100 * MS - 1, 6);
    assert_written(""); /* ten times a second */
    update_after(1, 6);
    assert_written("\rloading [#######################.......]  75% 0 s left\033[K");
}

static void it_estimates_what_is_left(void **state)
{
    (void)state;
    progress_start(&bar, "loading", 1000);
    update_after(1000 * MS, 10);
    assert_written("\rloading [#.............................]   1%\033[K");
    update_after(1000 * MS, 11);
    assert_written("\rloading [#.............................]   1% 180 s left\033[K");
    update_after(8000 * MS, 250);
    assert_written("\rloading [########......................]  25% 30 s left\033[K");
    update_after(1000 * MS, 1000);
    assert_written("\rloading [##############################] 100% 0 s left\033[K");
    update_after(1000 * MS, 2000);
    assert_written("\rloading [##############################] 100% 0 s left\033[K");
    update_after(1000 * MS, 0);
    assert_written("\rloading [..............................]   0%\033[K");
}

static void an_unknown_total_is_counted(void **state)
{
    (void)state;
    progress_start(&bar, "reading", 0);
    update_after(500 * MS, 12345);
    assert_written("\rreading 12345\033[K");
}

static void it_leaves_nothing_behind(void **state)
{
    (void)state;
    progress_start(&bar, "loading", 8);
    progress_hide();
    progress_end(&bar);
    assert_written(""); /* it was never drawn */
    update_after(500 * MS, 4);
    assert_written("\rloading [###############...............]  50% 0 s left\033[K");
    progress_hide();
    assert_written("\r\033[K");
    progress_hide(); /* once */
    progress_end(&bar);
    assert_written("");
    update_after(500 * MS, 4);
    assert_written("\rloading [###############...............]  50% 1 s left\033[K");
    progress_end(&bar);
    assert_written("\r\033[K");
}

static void a_file_gets_none(void **state)
{
    (void)state;
    char got[8];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    const int pty = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    progress_start(&bar, "loading", 8);
    now_ns += 1000 * MS;
    progress_update(&bar, 4);
    progress_end(&bar);
    dup2(pty, STDERR_FILENO);
    assert_true(read(ends[0], got, sizeof(got)) < 0);
    close(pty);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(it_appears_after_half_a_second),
        T(it_estimates_what_is_left),
        T(an_unknown_total_is_counted),
        T(it_leaves_nothing_behind),
        T(a_file_gets_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
