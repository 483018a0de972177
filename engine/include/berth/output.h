/* Output files: at any time, the name refers to the old file or to the complete new one, never to a
 * part of it.
 *
 * The new file is written under another name in the same folder. Committing it syncs it to disk,
 * renames it, and syncs the folder. Its mode is 0666 less the umask, regardless of the replaced
 * file's mode. A path that leads through a symbolic link is followed only if the link belongs to
 * the caller's effective user or to root, so that nobody else can choose what a privileged caller
 * overwrites. A path that names a pipe, a device or a descriptor (/dev/stdout) is written in
 * place. */
#ifndef BERTH_OUTPUT_H
#define BERTH_OUTPUT_H

#include <stdio.h>

#include "berth/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_output_file berth_output_file;

/* Open an output file. A process that is killed before it commits leaves PATH.XXXXXX behind.
 * Owner: `*out` belongs to the caller, who ends it with commit or discard.
 * Threads: any; one at a time for one file.
 * Errors: BERTH_E_ARG (no path, no out), BERTH_E_IO (the folder is missing or not accessible, or a
 * link belongs to another user), BERTH_E_NOMEM. An existing file of that name stays. */
BERTH_API berth_status berth_output_file_open(const char *path, berth_output_file **out,
                                              berth_error *error);

/* The stream to write to. It belongs to the file, which closes it. Write errors need no check:
 * commit reports them. Threads: any. */
BERTH_API FILE *berth_output_file_stream(berth_output_file *file);

/* Commit: rename the file to its final name. Frees it in any case.
 * Errors: BERTH_E_ARG (no file), BERTH_E_IO (something could not be written, synced or renamed; the
 * old file stays). Cost: waits for the disk. */
BERTH_API berth_status berth_output_file_commit(berth_output_file *file, berth_error *error);

/* Discard: delete what was written, and free the file. Accepts NULL. */
BERTH_API void berth_output_file_discard(berth_output_file *file);

#ifdef __cplusplus
}
#endif

#endif
