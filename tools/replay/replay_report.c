/* Prints the report of a replay as a table, and writes it as JSON or YAML. */
#include "replay/replay_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/amounts.h"
#include "cli/heap.h"
#include "cli/plain_text.h"
#include "cli/table.h"

enum { REASONS_SHOWN = 10 };

/* ---- waits ---- */

static uint64_t wait_count(const replay *r)
{
    return r->waitless + r->wait_count;
}

/* The smallest wait that the fraction `part` (0..1) of all waits do not exceed, in seconds. */
static double wait_percentile(const replay *r, double part)
{
    uint64_t count = wait_count(r);
    if (count == 0)
        return 0.0;
    double wanted = ceil(part * (double)count);
    uint64_t rank = wanted < 1.0 ? 1 : (uint64_t)wanted;
    if (rank > count)
        rank = count;
    return rank <= r->waitless ? 0.0 : (double)r->waits_ns[rank - r->waitless - 1] / 1e9;
}

static double wait_mean(const replay *r)
{
    double sum = 0.0;
    for (size_t i = 0; i < r->wait_count; i++)
        sum += (double)r->waits_ns[i] / 1e9;
    return wait_count(r) > 0 ? sum / (double)wait_count(r) : 0.0;
}

void replay_report_waits(const replay *r, FILE *file)
{
    fputs("percentile,seconds\n", file);
    for (int percent = 0; percent <= 100; percent++)
        fprintf(file, "%d,%.3f\n", percent, wait_percentile(r, percent / 100.0));
}

/* ---- resources ---- */

typedef struct resource_figures {
    berth_str name;
    double mean_share, peak_share, end_share;
    double mean_fragmentation, end_fragmentation;
} resource_figures;

static resource_figures figures_of(const replay *r, uint32_t resource)
{
    const replay_load *l = &r->load;
    const replay_series *s = &r->series;
    const series_cell *last = &s->cells[(s->row_count - 1) * s->width + resource];
    double all = l->allocatable_seconds[resource];
    double end = replay_load_share(l, resource);
    return (resource_figures){
        .name = word_table_get(&l->resources, resource),
        .mean_share = all > 0.0 ? l->requested_seconds[resource] / all : end,
        .peak_share = l->peak[resource] > end ? l->peak[resource] : end,
        .end_share = end,
        .mean_fragmentation = replay_series_mean_fragmentation(s, resource),
        .end_fragmentation = last->fragmentation,
    };
}

static double span_seconds(const replay *r)
{
    return (double)(r->now_ns - r->start_ns) / 1e9;
}

static double mean_waiting(const replay *r)
{
    return span_seconds(r) > 0.0 ? r->waiting_seconds / span_seconds(r) : 0.0;
}

static double mixed_share(const replay *r)
{
    return r->load.pods_seen > 0 ? (double)r->load.pods_mixed / (double)r->load.pods_seen : 1.0;
}

/* ---- for people ---- */

static void format_span(double seconds, char *out, size_t size)
{
    uint64_t whole = (uint64_t)seconds;
    uint64_t days = whole / 86400;
    int at = days > 0 ? snprintf(out, size, "%" PRIu64 " d ", days) : 0;
    if (whole < 60)
        snprintf(out + at, size - (size_t)at, "%.3f s", seconds - (double)days * 86400.0);
    else
        snprintf(out + at, size - (size_t)at, "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64,
                 whole / 3600 % 24, whole / 60 % 60, whole % 60);
}

static void print_outcomes(const replay *r, FILE *file)
{
    char span[64];
    berth_counts counts;
    berth_engine_counts(r->engine, &counts);
    format_span(span_seconds(r), span, sizeof(span));
    fprintf(file, "Pods         %" PRIu64 " in %s of virtual time; %" PRIu32 " nodes at the end\n",
            r->pods, span, counts.nodes);
    for (int i = 0; i < OUTCOME_COUNT; i++)
        if (r->outcomes[i] > 0)
            fprintf(file, "  %8" PRIu64 "  %-11s %s\n", r->outcomes[i], replay_outcome_names[i],
                    replay_outcome_texts[i]);
    if (r->ignored > 0)
        fprintf(file, "Ignored      %" PRIu64 " pods that came as finished\n", r->ignored);
}

static void print_reasons(const replay *r, FILE *file)
{
    uint64_t rest = 0;
    uint32_t *ranked = replay_reasons_rank(&r->reasons);
    if (r->reasons.names.count > 0)
        fputs("Not placed, and why\n", file);
    for (size_t i = 0; i < r->reasons.names.count; i++) {
        berth_str name = word_table_get(&r->reasons.names, ranked[i]);
        if (i < REASONS_SHOWN)
            plain_text_line(file, "  %8" PRIu64 "  %.*s", r->reasons.groups[ranked[i]].pods,
                            (int)name.len, name.data);
        else
            rest += r->reasons.groups[ranked[i]].pods;
    }
    if (rest > 0)
        fprintf(file, "  %8" PRIu64 "  for %zu other reasons\n", rest,
                r->reasons.names.count - REASONS_SHOWN);
    free(ranked);
}

