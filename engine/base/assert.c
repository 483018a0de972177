/* Handling of a broken assertion: call the abort hook or print a line to standard error, then
 * abort. */
#include "base/assert.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "berth/status.h"

/* sync: atomic */
static _Atomic(berth_abort_fn) abort_hook;

void berth_abort_hook_set(berth_abort_fn hook)
{
    /* relaxed: one function pointer, and nothing is read through it */
    atomic_store_explicit(&abort_hook, hook, memory_order_relaxed);
}

static _Noreturn void stop(const char *kind, const char *text, const char *file, int line)
{
    /* relaxed: as above */
    berth_abort_fn hook = atomic_load_explicit(&abort_hook, memory_order_relaxed);
    if (hook != NULL)
        hook(file, line, text);
    else
        fprintf(stderr, "berth: %s%s (%s:%d)\n", kind, text, file, line);
    abort();
}

void berth__assert_failed(const char *expression, const char *file, int line)
{
    stop("assertion failed: ", expression, file, line);
}

void berth__stop(const char *file, int line, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    stop("", text, file, line);
}
