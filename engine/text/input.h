/* The source of text: a file, standard input or memory. gzip is unpacked on the way. */
#ifndef BERTH_TEXT_INPUT_H
#define BERTH_TEXT_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#define ZLIB_CONST
#include <zlib.h>

#include "base/memory.h"

typedef struct berth__input {
    const berth_allocator *allocator;
    void (*progress)(void *context, uint64_t done_bytes, uint64_t total_bytes); /* or NULL */
    void *progress_context;
    int fd; /* -1: memory */
    bool close_fd;
    bool ended;               /* no more bytes follow `raw` */
    bool packed;              /* gzip */
    bool member_ended;        /* between two members of a gzip file */
    uint64_t done_bytes;      /* taken from the source, before unpacking */
    uint64_t total_bytes;     /* 0: unknown */
    const unsigned char *raw; /* bytes read from the source but not passed on yet */
    size_t raw_len;
    unsigned char *buffer;
    z_stream zlib;
} berth__input;

/* Open a file ("-": standard input), or text in memory, which must outlive the input. After a
 * failure there is nothing to close. Errors: BERTH_E_IO, BERTH_E_NOMEM. */
berth_status berth__input_open(berth__input *input, const berth_allocator *allocator,
                               const char *path, berth_error *error);
berth_status berth__input_open_text(berth__input *input, const berth_allocator *allocator,
                                    berth_str text, berth_error *error);
void berth__input_close(berth__input *input);

/* Read `size` bytes, fewer only at the end of the text. Errors: BERTH_E_IO, BERTH_E_PARSE (gzip),
 * BERTH_E_NOMEM. */
berth_status berth__input_read(berth__input *input, char *to, size_t size, size_t *got,
                               berth_error *error);

#endif
