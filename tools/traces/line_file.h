/* Text files by lines, gzip or not, a line in memory at a time. */
#ifndef BERTH_TOOLS_LINE_FILE_H
#define BERTH_TOOLS_LINE_FILE_H

#include <stdbool.h>
#include <zlib.h>

#include "berth/status.h"

typedef struct line_file {
    const char *path;
    gzFile file;
    uint64_t size_bytes; /* of the file as it lies there; 0: unknown */
    char *line;          /* the current one, its line break included */
    size_t len;
    size_t capacity;
    uint32_t number; /* of the current line, from 1 */
} line_file;

/* Open; "-" is standard input. line_file_close frees, also after a failure. Errors: E_IO. */
berth_status line_file_open(line_file *f, const char *path, berth_error *error);
void line_file_close(line_file *f);

/* The next line; `*more` is false at the end. Errors: E_IO, E_PARSE (broken gzip), E_RANGE. */
berth_status line_file_next(line_file *f, bool *more, berth_error *error);

/* Bytes of the file taken in so far. */
uint64_t line_file_offset(const line_file *f);

/* An error about the current line, told as `format` says. Returns `code`. */
berth_status line_file_fail(const line_file *f, berth_error *error, berth_status code,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
