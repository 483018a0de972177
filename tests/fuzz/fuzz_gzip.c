/* Packed input: a file of any bytes is read or refused; a compressed text reads as it did before,
 * wherever its members begin; a file that is cut or damaged is refused or reads as something else,
 * and never crashes. The first byte chooses the case, the second one the position. */
#include "fuzz.h"

#include <string.h>
#include <zlib.h>

#include "berth/berth.h"
#include "fuzz_file.h"

enum { PACKED_MAX = 1 << 18 };

static berth_status count(void *context, const berth_object *object, const berth_error *origin,
                          berth_error *error)
{
    uint64_t *number = context;
    const berth_metadata *meta = object->as.any;
    (void)origin;
    (void)error;
    *number = *number * 31 + object->kind + meta->name.len;
    return BERTH_OK;
}

static size_t pack(const uint8_t *bytes, size_t size, uint8_t *out)
{
    z_stream stream;
    memset(&stream, 0, sizeof(stream));
    FUZZ_CHECK(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)bytes;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = PACKED_MAX;
    FUZZ_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&stream);
    return stream.total_out;
}

static berth_status read_file(const uint8_t *bytes, size_t size, uint64_t *sum, berth_error *error)
{
    const berth_read_options options = {.size = sizeof(options), .threads = 1};
    berth_reader *reader;
    fuzz_file file = fuzz_file_make(bytes, size);
    memset(error, 0, sizeof(*error));
    FUZZ_CHECK(berth_reader_create(&options, &reader, NULL) == BERTH_OK);
    berth_status status = berth_reader_file(reader, file.path, count, sum, error);
    FUZZ_CHECK(status == BERTH_OK || (error->code == status && error->message[0] != '\0'));
    berth_reader_destroy(reader);
    fuzz_file_drop(&file);
    return status;
}

/* Two members, one after the other, are one text. */
static void compare(const uint8_t *bytes, size_t size, size_t at, uint8_t *room)
{
    uint64_t plain = 0, packed = 0;
    berth_error errors[2];
    size_t first = pack(bytes, at, room);
    uint8_t *rest = malloc(PACKED_MAX);
    FUZZ_CHECK(rest != NULL);
    size_t second = pack(bytes + at, size - at, rest);
    FUZZ_CHECK(first + second <= PACKED_MAX);
    memcpy(room + first, rest, second);
    free(rest);
    berth_status wanted = read_file(bytes, size, &plain, &errors[0]);
    berth_status got = read_file(room, first + second, &packed, &errors[1]);
    FUZZ_CHECK(wanted == got && plain == packed && errors[0].line == errors[1].line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t room[PACKED_MAX];
    uint64_t sum = 0;
    berth_error error;
    if (size < 3 || size > PACKED_MAX / 4)
        return 0;
    const uint8_t how = data[0], where = data[1];
    data += 2;
    size -= 2;
    if (how % 3 == 0) {
        (void)read_file(data, size, &sum, &error);
        return 0;
    }
    if (how % 3 == 1) {
        if (size >= 2 && data[0] == 0x1f && data[1] == 0x8b)
            return 0; /* the text is itself compressed */
        compare(data, size, size * where / 256, room);
        return 0;
    }
    size_t packed = pack(data, size, room);
    const size_t at = packed * where / 256;
    room[at] ^= how;
    (void)read_file(room, how % 2 == 0 ? packed : at, &sum, &error);
    return 0;
}
