/* Reads any bytes as objects. The reader either reports an error with its place, or returns
 * objects, each of which the engine accepts or refuses with a reason. Afterwards the engine's state
 * is consistent, and its pods can be scheduled. */
#include "fuzz.h"

#include <string.h>

#include "berth/berth.h"

static berth_status add(void *context, const berth_object *object, const berth_error *origin,
                        berth_error *error)
{
    (void)origin;
    (void)error;
    berth_error refusal;
    memset(&refusal, 0, sizeof(refusal));
    berth_status status = berth_engine_add(context, object, NULL, &refusal);
    FUZZ_CHECK(status == BERTH_OK || (refusal.code == status && refusal.message[0] != '\0'));
    return BERTH_OK;
}

static void schedule_some(berth_engine *engine)
{
    berth_pod_id pods[16];
    uint64_t count = 0;
    FUZZ_CHECK(berth_engine_pending(engine, pods, 16, &count, NULL) == BERTH_OK);
    for (uint64_t i = 0; i < count && i < 16; i++) {
        berth_placement placement;
        FUZZ_CHECK(berth_engine_schedule(engine, pods[i], &placement, NULL) == BERTH_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    berth_engine *engine;
    FUZZ_CHECK(berth_engine_create(&config, &engine, NULL) == BERTH_OK);
    berth_read_options options = {
        .size = sizeof(options), .apply_defaults = true, .default_kind = NULL};
    berth_reader *reader;
    FUZZ_CHECK(berth_reader_create(&options, &reader, NULL) == BERTH_OK);

    berth_error error;
    memset(&error, 0, sizeof(error));
    berth_str text = {(const char *)data, (uint32_t)size};
    berth_status status = berth_reader_text(reader, text, "fuzz", add, engine, &error);
    if (status == BERTH_OK)
        status = berth_reader_finish(reader, engine, add, engine, &error);
    FUZZ_CHECK(status == BERTH_OK || (error.code == status && error.message[0] != '\0'));
    schedule_some(engine);
    FUZZ_CHECK(berth_engine_check(engine, NULL) == BERTH_OK);

    berth_reader_destroy(reader);
    berth_engine_destroy(engine);
    return 0;
}
