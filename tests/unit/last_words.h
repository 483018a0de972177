/* Reads what a program writes before it ends with SIGABRT: it runs in a child process with a
 * pipe. */
#ifndef BERTH_TESTS_LAST_WORDS_H
#define BERTH_TESTS_LAST_WORDS_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* `doomed` receives the write end of the pipe and must not return. */
static void last_words(void (*doomed)(int words), char *out, size_t size)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        doomed(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    ssize_t len = read(ends[0], out, size - 1);
    out[len > 0 ? len : 0] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

#endif
