/* Keeps what a test writes to standard error. */
#ifndef BERTH_TESTS_UNIT_KEPT_STDERR_H
#define BERTH_TESTS_UNIT_KEPT_STDERR_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static FILE *stderr_kept; /* what was written */
static int stderr_own;    /* standard error itself */

/* Begin; returns 0, or else it did not begin. */
static inline int stderr_keep(void)
{
    stderr_kept = tmpfile();
    if (stderr_kept == NULL)
        return -1;
    stderr_own = dup(STDERR_FILENO);
    return dup2(fileno(stderr_kept), STDERR_FILENO) < 0 ? -1 : 0;
}

static inline void stderr_restore(void)
{
    dup2(stderr_own, STDERR_FILENO);
    close(stderr_own);
    fclose(stderr_kept);
}

/* How often a text was written so far. */
static inline int stderr_count(const char *part)
{
    char text[4096];
    int count = 0;
    fflush(stderr);
    rewind(stderr_kept);
    text[fread(text, 1, sizeof(text) - 1, stderr_kept)] = '\0';
    fseek(stderr_kept, 0, SEEK_END);
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

#endif
