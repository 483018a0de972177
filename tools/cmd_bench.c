/* berth bench: builds a synthetic cluster through the C API and measures the decisions alone:
 * reading, ingest and the first layout of the nodes are done before the clock starts, and it is
 * read once between two decisions. */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "berth/berth.h"
#include "commands.h"
#include "engine_setup.h"
#include "exits.h"
#include "heap.h"
#include "histogram.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "stopwatch.h"
#include "workloads.h"

enum { PROGRESS_EVERY = 4096 };

typedef struct bench {
    workload_spec spec;
    engine_setup setup;
    bool json;
    berth_engine *engine;
    progress bar;
    uint64_t added; /* objects */
    berth_pod_id *pods;
    uint64_t pod_count;
    uint64_t bound;
    stopwatch watch;
    histogram latencies; /* in ticks */
} bench;

static const command_help help = {
    .name = "bench",
    .synopsis = "[OPTION...]",
    .text =
        "Builds a synthetic cluster in memory and places its pods one after the other, timing\n"
        "each decision with its binding. Prints pods bound a second, latencies, peak memory and\n"
        "a digest of all placements, which depends on the options but not on --threads.\n\n"
        "Workloads:\n" WORKLOAD_HELP,
    .examples = "  berth bench --workload basic --nodes 5000 --pods 20000 --threads 2\n"
                "  berth bench --workload basic --percentage 100 --path scan --json\n",
};

static berth_status add_object(void *context, const berth_object *object, berth_error *error)
{
    bench *b = context;
    uint64_t id = 0;
    berth_status status = berth_engine_add(b->engine, object, &id, error);
    if (status != BERTH_OK)
        return status;
    if (object->kind == BERTH_KIND_POD && object->as.pod->node_name.len == 0)
        b->pods[b->pod_count++] = id;
    if (++b->added % PROGRESS_EVERY == 0)
        progress_update(&b->bar, b->added);
    return BERTH_OK;
}

static berth_status build(bench *b, berth_error *error)
{
    workload_source *source = workload_source_create(&b->spec);
    b->pods = heap_new(b->spec.pods, sizeof(*b->pods));
    progress_start(&b->bar, "building", workload_object_count(&b->spec));
    berth_status status = workload_source_make_all(source, add_object, b, error);
    progress_end(&b->bar);
    workload_source_destroy(source);
    berth_engine_node_order(b->engine, NULL, 0); /* lays the nodes out */
    return status;
}

static berth_status measure(bench *b, berth_error *error)
{
    berth_placement placement;
    berth_status status = BERTH_OK;
    progress_start(&b->bar, "placing", b->pod_count);
    stopwatch_start(&b->watch);
    uint64_t before = b->watch.start_ticks;
    for (uint64_t i = 0; i < b->pod_count; i++) {
        status = berth_engine_schedule(b->engine, b->pods[i], &placement, error);
        uint64_t now = stopwatch_ticks(&b->watch);
        histogram_add(&b->latencies, now - before);
        before = now;
        if (status != BERTH_OK)
            break;
        b->bound += placement.verdict == BERTH_PLACED;
        if (b->bar.terminal && i % PROGRESS_EVERY == 0) {
            progress_update(&b->bar, i);
            before = stopwatch_ticks(&b->watch);
        }
    }
    stopwatch_stop(&b->watch);
    progress_end(&b->bar);
    return status;
}

/* ---- results ---- */

static uint64_t peak_rss_bytes(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    return (uint64_t)usage.ru_maxrss * 1024;
}

static double pods_a_second(const bench *b)
{
    double seconds = stopwatch_seconds(&b->watch);
    return seconds > 0.0 ? (double)b->bound / seconds : 0.0;
}

static double latency_us(const bench *b, double part)
{
    return stopwatch_microseconds(&b->watch, histogram_percentile(&b->latencies, part));
}

