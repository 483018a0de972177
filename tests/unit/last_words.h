/* Reads what a program writes before it ends with SIGABRT: it runs in a child process with a
 * pipe. */
#ifndef BERTH_TESTS_LAST_WORDS_H
#define BERTH_TESTS_LAST_WORDS_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "berth/berth.h"

static int last_words_out; /* where the abort hook writes */

/* An abort hook that writes the condition. */
static void last_words_tell(const char *file, int line, const char *condition)
{
    if (file != NULL && line > 0)
        (void)!write(last_words_out, condition, strlen(condition));
}

/* For the doomed program: has this hook report to `words` what stops it. */
static void last_words_by(int words, berth_abort_fn hook)
{
    last_words_out = words;
    berth_abort_hook_set(hook);
}

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

static void assert_last_words(void (*doomed)(int words), const char *expected)
{
    char words[512];
    last_words(doomed, words, sizeof(words));
    assert_string_equal(words, expected);
}

#endif
