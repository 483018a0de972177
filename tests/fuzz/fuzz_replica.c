/* Replicas: the texts that a reader has read before make no difference to what it reads now: the
 * same objects from the same places, or the same error. The corpus consists of pods that are
 * replicas, or almost replicas, of those below. */
#include "fuzz.h"

#include <string.h>

#include "berth/berth.h"

/* Each template occurs three times, because a text is registered when it is seen for the second
 * time. */
#define PLAIN(number)                                                                          \
    "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"pod-" number "\"," \
    " \"labels\": {\"app\": \"a\"}}, \"spec\": {\"nodeName\": \"node-" number "\","            \
    " \"containers\": [{\"name\": \"main\", \"image\": \"i\", \"resources\": {\"requests\":"   \
    " {\"cpu\": \"250m\"}}}]}, \"status\": {\"phase\": \"Running\"}}\n"
#define OWNED(number)                                                                             \
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"own-" number "\",\"ownerReferences\":[{\"kind\":" \
    "\"ReplicaSet\",\"name\":\"r\",\"uid\":\"o\",\"controller\":true}],\"uid\":\"u" number        \
    "\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"ports\":[{\"hostPort\":80}]}]}}\n"
static const char known[] = PLAIN("1") PLAIN("2") PLAIN("3") OWNED("1") OWNED("2") OWNED("3");

typedef struct outcome {
    berth_engine *engine;
    uint64_t places; /* a hash of the objects' places */
    berth_status status;
    berth_error error;
} outcome;

static void note(outcome *out, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        out->places = (out->places ^ at[i]) * UINT64_C(1099511628211);
}

static berth_status put(void *context, const berth_object *object, const berth_error *origin,
                        berth_error *error)
{
    outcome *out = context;
    (void)error;
    berth_status status = berth_engine_add(out->engine, object, NULL, NULL);
    note(out, &status, sizeof(status));
    note(out, origin->object, strlen(origin->object));
    note(out, &origin->line, sizeof(origin->line));
    note(out, &origin->offset, sizeof(origin->offset));
    return BERTH_OK;
}

static berth_status pass_over(void *context, const berth_object *object, const berth_error *origin,
                              berth_error *error)
{
    (void)context;
    (void)object;
    (void)origin;
    (void)error;
    return BERTH_OK;
}

static void read_text(berth_str text, uint32_t reads_before, outcome *out)
{
    const berth_read_options options = {.size = sizeof(options), .threads = 1};
    const berth_str before = {known, sizeof(known) - 1};
    berth_engine_config config;
    berth_reader *reader;
    memset(out, 0, sizeof(*out));
    berth_engine_config_init(&config);
    config.threads = 1;
    FUZZ_CHECK(berth_engine_create(&config, &out->engine, NULL) == BERTH_OK);
    FUZZ_CHECK(berth_reader_create(&options, &reader, NULL) == BERTH_OK);
    for (; reads_before > 0; reads_before--)
        FUZZ_CHECK(berth_reader_text(reader, before, "known", pass_over, NULL, NULL) == BERTH_OK);
    /* Read it twice: the second time, the classes are known, too. */
    for (int i = 0; i < 2 && out->status == BERTH_OK; i++)
        out->status = berth_reader_text(reader, text, "fuzz", put, out, &out->error);
    berth_reader_destroy(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const berth_str text = {(const char *)data, (uint32_t)size};
    static outcome fresh, experienced;
    read_text(text, 0, &fresh);
    read_text(text, 8, &experienced);
    FUZZ_CHECK(fresh.status == experienced.status && fresh.places == experienced.places);
    FUZZ_CHECK(strcmp(fresh.error.message, experienced.error.message) == 0 &&
               fresh.error.line == experienced.error.line &&
               fresh.error.column == experienced.error.column &&
               fresh.error.offset == experienced.error.offset);
    FUZZ_CHECK(berth_engine_digest(fresh.engine) == berth_engine_digest(experienced.engine));
    berth_engine_destroy(fresh.engine);
    berth_engine_destroy(experienced.engine);
    return 0;
}
