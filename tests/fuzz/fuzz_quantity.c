/* Quantities: whatever parses has a canonical text that parses to the same amount. */
#include "fuzz.h"

#include <string.h>

#include "berth/kube.h"

static void round_trip(berth_quantity amount, bool binary)
{
    char text[96];
    size_t len = berth_quantity_format(amount, binary, text, sizeof(text));
    FUZZ_CHECK(len > 0 && len < sizeof(text) && strlen(text) == len);
    berth_quantity again;
    FUZZ_CHECK(berth_quantity_parse((berth_str){text, (uint32_t)len}, &again, NULL) == BERTH_OK);
    FUZZ_CHECK(again.units == amount.units && again.nanos == amount.nanos);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    berth_quantity amount = {77, 7};
    berth_str text = {(const char *)data, (uint32_t)size};
    berth_status status = berth_quantity_parse(text, &amount, NULL);
    if (status != BERTH_OK) {
        FUZZ_CHECK(status == BERTH_E_PARSE || status == BERTH_E_RANGE);
        FUZZ_CHECK(amount.units == 0 && amount.nanos == 0);
        return 0;
    }
    FUZZ_CHECK(amount.nanos > -1000000000 && amount.nanos < 1000000000);
    FUZZ_CHECK(amount.units == 0 || amount.nanos == 0 || (amount.units < 0) == (amount.nanos < 0));
    round_trip(amount, false);
    round_trip(amount, true);
    return 0;
}