static void print_json(const bench *b)
{
    output o;
    char digest[32];
    snprintf(digest, sizeof(digest), "%016" PRIx64, berth_engine_digest(b->engine));
    output_open(&o, stdout, OUTPUT_JSON, 0);
    output_object(&o);
    output_pair_text(&o, "workload", workload_names[b->spec.kind]);
    output_pair_int(&o, "nodes", (int64_t)b->spec.nodes);
    output_pair_int(&o, "zones", (int64_t)b->spec.zones);
    output_pair_int(&o, "pods", (int64_t)b->spec.pods);
    output_pair_int(&o, "running", (int64_t)b->spec.running);
    output_pair_int(&o, "bound", (int64_t)b->bound);
    output_pair_int(&o, "threads", (int64_t)b->setup.threads);
    output_pair_text(&o, "path", engine_path_names[b->setup.path]);
    output_pair_int(&o, "seed", (int64_t)b->setup.seed);
    output_pair_real(&o, "seconds", stopwatch_seconds(&b->watch), 6);
    output_pair_real(&o, "pods_per_second", pods_a_second(b), 1);
    output_pair_real(&o, "p50_us", latency_us(b, 0.50), 3);
    output_pair_real(&o, "p99_us", latency_us(b, 0.99), 3);
    output_pair_real(&o, "p999_us", latency_us(b, 0.999), 3);
    output_pair_real(&o, "max_us", latency_us(b, 1.0), 3);
    output_pair_int(&o, "peak_rss_bytes", (int64_t)peak_rss_bytes());
    output_pair_text(&o, "digest", digest);
    output_object_end(&o);
    output_close(&o);
}

static void print_text(const bench *b)
{
    printf("%s: %" PRIu64 " nodes in %" PRIu64 " zones, %" PRIu64 " pods running, %" PRIu64
           " to place; threads %" PRIu64 ", path %s\n",
           workload_names[b->spec.kind], b->spec.nodes, b->spec.zones, b->spec.running,
           b->spec.pods, b->setup.threads, engine_path_names[b->setup.path]);
    printf("bound    %" PRIu64 " in %.6f s, %.0f pods a second\n", b->bound,
           stopwatch_seconds(&b->watch), pods_a_second(b));
    printf("latency  p50 %.3f us, p99 %.3f us, p99.9 %.3f us, max %.3f us\n", latency_us(b, 0.50),
           latency_us(b, 0.99), latency_us(b, 0.999), latency_us(b, 1.0));
    printf("memory   %.1f MiB at its peak\n", (double)peak_rss_bytes() / (1024.0 * 1024.0));
    printf("digest   %016" PRIx64 "\n", berth_engine_digest(b->engine));
}

/* ---- the command ---- */

/* Processors that this process may use: the engine's own choice, made here to be printed. */
static uint64_t usable_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 1;
    return (uint64_t)CPU_COUNT(&set);
}

static int run(bench *b)
{
    berth_error error = {.code = BERTH_OK};
    if (b->setup.threads == 0)
        b->setup.threads = usable_processors();
    b->spec.seed = b->setup.seed;
    berth_status status = engine_setup_resolve(&b->setup, &error);
    if (status == BERTH_OK)
        status = engine_setup_create(&b->setup, &b->engine, &error);
    if (status == BERTH_OK)
        status = build(b, &error);
    if (status == BERTH_OK)
        status = measure(b, &error);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    if (b->json)
        print_json(b);
    else
        print_text(b);
    return EXIT_DONE;
}

int cmd_bench(int argc, char **argv)
{
    bench *b = heap_new(1, sizeof(*b)); /* the histogram is too large for a stack */
    b->spec = workload_spec_default();
    text_list operands = {0};
    option cluster[WORKLOAD_OPTIONS];
    workload_spec_options(&b->spec, cluster);
    const option own[] = {
        {.name = "json", .kind = OPTION_FLAG, .target = &b->json,
         .help = "print one line of JSON"},
    };
    const option_group groups[] = {
        {cluster, WORKLOAD_OPTIONS}, engine_setup_options(&b->setup), OPTION_GROUP(own)};
    options_result parsed = options_parse(&help, groups, 3, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN && operands.count > 0)
        code = exit_usage(help.name, "unexpected argument '%s'", operands.items[0]);
    else if (parsed == OPTIONS_RUN)
        code = run(b);
    berth_engine_destroy(b->engine);
    engine_setup_release(&b->setup);
    text_list_free(&operands);
    free(b->pods);
    free(b);
    return code;
}
