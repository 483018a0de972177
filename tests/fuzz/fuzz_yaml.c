/* YAML: any bytes are either objects, with notes about oddities, or an error with its place;
 * reading the same bytes again has the same result, in the same reader and in a new one. */
#include "fuzz.h"

#include <string.h>

#include "berth/berth.h"

typedef struct sum {
    uint64_t objects, notes, names;
} sum;

static void mix(sum *s, berth_str text)
{
    for (uint32_t i = 0; i < text.len; i++)
        s->names = (s->names ^ (unsigned char)text.data[i]) * UINT64_C(1099511628211);
}

static berth_status count(void *context, const berth_object *object, const berth_error *origin,
                          berth_error *error)
{
    sum *s = context;
    const berth_metadata *meta = object->as.any;
    (void)error;
    FUZZ_CHECK(object->kind < BERTH_KIND_COUNT && origin->line > 0);
    s->objects++;
    mix(s, meta->name);
    mix(s, meta->namespace_name);
    return BERTH_OK;
}

static void on_note(void *context, const berth_note *note)
{
    sum *s = context;
    mix(s, note->kind);
    s->notes++;
}

static berth_status read_once(berth_reader *reader, berth_str text, sum *s, berth_error *error)
{
    memset(error, 0, sizeof(*error));
    berth_status status = berth_reader_text(reader, text, "fuzz", count, s, error);
    FUZZ_CHECK(status == BERTH_OK || (error->code == status && error->message[0] != '\0'));
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const berth_str text = {(const char *)data, (uint32_t)size};
    sum sums[2] = {{0}};
    berth_status statuses[2];
    berth_error errors[2];
    for (int i = 0; i < 2; i++) {
        const berth_read_options options = {.size = sizeof(options),
                                            .apply_defaults = true,
                                            .threads = 1,
                                            .note = on_note,
                                            .note_context = &sums[i],
                                            .whole_kinds = "LimitRange,ResourceQuota",
                                            .expand = i == 0 && size % 2 == 0};
        berth_reader *reader;
        FUZZ_CHECK(berth_reader_create(&options, &reader, NULL) == BERTH_OK);
        statuses[i] = read_once(reader, text, &sums[i], &errors[i]);
        berth_reader_destroy(reader);
    }
    if (size % 2 == 0)
        return 0; /* the two readers had different options */
    FUZZ_CHECK(statuses[0] == statuses[1] && errors[0].line == errors[1].line);
    FUZZ_CHECK(sums[0].objects == sums[1].objects && sums[0].names == sums[1].names &&
               sums[0].notes == sums[1].notes);
    return 0;
}
