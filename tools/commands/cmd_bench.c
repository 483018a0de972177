/* berth bench: makes or reads a cluster and measures decisions alone. Reading, ingest and the first
 * layout of the nodes happen before the clock starts; the clock is read once between two decisions.
 * Ingest has its own figures: bytes per node and pod, and the rate of reading. */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "berth/berth.h"
#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/histogram.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/stopwatch.h"
#include "commands/commands.h"
#include "inspect/inspection.h"
#include "loading/bench_cluster.h"
#include "loading/engine_setup.h"
#include "loading/input_files.h"
#include "workloads/workloads.h"

enum { PROGRESS_EVERY = 4096 };

typedef struct bench {
    bench_cluster cluster;
    engine_setup setup;
    bool json;
    bool loop;                  /* use the scheduling loop */
    bool churns;                /* pods leave while others come */
    berth_scheduler *scheduler; /* the loop's scheduler */
    berth_scheduler_counters counters;
    progress bar;
    uint64_t bound;
    uint64_t indexed;       /* decisions made by the index */
    uint64_t working_bytes; /* memory that deciding added to the engine */
    stopwatch watch;
    histogram latencies; /* in ticks */
} bench;

static const command_help help = {
    .name = "bench",
    .synopsis = "[OPTION...]",
    .text =
        "Builds a synthetic cluster in memory, or reads one, and places its pods one after the\n"
        "other, timing each decision with its binding. Prints pods bound a second, latencies,\n"
        "memory, the rate of reading, and a digest of all placements, which depends on the\n"
        "options but not on --threads.\n"
        "With --loop the pods go through the scheduling queue, in virtual time: those that fit\n"
        "nowhere are tried again, and preempt. The workload preempt always does.\n"
        "With the workload churn, latencies are those of decisions; the rate includes the pods\n"
        "that leave.\n\n"
        "Workloads:\n" WORKLOAD_HELP,
    .examples = "  berth bench --workload basic --nodes 5000 --pods 20000 --threads 2\n"
                "  berth bench --workload basic --percentage 100 --path scan --json\n"
                "  berth bench --load cluster.json\n"
                "  berth bench --workload mixed --nodes 1000 --pods 5000 --loop\n"
                "  berth bench --workload preempt --nodes 5000 --pods 5000\n",
};

/* Remove the pod that leaves after the `i`-th has come, if there is one. */
static berth_status let_leave(const bench *b, uint64_t i, berth_error *error)
{
    const uint64_t stay = (b->cluster.pod_count + 1) / 2;
    berth_str space, name;
    if (!b->churns || i < stay)
        return BERTH_OK;
    berth_engine_pod_name(b->cluster.engine, b->cluster.pods[i - stay], &space, &name);
    return berth_engine_remove(b->cluster.engine, BERTH_KIND_POD, space, name, error);
}

static berth_status measure(bench *b, berth_error *error)
{
    berth_placement placement;
    berth_status status = BERTH_OK;
    progress_start(&b->bar, "placing", b->cluster.pod_count);
    stopwatch_start(&b->watch);
    uint64_t before = b->watch.start_ticks;
    for (uint64_t i = 0; i < b->cluster.pod_count && status == BERTH_OK; i++) {
        status = berth_engine_schedule(b->cluster.engine, b->cluster.pods[i], &placement, error);
        uint64_t now = stopwatch_ticks(&b->watch);
        histogram_add(&b->latencies, now - before);
        before = now;
        if (status != BERTH_OK)
            break;
        b->bound += placement.verdict == BERTH_VERDICT_PLACED;
        b->indexed += placement.path == BERTH_PATH_INDEX;
        if (b->churns) {
            status = let_leave(b, i, error);
            before = stopwatch_ticks(&b->watch);
        }
        if (b->bar.terminal && i % PROGRESS_EVERY == 0) {
            progress_update(&b->bar, i);
            before = stopwatch_ticks(&b->watch);
        }
    }
    stopwatch_stop(&b->watch);
    progress_end(&b->bar);
    return status;
}

/* Runs one step of the loop. If no pod is active, advances `*now_ns` to the end of the next
 * backoff. Returns false at the end, when the remaining pods wait for changes that will not
 * come. */
