/* Configurations: whatever the bytes, reading them gives either a configuration, whose profiles an
 * engine accepts or refuses with a reason, or an error that says what is wrong. */
#include "fuzz.h"

#include <string.h>

#include "berth/berth.h"

static void create_engine(const berth_scheduler_config *scheduler)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.profiles = berth_scheduler_config_profiles(scheduler, &config.profile_count);
    FUZZ_CHECK(config.profiles != NULL && config.profile_count > 0);
    berth_error error;
    memset(&error, 0, sizeof(error));
    berth_engine *engine = NULL;
    berth_status status = berth_engine_create(&config, &engine, &error);
    FUZZ_CHECK((status == BERTH_OK) == (engine != NULL));
    FUZZ_CHECK(status == BERTH_OK || (error.code == status && error.message[0] != '\0'));
    berth_engine_destroy(engine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    berth_error error;
    memset(&error, 0, sizeof(error));
    berth_scheduler_config *scheduler = NULL;
    berth_str text = {(const char *)data, (uint32_t)size};
    berth_status status = berth_scheduler_config_text(text, "fuzz", 0, &scheduler, &error);
    FUZZ_CHECK((status == BERTH_OK) == (scheduler != NULL));
    FUZZ_CHECK(status == BERTH_OK || (error.code == status && error.message[0] != '\0'));
    if (status == BERTH_OK)
        create_engine(scheduler);
    berth_scheduler_config_destroy(scheduler);
    return 0;
}
