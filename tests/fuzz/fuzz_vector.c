/* Decision vectors: a file of any bytes is either a list of scenarios and expected decisions, or an
 * error with its line; every expected decision has a normal form. */
#include "fuzz.h"

#include <string.h>

#include "berth/berth.h"
#include "fuzz_file.h"
#include "verify/decision_json.h"
#include "verify/legacy_profile.h"
#include "verify/vector_file.h"

static void normalize(const json_t *expected)
{
    const berth_plugin_list *priorities = &legacy_profile_counted.points[BERTH_POINT_SCORE];
    size_t i;
    json_t *decision;
    json_array_foreach((json_t *)(uintptr_t)expected, i, decision)
    {
        json_decref(decision_json_expected(decision));
        json_decref(decision_json_expected_legacy(decision, priorities));
    }
}

static berth_status add(void *context, const berth_object *object, const berth_error *origin,
                        berth_error *error)
{
    (void)origin;
    (void)error;
    (void)berth_engine_add(context, object, NULL, NULL);
    return BERTH_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_file bytes = fuzz_file_make(data, size);
    const berth_read_options options = {
        .size = sizeof(options), .threads = 1, .default_kind = "Pod"};
    berth_error error = {.code = BERTH_OK};
    berth_engine_config config;
    berth_engine *engine;
    berth_reader *reader;
    vector_file file;
    vector_scenario scenario;
    bool more = true;
    berth_engine_config_init(&config);
    config.threads = 1;
    FUZZ_CHECK(berth_engine_create(&config, &engine, NULL) == BERTH_OK);
    FUZZ_CHECK(berth_reader_create(&options, &reader, NULL) == BERTH_OK);
    berth_status status = vector_file_open(&file, bytes.path, &error);
    while (status == BERTH_OK && more) {
        status = vector_file_next(&file, &scenario, &more, &error);
        if (status != BERTH_OK || !more) {
            FUZZ_CHECK(scenario.expected == NULL); /* nothing to release */
            break;
        }
        normalize(scenario.expected);
        (void)berth_reader_text(reader, scenario.scenario, "scenario", add, engine, NULL);
        vector_scenario_release(&scenario);
    }
    FUZZ_CHECK(status == BERTH_OK || (error.code == status && error.message[0] != '\0'));
    FUZZ_CHECK(berth_engine_check(engine, NULL) == BERTH_OK);
    vector_file_close(&file);
    berth_reader_destroy(reader);
    berth_engine_destroy(engine);
    fuzz_file_drop(&bytes);
    return 0;
}