static bool step(bench *b, int64_t *now_ns, berth_status *status, berth_error *error)
{
    berth_step result;
    *status = berth_scheduler_step(b->scheduler, *now_ns, &result, error);
    if (*status != BERTH_OK)
        return false;
    b->bound += result.kind == BERTH_STEP_BOUND;
    if (result.kind != BERTH_STEP_IDLE)
        return true;
    berth_scheduler_count(b->scheduler, &b->counters);
    *now_ns = berth_scheduler_next(b->scheduler);
    return b->counters.backoff > 0;
}

static berth_status measure_loop(bench *b, berth_error *error)
{
    int64_t now_ns = 0;
    berth_status status = berth_scheduler_create(b->cluster.engine, NULL, &b->scheduler, error);
    if (status != BERTH_OK)
        return status;
    progress_start(&b->bar, "placing", b->cluster.pod_count);
    stopwatch_start(&b->watch);
    uint64_t before = b->watch.start_ticks;
    for (uint64_t i = 0; step(b, &now_ns, &status, error); i++) {
        uint64_t now = stopwatch_ticks(&b->watch);
        histogram_add(&b->latencies, now - before);
        before = now;
        if (b->bar.terminal && i % PROGRESS_EVERY == 0) {
            progress_update(&b->bar, b->bound);
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

static double read_megabytes_a_second(const bench *b)
{
    double seconds = b->cluster.read_seconds;
    return seconds > 0.0 ? (double)b->cluster.read_bytes / 1e6 / seconds : 0.0;
}

static bool was_read(const bench *b)
{
    return b->cluster.files.count > 0;
}

/* For a cluster that was read: the number of pods that ran before any was placed or evicted. */
static uint64_t running_before(const bench *b, const berth_counts *counts)
{
    return counts->pods_running - b->bound + b->counters.evictions;
}

/* Describes the cluster: as specified, or as the engine counts it. */
static void json_cluster(const bench *b, output *o)
{
    const workload_spec *spec = &b->cluster.spec;
    berth_counts counts;
    berth_engine_counts(b->cluster.engine, &counts);
    output_pair_text(o, "workload", was_read(b) ? "load" : workload_names[spec->kind]);
    output_pair_int(o, "nodes", was_read(b) ? counts.nodes : (int64_t)spec->nodes);
    if (!was_read(b))
        output_pair_int(o, "zones", (int64_t)spec->zones);
    output_pair_int(o, "pods", (int64_t)b->cluster.pod_count);
    output_pair_int(o, "running",
                    was_read(b) ? (int64_t)running_before(b, &counts)
                                : (int64_t)workload_running_count(spec));
}

/* The memory of the engine. Returns false if it is no arena of jemalloc. */
static bool read_arena(const bench *b, berth_memory *out)
{
    return berth_engine_memory(b->cluster.engine, out, NULL) == BERTH_OK && out->metadata_bytes > 0;
}

static void json_memory(const bench *b, output *o)
{
    berth_memory arena;
    output_pair_int(o, "peak_rss_bytes", (int64_t)peak_rss_bytes());
    if (b->cluster.weighed) {
        output_pair_int(o, "cluster_bytes", (int64_t)b->cluster.all_bytes);
        output_pair_int(o, "working_bytes", (int64_t)b->working_bytes);
    }
    if (b->cluster.weighed && !was_read(b)) {
        output_pair_real(o, "bytes_a_node", bench_cluster_node_bytes(&b->cluster), 1);
        output_pair_real(o, "bytes_a_pod", bench_cluster_pod_bytes(&b->cluster), 1);
    }
    if (read_arena(b, &arena)) {
        output_pair_int(o, "arena_allocated_bytes", (int64_t)arena.used_bytes);
        output_pair_int(o, "arena_active_bytes", (int64_t)arena.active_bytes);
        output_pair_int(o, "arena_resident_bytes", (int64_t)arena.resident_bytes);
        output_pair_int(o, "arena_metadata_bytes", (int64_t)arena.metadata_bytes);
    }
    if (was_read(b)) {
        output_pair_int(o, "read_bytes", (int64_t)b->cluster.read_bytes);
        output_pair_real(o, "read_seconds", b->cluster.read_seconds, 6);
        output_pair_real(o, "read_megabytes_per_second", read_megabytes_a_second(b), 1);
    }
}

static void print_json(const bench *b)
{
    output o;
    char digest[32];
    snprintf(digest, sizeof(digest), "%016" PRIx64, berth_engine_digest(b->cluster.engine));
    output_open(&o, stdout, OUTPUT_JSON, 0);
    output_object(&o);
    json_cluster(b, &o);
    output_pair_int(&o, "bound", (int64_t)b->bound);
    output_pair_int(&o, "indexed", (int64_t)b->indexed);
    output_pair_int(&o, "threads", (int64_t)b->setup.threads);
    output_pair_text(&o, "path", engine_path_names[b->setup.path]);
    output_pair_int(&o, "seed", (int64_t)b->setup.seed);
    output_pair_real(&o, "seconds", stopwatch_seconds(&b->watch), 6);
    output_pair_real(&o, "pods_per_second", pods_a_second(b), 1);
    output_pair_real(&o, "p50_us", latency_us(b, 0.50), 3);
    output_pair_real(&o, "p99_us", latency_us(b, 0.99), 3);
    output_pair_real(&o, "p999_us", latency_us(b, 0.999), 3);
    output_pair_real(&o, "max_us", latency_us(b, 1.0), 3);
    json_memory(b, &o);
    if (b->loop) {
        output_pair_int(&o, "decisions", (int64_t)b->counters.decisions);
        output_pair_int(&o, "evictions", (int64_t)b->counters.evictions);
    }
    output_pair_text(&o, "digest", digest);
    output_object_end(&o);
    output_close(&o);
}

static void print_heading(const bench *b)
{
    const workload_spec *spec = &b->cluster.spec;
    berth_counts counts;
    berth_engine_counts(b->cluster.engine, &counts);
    if (was_read(b))
        printf("load: %" PRIu32 " nodes, %" PRIu64 " pods running, %zu to place", counts.nodes,
               running_before(b, &counts), b->cluster.pod_count);
    else
        printf("%s: %" PRIu64 " nodes in %" PRIu64 " zones, %" PRIu64 " pods running, %" PRIu64
               " to place",
               workload_names[spec->kind], spec->nodes, spec->zones, workload_running_count(spec),
               spec->pods);
    printf("; threads %" PRIu64 ", path %s\n", b->setup.threads, engine_path_names[b->setup.path]);
}

static void print_memory(const bench *b)
{
    const double mebi = 1024.0 * 1024.0;
    printf("memory   %.1f MiB at its peak", (double)peak_rss_bytes() / mebi);
    if (b->cluster.weighed)
        printf("; the cluster %.1f MiB, deciding %.1f MiB", (double)b->cluster.all_bytes / mebi,
               (double)b->working_bytes / mebi);
    if (b->cluster.weighed && !was_read(b))
        printf("; %.1f bytes a node, %.1f a pod", bench_cluster_node_bytes(&b->cluster),
               bench_cluster_pod_bytes(&b->cluster));
    printf("\n");
    berth_memory memory;
    if (read_arena(b, &memory))
        printf("jemalloc %.1f MiB allocated, %.1f active, %.1f resident, %.1f of metadata\n",
               (double)memory.used_bytes / mebi, (double)memory.active_bytes / mebi,
               (double)memory.resident_bytes / mebi, (double)memory.metadata_bytes / mebi);
    if (b->setup.huge_pages_given &&
        berth_engine_memory(b->cluster.engine, &memory, NULL) == BERTH_OK)
        printf("huge     %.1f MiB asked for%s\n", (double)memory.huge_bytes / mebi,
               memory.huge_refused ? ", some refused or slow" : "");
}

static void print_text(const bench *b)
{
    print_heading(b);
    if (was_read(b))
        printf("read     %.1f MB, %" PRIu64 " objects in %.6f s, %.1f MB a second\n",
               (double)b->cluster.read_bytes / 1e6, b->cluster.object_count,
               b->cluster.read_seconds, read_megabytes_a_second(b));
    printf("bound    %" PRIu64 " in %.6f s, %.0f pods a second; %" PRIu64 " decisions by index\n",
           b->bound, stopwatch_seconds(&b->watch), pods_a_second(b), b->indexed);
    printf("latency  p50 %.3f us, p99 %.3f us, p99.9 %.3f us, max %.3f us\n", latency_us(b, 0.50),
           latency_us(b, 0.99), latency_us(b, 0.999), latency_us(b, 1.0));
    if (b->loop)
        printf("loop     %" PRIu64 " decisions, %" PRIu64 " pods evicted\n", b->counters.decisions,
               b->counters.evictions);
    print_memory(b);
    printf("digest   %016" PRIx64 "\n", berth_engine_digest(b->cluster.engine));
}

/* ---- the command ---- */

/* The number of processors that this process may use. The engine chooses the same number; computed
 * here to print it. */
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
    b->cluster.spec.seed = b->setup.seed;
    b->cluster.setup = &b->setup;
    berth_status status = engine_setup_resolve(&b->setup, &error);
    inspection_config(b->setup.config, help.name);
    if (status == BERTH_OK)
        status = engine_setup_create(&b->setup, &b->cluster.engine, &error);
    if (status == BERTH_OK)
        status = bench_cluster_build(&b->cluster, &error);
    b->loop |= !was_read(b) && workload_preempts(&b->cluster.spec);
    b->churns = !was_read(b) && workload_churns(&b->cluster.spec);
    if (status == BERTH_OK)
        status = b->loop ? measure_loop(b, &error) : measure(b, &error);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    uint64_t held = bench_cluster_held_bytes(&b->cluster);
    b->working_bytes = held > b->cluster.all_bytes ? held - b->cluster.all_bytes : 0;
    if (b->json)
        print_json(b);
    else
        print_text(b);
    return EXIT_DONE;
}

int cmd_bench(int argc, char **argv)
{
    bench *b = heap_new(1, sizeof(*b)); /* too large for a stack because of the histogram */
    b->cluster.spec = workload_spec_default();
    text_list operands = {0};
    input_files expanded = {0};
    option cluster[WORKLOAD_OPTIONS];
    workload_spec_options(&b->cluster.spec, cluster);
    const option own[] = {
        {.name = "loop",
         .kind = OPTION_FLAG,
         .target = &b->loop,
         .help = "schedule through the queue, with preemption"},
        {.name = "json", .kind = OPTION_FLAG, .target = &b->json, .help = "print one line of JSON"},
        {.name = "load",
         .kind = OPTION_TEXTS,
         .value = "FILE",
         .target = &b->cluster.files,
         .help = "read the cluster from a file instead of making it, and time\nthat; a folder: its "
                 ".json, .yaml and .yml files; repeatable"},
    };
    const option_group groups[] = {{cluster, WORKLOAD_OPTIONS, OPTIONS_OWN},
                                   engine_setup_options(&b->setup),
                                   OPTION_GROUP(own)};
    char reason[128];
    options_result parsed = options_parse(&help, groups, 3, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN && operands.count > 0)
        code = exit_usage(help.name, "unexpected argument '%s'", operands.items[0]);
    else if (parsed == OPTIONS_RUN &&
             !workload_spec_check(&b->cluster.spec, reason, sizeof(reason)))
        code = exit_usage(help.name, "--%s", reason);
    else if (parsed == OPTIONS_RUN && b->loop && workload_churns(&b->cluster.spec))
        code = exit_usage(help.name, "workload churn cannot be combined with --loop");
    else if (parsed == OPTIONS_RUN)
        code = input_files_expand(&expanded, &b->cluster.files, false, help.name);
    if (parsed == OPTIONS_RUN && code == EXIT_DONE)
        code = run(b);
    berth_scheduler_destroy(b->scheduler);
    bench_cluster_release(&b->cluster);
    input_files_free(&expanded);
    engine_setup_release(&b->setup);
    text_list_free(&operands);
    free(b);
    return code;
}
