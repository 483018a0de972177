/* Reads text files, gzip or not, with one line in memory at a time. */
#ifndef BERTH_TOOLS_LINE_FILE_H
#define BERTH_TOOLS_LINE_FILE_H

#include <stdbool.h>
#include <zlib.h>

#include "berth/status.h"

typedef struct line_file {
    const char *path;
    gzFile file;
    uint64_t size_bytes; /* size of the file as stored; 0: unknown */
    char *line;          /* the current line with its line break */
    size_t len;
    size_t capacity;
    uint32_t number; /* of the current line, from 1 */
} line_file;

/* Open a file; "-" is standard input. Call line_file_close, even after a failure. Errors:
 * BERTH_E_IO. */
berth_status line_file_open(line_file *f, const char *path, berth_error *error);
void line_file_close(line_file *f);

/* Read the next line; `*more` is false at the end. Errors: BERTH_E_IO, BERTH_E_PARSE (broken gzip),
 * BERTH_E_RANGE. */
berth_status line_file_next(line_file *f, bool *more, berth_error *error);

/* Bytes of the file read so far. */
uint64_t line_file_offset(const line_file *f);

/* Set an error about the current line, with a formatted message. Returns `code`. */
berth_status line_file_fail(const line_file *f, berth_error *error, berth_status code,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
