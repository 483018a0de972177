/* Input from a file, standard input or memory, gzip or not, read in large steps. gzip is recognised
 * by its first two bytes. A gzip file may have several members, one after another, and zero bytes
 * as padding after the last. */
#include "text/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { BUFFER_BYTES = 64 << 10, GZIP_WINDOW_BITS = 15 + 16 };

static berth_status io_fault(berth_error *error, const char *what)
{
    char text[128];
    return berth__error_set(error, BERTH_E_IO, "%s: %s", what,
                            strerror_r(errno, text, sizeof(text)));
}

static berth_status read_some(const berth__input *input, void *to, size_t size, size_t *got,
                              berth_error *error)
{
    ssize_t done;
    do {
        done = read(input->fd, to, size);
    } while (done < 0 && errno == EINTR);
    if (done < 0)
        return io_fault(error, "cannot read");
    *got = (size_t)done;
    return BERTH_OK;
}

static void report(const berth__input *input)
{
    if (input->progress != NULL)
        input->progress(input->progress_context, input->done_bytes, input->total_bytes);
}

/* Make sure that `raw` contains bytes, unless the source has ended. */
static berth_status refill(berth__input *input, berth_error *error)
{
    if (input->raw_len > 0 || input->ended)
        return BERTH_OK;
    size_t got = 0;
    BERTH_TRY(read_some(input, input->buffer, BUFFER_BYTES, &got, error));
    input->raw = input->buffer;
    input->raw_len = got;
    input->ended = got == 0;
    input->done_bytes += got;
    report(input);
    return BERTH_OK;
}

/* ---- opening ---- */

static berth_status start_unpacking(berth__input *input, berth_error *error)
{
    input->packed = input->raw_len >= 2 && input->raw[0] == 0x1f && input->raw[1] == 0x8b;
    if (input->packed && inflateInit2(&input->zlib, GZIP_WINDOW_BITS) != Z_OK) {
        input->packed = false;
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory while unpacking");
    }
    return BERTH_OK;
}

/* Take the first buffer and check whether it is gzip. A pipe may deliver a single byte first. */
static berth_status start(berth__input *input, berth_error *error)
{
    BERTH_TRY(refill(input, error));
    while (input->raw_len == 1 && !input->ended) {
        size_t got = 0;
        BERTH_TRY(read_some(input, input->buffer + 1, BUFFER_BYTES - 1, &got, error));
        input->raw_len += got;
        input->done_bytes += got;
        input->ended = got == 0;
    }
    return start_unpacking(input, error);
}

static berth_status open_file(berth__input *input, const char *path, berth_error *error)
{
    struct stat info;
    if (strcmp(path, "-") == 0) {
        input->fd = STDIN_FILENO;
    } else {
        input->fd = open(path, O_RDONLY | O_CLOEXEC);
        input->close_fd = input->fd >= 0;
    }
    if (input->fd < 0)
        return io_fault(error, "cannot open");
    if (fstat(input->fd, &info) != 0)
        return io_fault(error, "cannot look at it");
    if (S_ISDIR(info.st_mode))
        return berth__error_set(error, BERTH_E_IO, "is a directory, expected a file");
    input->total_bytes = S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
    input->buffer = berth__alloc(input->allocator, BUFFER_BYTES, 64);
    if (input->buffer == NULL)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory while opening");
    return start(input, error);
}

berth_status berth__input_open(berth__input *input, const berth_allocator *allocator,
                               const char *path, berth_error *error)
{
    *input = (berth__input){.allocator = allocator, .fd = -1};
    berth_status status = open_file(input, path, error);
    if (status != BERTH_OK)
        berth__input_close(input);
    return status;
}

berth_status berth__input_open_text(berth__input *input, const berth_allocator *allocator,
                                    berth_str text, berth_error *error)
{
    *input = (berth__input){
        .allocator = allocator,
        .fd = -1,
        .ended = true,
        .done_bytes = text.len,
        .total_bytes = text.len,
        .raw = (const unsigned char *)text.data,
        .raw_len = text.len,
    };
    return start_unpacking(input, error);
}

void berth__input_close(berth__input *input)
{
    if (input->packed)
        inflateEnd(&input->zlib);
    if (input->close_fd)
        close(input->fd);
    berth__free(input->allocator, input->buffer, BUFFER_BYTES);
    *input = (berth__input){.fd = -1};
}

/* ---- reading ---- */

/* Between members: go to the next one, or past any padding to the end. */
static berth_status next_member(berth__input *input, berth_error *error)
{
    for (;;) {
        BERTH_TRY(refill(input, error));
        if (input->raw_len == 0)
            return BERTH_OK;
        if (*input->raw != 0)
            break;
        input->raw++;
        input->raw_len--;
    }
    inflateReset(&input->zlib);
    input->member_ended = false;
    return BERTH_OK;
}

static berth_status unpack(berth__input *input, char *to, size_t size, size_t *got,
                           berth_error *error)
{
    z_stream *zlib = &input->zlib;
    size_t done = 0;
    while (done < size) {
        if (input->member_ended)
            BERTH_TRY(next_member(input, error));
        BERTH_TRY(refill(input, error));
        if (input->raw_len == 0)
            break;
        size_t room = size - done < UINT32_MAX ? size - done : UINT32_MAX;
        zlib->next_in = input->raw;
        zlib->avail_in = (uInt)input->raw_len;
        zlib->next_out = (Bytef *)to + done;
        zlib->avail_out = (uInt)room;
        int result = inflate(zlib, Z_NO_FLUSH);
        done += room - zlib->avail_out;
        input->raw += input->raw_len - zlib->avail_in;
        input->raw_len = zlib->avail_in;
        input->member_ended = result == Z_STREAM_END;
        if (result == Z_MEM_ERROR)
            return berth__error_set(error, BERTH_E_NOMEM, "out of memory while unpacking");
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return berth__error_set(error, BERTH_E_PARSE, "gzip data is damaged: %s",
                                    zlib->msg != NULL ? zlib->msg : "unknown form");
    }
    if (done < size && !input->member_ended)
        return berth__error_set(error, BERTH_E_PARSE, "gzip data ends early");
    *got = done;
    return BERTH_OK;
}

berth_status berth__input_read(berth__input *input, char *to, size_t size, size_t *got,
                               berth_error *error)
{
    if (input->packed)
        return unpack(input, to, size, got, error);
    size_t done = input->raw_len < size ? input->raw_len : size;
    if (done > 0) {
        memcpy(to, input->raw, done);
        input->raw += done;
        input->raw_len -= done;
    }
    while (done < size && !input->ended) {
        size_t some = 0;
        BERTH_TRY(read_some(input, to + done, size - done, &some, error));
        input->ended = some == 0;
        input->done_bytes += some;
        done += some;
        report(input);
    }
    *got = done;
    return BERTH_OK;
}