static void print_waits(const replay *r, FILE *file)
{
    fprintf(file,
            "Waits        %" PRIu64 " placements: mean %.3f s, p50 %.3f s, p90 %.3f s, p99 %.3f s, "
            "max %.3f s\n",
            wait_count(r), wait_mean(r), wait_percentile(r, 0.5), wait_percentile(r, 0.9),
            wait_percentile(r, 0.99), wait_percentile(r, 1.0));
    fprintf(file, "Queue        mean %.1f pods, peak %" PRIu64, mean_waiting(r), r->waiting_peak);
    if (r->longest_still_ns > 0)
        fprintf(file, "; the longest wait at the end is %.3f s", (double)r->longest_still_ns / 1e9);
    fputc('\n', file);
}

static void print_turmoil(const replay *r, FILE *file)
{
    if (r->evicted > 0)
        fprintf(file, "Preemption   %" PRIu64 " pods evicted\n", r->evicted);
    if (r->node_failures > 0)
        fprintf(file,
                "Nodes        %" PRIu64 " failed with %" PRIu64 " pods, %" PRIu64 " returned\n",
                r->node_failures, r->lost, r->node_returns);
    if (r->restarted > 0)
        fprintf(file, "Restarts     %" PRIu64 "\n", r->restarted);
    if (r->refused > 0)
        plain_text_line(file, "Refused      %" PRIu64 " events that change nothing; the first: %s",
                        r->refused, r->refused_first);
}

static void print_resources(const replay *r, FILE *file)
{
    static const char *const titles[] = {"RESOURCE", "MEAN USE",      "PEAK",
                                         "END",      "FRAGMENTATION", "END"};
    table t;
    table_open(&t, file, titles, 6, 0x3e);
    for (uint32_t i = 0; i < r->load.resources.count; i++)
        table_measure(&t, 0, word_table_get(&r->load.resources, i).len);
    table_head(&t);
    for (uint32_t i = 0; i < r->load.resources.count; i++) {
        const resource_figures f = figures_of(r, i);
        const double values[] = {f.mean_share, f.peak_share, f.end_share, f.mean_fragmentation,
                                 f.end_fragmentation};
        table_cell(&t, f.name);
        for (int v = 0; v < 5; v++) {
            char text[32];
            snprintf(text, sizeof(text), "%.2f%%", values[v] * 100.0);
            table_cell_text(&t, text);
        }
    }
}

void replay_report_print(const replay *r, const replay_speed *speed, FILE *file)
{
    berth_scheduler_counters c;
    berth_scheduler_count(r->scheduler, &c);
    print_outcomes(r, file);
    print_reasons(r, file);
    print_waits(r, file);
    print_turmoil(r, file);
    fputc('\n', file);
    print_resources(r, file);
    fprintf(file, "\nDecisions    %" PRIu64 " in %.3f s of %.3f s in all, %.0f a second\n",
            c.decisions, speed->decision_seconds, speed->seconds,
            speed->decision_seconds > 0.0 ? (double)c.decisions / speed->decision_seconds : 0.0);
}

/* ---- for programs ---- */

static void pair_count(output *o, const char *key, uint64_t value)
{
    output_pair_int(o, key, (int64_t)value);
}

static void write_time(const replay *r, output *o)
{
    output_key(o, "time");
    output_object(o);
    output_pair_real(o, "start", (double)r->start_ns / 1e9, 3);
    output_pair_real(o, "end", (double)r->now_ns / 1e9, 3);
    output_pair_real(o, "sampleInterval", (double)r->series.interval_ns / 1e9, 3);
    output_object_end(o);
}

static void write_pods(const replay *r, output *o)
{
    pair_count(o, "pods", r->pods);
    pair_count(o, "ignored", r->ignored);
    output_key(o, "outcomes");
    output_object(o);
    for (int i = 0; i < OUTCOME_COUNT; i++)
        pair_count(o, replay_outcome_names[i], r->outcomes[i]);
    output_object_end(o);
    pair_count(o, "placements", r->placements);
    pair_count(o, "restarts", r->restarted);
    pair_count(o, "evicted", r->evicted);
    pair_count(o, "lost", r->lost);
}

static void write_waits(const replay *r, output *o)
{
    output_key(o, "waitSeconds");
    output_object(o);
    pair_count(o, "placements", wait_count(r));
    output_pair_real(o, "mean", wait_mean(r), 6);
    output_pair_real(o, "p50", wait_percentile(r, 0.5), 6);
    output_pair_real(o, "p90", wait_percentile(r, 0.9), 6);
    output_pair_real(o, "p99", wait_percentile(r, 0.99), 6);
    output_pair_real(o, "max", wait_percentile(r, 1.0), 6);
    output_pair_real(o, "longestAtEnd", (double)r->longest_still_ns / 1e9, 6);
    output_object_end(o);
    output_key(o, "queue");
    output_object(o);
    output_pair_real(o, "mean", mean_waiting(r), 6);
    pair_count(o, "peak", r->waiting_peak);
    output_object_end(o);
}

