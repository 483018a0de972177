/* Reading and writing quantities, one text a round. */
#include <string.h>

#include "berth/kube.h"
#include "harness.h"

static void parse(bench_state *state, const char *text)
{
    berth_str borrowed = {text, (uint32_t)strlen(text)};
    while (bench_next(state)) {
        berth_quantity amount;
        berth_status status = berth_quantity_parse(borrowed, &amount, NULL);
        if (status != BERTH_OK) {
            bench_fail(state, berth_status_text(status));
            return;
        }
        bench_keep(amount);
    }
    bench_items(state, bench_rounds(state));
}

BENCH_OF(quantity_parse_plain, BENCH_ONCE, parse, "110")
BENCH_OF(quantity_parse_milli, BENCH_ONCE, parse, "3920m")
BENCH_OF(quantity_parse_binary, BENCH_ONCE, parse, "131886260Ki")
BENCH_OF(quantity_parse_fraction, BENCH_ONCE, parse, "1.5Gi")

static void quantity_format_binary(bench_state *state)
{
    berth_quantity amount = {INT64_C(135051530240), 0};
    char text[64];
    while (bench_next(state)) {
        bench_keep(berth_quantity_format(amount, true, text, sizeof(text)));
        bench_clobber();
    }
    bench_items(state, bench_rounds(state));
}
BENCH(quantity_format_binary, BENCH_ONCE)
