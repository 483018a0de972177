/* Files of results: written beside and renamed, so that under the name itself there is the old file or
 * the new one whole, whatever comes between (a full disk, a signal). What is no regular file, such as a
 * pipe, is written to as it is. A process that is killed leaves NAME.XXXXXX behind. */
#ifndef BERTH_TOOLS_WHOLE_FILE_H
#define BERTH_TOOLS_WHOLE_FILE_H

#include <stdio.h>

#include "berth/status.h"

typedef struct whole_file {
    FILE *file;   /* to write to; NULL: not open */
    char *path;   /* what it shall be called, links followed */
    char *beside; /* what it is called until then; NULL: it is no regular file */
} whole_file;

/* Errors: E_IO. */
berth_status whole_file_open(whole_file *whole, const char *path, berth_error *error);

/* All is written: the file gets its name, unless some of it could not be written. Errors: E_IO; what
 * had the name stays. */
berth_status whole_file_close(whole_file *whole, berth_error *error);

/* Give up what is written. Accepts one that is not open. */
void whole_file_drop(whole_file *whole);

#endif