static void write_resources(const replay *r, output *o)
{
    output_key(o, "resources");
    output_array(o);
    for (uint32_t i = 0; i < r->load.resources.count; i++) {
        const resource_figures f = figures_of(r, i);
        output_object(o);
        output_pair_str(o, "name", f.name);
        output_pair_int(o, "requestedAtEnd", amount_of_wide(r->load.total_requested[i]));
        output_pair_int(o, "allocatableAtEnd", amount_of_wide(r->load.total_allocatable[i]));
        output_pair_real(o, "meanShare", f.mean_share, 6);
        output_pair_real(o, "peakShare", f.peak_share, 6);
        output_pair_real(o, "shareAtEnd", f.end_share, 6);
        output_pair_real(o, "meanFragmentation", f.mean_fragmentation, 6);
        output_pair_real(o, "fragmentationAtEnd", f.end_fragmentation, 6);
        output_object_end(o);
    }
    output_array_end(o);
    output_key(o, "fragmentationMix");
    output_object(o);
    pair_count(o, "requests", r->load.sort_count);
    output_pair_real(o, "shareOfPods", mixed_share(r), 6);
    output_object_end(o);
}

static void write_reasons(const replay *r, output *o)
{
    uint32_t *ranked = replay_reasons_rank(&r->reasons);
    output_key(o, "notPlaced");
    output_array(o);
    for (size_t i = 0; i < r->reasons.names.count; i++) {
        const reason_group *group = &r->reasons.groups[ranked[i]];
        output_object(o);
        pair_count(o, "pods", group->pods);
        output_pair_str(o, "reasons", word_table_get(&r->reasons.names, ranked[i]));
        output_pair_text(o, "example", group->example);
        output_object_end(o);
    }
    output_array_end(o);
    free(ranked);
}

static void write_nodes(const replay *r, output *o)
{
    berth_counts counts;
    berth_engine_counts(r->engine, &counts);
    output_key(o, "nodes");
    output_object(o);
    output_pair_int(o, "atEnd", counts.nodes);
    pair_count(o, "failures", r->node_failures);
    pair_count(o, "returns", r->node_returns);
    output_object_end(o);
    output_key(o, "refusedEvents");
    output_object(o);
    pair_count(o, "count", r->refused);
    output_pair_text(o, "first", r->refused_first);
    output_object_end(o);
}

static void write_scheduler(const replay *r, output *o)
{
    char digest[32];
    berth_scheduler_counters c;
    berth_scheduler_count(r->scheduler, &c);
    snprintf(digest, sizeof(digest), "%016" PRIx64, r->digest);
    output_key(o, "scheduler");
    output_object(o);
    pair_count(o, "submitted", c.submitted);
    pair_count(o, "bound", c.bound);
    pair_count(o, "taken", c.taken);
    pair_count(o, "deleted", c.deleted);
    pair_count(o, "decisions", c.decisions);
    pair_count(o, "assumptions", c.assumptions);
    pair_count(o, "unplaced", c.unplaced);
    pair_count(o, "errors", c.errors);
    pair_count(o, "woken", c.woken);
    pair_count(o, "flushed", c.flushed);
    pair_count(o, "nominations", c.nominations);
    pair_count(o, "evictions", c.evictions);
    output_object_end(o);
    output_pair_text(o, "placementDigest", digest);
}

static void write_speed(const replay *r, const replay_speed *speed, output *o)
{
    berth_scheduler_counters c;
    berth_scheduler_count(r->scheduler, &c);
    output_key(o, "wallClock");
    output_object(o);
    output_key(o, "repeatable");
    output_bool(o, false);
    output_pair_real(o, "seconds", speed->seconds, 6);
    output_pair_real(o, "decisionSeconds", speed->decision_seconds, 6);
    output_pair_real(
        o, "decisionsPerSecond",
        speed->decision_seconds > 0.0 ? (double)c.decisions / speed->decision_seconds : 0.0, 0);
    output_object_end(o);
}

void replay_report_write(const replay *r, const replay_speed *speed, FILE *file)
{
    output o;
    output_open(&o, file, OUTPUT_JSON, 2);
    output_object(&o);
    write_time(r, &o);
    write_pods(r, &o);
    write_waits(r, &o);
    write_resources(r, &o);
    write_reasons(r, &o);
    write_nodes(r, &o);
    write_scheduler(r, &o);
    if (speed != NULL)
        write_speed(r, speed, &o);
    output_object_end(&o);
    output_close(&o);
}
