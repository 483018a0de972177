/* A file that is written beside and renamed: under its name there is the old one or the new one whole. */
#ifndef BERTH_KUBE_FILE_BESIDE_H
#define BERTH_KUBE_FILE_BESIDE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct berth__file_beside {
    FILE *file;
    char path[4096];        /* what it shall be called, links followed */
    char beside[4096 + 16]; /* what it is called until then; empty: it is no regular file */
} berth__file_beside;

/* Returns false, with errno, when it can't be opened. */
bool berth__file_beside_open(berth__file_beside *out, const char *path);

/* Close it, and give it its name if `whole` and nothing of it is lost. Returns false, with errno, if it
 * has not got it: what had the name stays. */
bool berth__file_beside_close(berth__file_beside *out, bool whole);

#endif
