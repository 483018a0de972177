/* Reads text files, gzip or not, line by line. */
#include "traces/line_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/exits.h"
#include "cli/heap.h"

enum { READ_BYTES = 1 << 16 };

static gzFile open_input(const char *path)
{
    if (strcmp(path, "-") != 0)
        return gzopen(path, "rb");
    int descriptor = dup(STDIN_FILENO);
    gzFile file = descriptor >= 0 ? gzdopen(descriptor, "rb") : NULL;
    if (file == NULL && descriptor >= 0)
        close(descriptor);
    return file;
}

berth_status line_file_open(line_file *f, const char *path, berth_error *error)
{
    *f = (line_file){.path = strcmp(path, "-") == 0 ? "standard input" : path};
    struct stat info = {0};
    int known = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &info) : stat(path, &info);
    if (known != 0)
        return error_set(error, BERTH_E_IO, f->path, "%s", strerror(errno));
    if (S_ISDIR(info.st_mode))
        return error_set(error, BERTH_E_IO, f->path, "%s", strerror(EISDIR));
    errno = 0;
    f->file = open_input(path);
    if (f->file == NULL)
        return error_set(error, BERTH_E_IO, f->path, "%s",
                         errno != 0 ? strerror(errno) : "out of memory");
    gzbuffer(f->file, READ_BYTES);
    f->size_bytes = S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
    return BERTH_OK;
}

void line_file_close(line_file *f)
{
    if (f->file != NULL)
        gzclose(f->file);
    free(f->line);
    *f = (line_file){.path = f->path};
}

static berth_status read_failure(const line_file *f, berth_error *error)
{
    int code = 0;
    const char *text = gzerror(f->file, &code);
    if (code == Z_OK || code == Z_STREAM_END)
        return BERTH_OK;
    error_set(error, code == Z_ERRNO ? BERTH_E_IO : BERTH_E_PARSE, f->path, "%s",
              code == Z_ERRNO ? strerror(errno) : text);
    error->line = f->number + 1;
    return error->code;
}

/* Reads up to the next line break. An empty line at the end of the file does not count. */
berth_status line_file_next(line_file *f, bool *more, berth_error *error)
{
    f->len = 0;
    for (;;) {
        f->line = heap_grow(f->line, &f->capacity, f->len + READ_BYTES, 1);
        if (gzgets(f->file, f->line + f->len, READ_BYTES) == NULL)
            break;
        f->len += strlen(f->line + f->len);
        if (f->len > UINT32_MAX / 2)
            return error_set(error, BERTH_E_RANGE, f->path, "a line of more than 2 GiB");
        if (f->len > 0 && f->line[f->len - 1] == '\n')
            break;
    }
    *more = f->len > 0;
    f->number += *more ? 1 : 0;
    return read_failure(f, error);
}

uint64_t line_file_offset(const line_file *f)
{
    z_off_t offset = gzoffset(f->file);
    return offset > 0 ? (uint64_t)offset : 0;
}

berth_status line_file_fail(const line_file *f, berth_error *error, berth_status code,
                            const char *format, ...)
{
    char message[sizeof(error->message)];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    error_set(error, code, f->path, "%s", message);
    error->line = f->number;
    return code;
}
