/* Replays decision vectors through the naive scheduler alone, which proves the reference itself
 * right. Usage: naive_vectors FILE.jsonl.gz...; prints a line for each file; exit code 1 if
 * anything differs. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "naive.h"

static unsigned long shown; /* differences printed in full so far */

static bool differ(const naive_scenario *s, size_t decision, const char *what, const char *wanted,
                   const char *got)
{
    if (shown++ < 20) {
        printf("  %s decision %zu: %s\n    expected %s\n    got      %s\n", s->name, decision, what,
               wanted, got);
    }
    return false;
}

static const char *dump(naive_region *r, const json_t *v)
{
    char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
    const char *copy = naive_print(r, "%s", text != NULL ? text : "(absent)");
    free(text);
    return copy;
}

static int compare_texts(const void *left, const void *right)
{
    const char *const *a = left;
    const char *const *b = right;
    return strcmp(*a, *b);
}

/* A JSON array of texts as one text, sorted if requested. */
static const char *join_json(naive_region *r, const json_t *array, bool sort)
{
    size_t n = json_array_size(array);
    const char **items = naive_alloc(r, (n + 1) * sizeof(*items));
    const char *text = "";
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(array, i);
        items[i] = json_is_string(v) ? json_string_value(v)
                                     : naive_print(r, "%lld", (long long)json_integer_value(v));
    }
    if (sort) {
        qsort(items, n, sizeof(*items), compare_texts);
    }
    for (size_t i = 0; i < n; i++) {
        text = naive_print(r, "%s%s;", text, items[i]);
    }
    return text;
}

static const char *join_texts(naive_region *r, const char **items, size_t n, bool sort)
{
    const char **copy = naive_alloc(r, (n + 1) * sizeof(*copy));
    const char *text = "";
    for (size_t i = 0; i < n; i++) {
        copy[i] = items[i];
    }
    if (sort) {
        qsort(copy, n, sizeof(*copy), compare_texts);
    }
    for (size_t i = 0; i < n; i++) {
        text = naive_print(r, "%s%s;", text, copy[i]);
    }
    return text;
}

static const char *join_nodes(naive_region *r, const berth_node *const *nodes, size_t n, bool sort)
{
    const char **names = naive_alloc(r, (n + 1) * sizeof(*names));
    for (size_t i = 0; i < n; i++) {
        names[i] = naive_print(r, "%.*s", NAIVE_TEXT(nodes[i]->meta.name));
    }
    return join_texts(r, names, n, sort);
}

static const char *join_values(naive_region *r, const int64_t *values, size_t n)
{
    const char *text = "";
    for (size_t i = 0; i < n; i++) {
        text = naive_print(r, "%s%lld;", text, (long long)values[i]);
    }
    return text;
}

static const char *join_failed(naive_region *r, const json_t *failed)
{
    size_t n = json_array_size(failed);
    const char **items = naive_alloc(r, (n + 1) * sizeof(*items));
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(failed, i);
        items[i] = naive_print(r, "%s|%s|%s|%s", json_string_value(json_object_get(v, "node")),
                               json_string_value(json_object_get(v, "plugin")),
                               json_string_value(json_object_get(v, "code")),
                               join_json(r, json_object_get(v, "reasons"), true));
    }
    return join_texts(r, items, n, true);
}

static const char *join_refusals(naive_region *r, const naive_decision *d)
{
    const char **items = naive_alloc(r, (d->refusal_count + 1) * sizeof(*items));
    for (size_t i = 0; i < d->refusal_count; i++) {
        const naive_refusal *f = &d->refusals[i];
        items[i] =
            naive_print(r, "%.*s|%.*s|%s|%s", NAIVE_TEXT(f->node->meta.name), NAIVE_TEXT(f->plugin),
                        f->unresolvable ? "UnschedulableAndUnresolvable" : "Unschedulable",
                        join_texts(r, f->reasons, f->reason_count, true));
    }
    return join_texts(r, items, d->refusal_count, true);
}

static const char *number(naive_region *r, int64_t v)
{
    return naive_print(r, "%lld", (long long)v);
}

/* Do the plugins that scored, and their values, equal those of the vector? */
static bool same_scores(naive_region *r, const json_t *expected, const naive_decision *d,
                        const char **wanted, const char **got)
{
    *wanted = dump(r, expected);
    *got = "";
    bool same = json_object_size(expected) == d->score_count;
    for (size_t p = 0; p < d->score_count; p++) {
        const char *name = naive_print(r, "%.*s", NAIVE_TEXT(d->scores[p].plugin));
        const char *values = join_values(r, d->scores[p].values, d->feasible_count);
        same = same && strcmp(join_json(r, json_object_get(expected, name), false), values) == 0;
        *got = naive_print(r, "%s%s=%s ", *got, name, values);
    }
    return same;
}

static const char *join_best(naive_region *r, const naive_decision *d)
{
    const char *text = "";
    for (size_t i = 0; i < d->feasible_count; i++) {
        if (d->total[i] == d->best_total) {
            text = naive_print(r, "%s%.*s;", text, NAIVE_TEXT(d->feasible[i]->meta.name));
        }
    }
    return text;
}

static const char *text_of(const json_t *e, const char *key)
{
    const char *text = json_string_value(json_object_get(e, key));
    return text != NULL ? text : "(absent)";
}

static bool check_scores(const naive_scenario *s, size_t i, const json_t *e,
                         const naive_decision *d, naive_region *r)
{
    const char *wanted, *got;
    bool ok = true;
    if (!same_scores(r, json_object_get(e, "scores"), d, &wanted, &got)) {
        ok = differ(s, i, "scores", wanted, got);
    }
    wanted = join_json(r, json_object_get(e, "total"), false);
    got = join_values(r, d->total, d->feasible_count);
    if (strcmp(wanted, got) != 0) {
        ok = differ(s, i, "total", wanted, got);
    }
    wanted = join_json(r, json_object_get(e, "best"), false);
    got = join_best(r, d);
    if (strcmp(wanted, got) != 0) {
        ok = differ(s, i, "best", wanted, got);
    }
    /* Until v1.34 the node is a random one of the best, and the vectors choose by a rule of their
     * own. */
    const char *bound = text_of(e, "bound");
    if (s->cluster.kubernetes >= 35 && !naive_is(d->chosen->meta.name, bound)) {
        ok = differ(s, i, "bound", bound, join_nodes(r, &d->chosen, 1, false));
    }
    return ok;
}

/* In vectors of v1.32, placed pods exist only in the scheduler, so such a victim is neither deleted
 * nor listed. Later vectors list it. */
static const char *join_victims(naive_region *r, const naive_scenario *s, const naive_decision *d)
{
    const char **names = naive_alloc(r, (d->victim_count + 1) * sizeof(*names));
    size_t count = 0;
    for (size_t i = 0; i < d->victim_count; i++) {
        berth_str ns = naive_namespace(&d->victims[i]->meta);
        if (s->cluster.kubernetes > 32 || d->victims[i]->node_name.len > 0) {
            names[count++] =
                naive_print(r, "%.*s/%.*s", NAIVE_TEXT(ns), NAIVE_TEXT(d->victims[i]->meta.name));
        }
    }
    return join_texts(r, names, count, true);
}

static bool check_failure(const naive_scenario *s, size_t i, const json_t *e,
                          const naive_decision *d, naive_region *r)
{
    const char *got[4] = {
        d->pre_filter != NULL ? d->pre_filter : "(absent)",
        d->message != NULL ? d->message : "(absent)",
        d->nominated != NULL ? join_nodes(r, &d->nominated, 1, false) : "",
        join_victims(r, s, d),
    };
    const char *nominated = json_string_value(json_object_get(e, "nominated"));
    const char *wanted[4] = {
        text_of(e, "preFilter"),
        text_of(e, "message"),
        nominated != NULL ? naive_print(r, "%s;", nominated) : "",
        join_json(r, json_object_get(e, "victims"), true),
    };
    static const char *const what[4] = {"preFilter", "message", "nominated", "victims"};
    bool ok = true;
    for (int k = 0; k < 4; k++) {
        if (strcmp(wanted[k], got[k]) != 0) {
            ok = differ(s, i, what[k], wanted[k], got[k]);
        }
    }
    return ok;
}

static bool check(const naive_scenario *s, size_t i, const json_t *e, const naive_decision *d,
                  naive_region *r)
{
    const struct {
        const char *what, *wanted, *got;
    } rows[] = {
        {"error", text_of(e, "error"), d->error ? d->message : "(absent)"},
        {"start", dump(r, json_object_get(e, "start")), number(r, d->start)},
        {"next", dump(r, json_object_get(e, "next")), number(r, d->next)},
        {"feasible", join_json(r, json_object_get(e, "feasible"), d->allow_listed),
         join_nodes(r, d->feasible, d->feasible_count, d->allow_listed)},
        {"failed", join_failed(r, json_object_get(e, "failed")),
         d->error ? "" : join_refusals(r, d)}, /* an error has no other details */
    };
    bool ok = true;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        if (strcmp(rows[k].wanted, rows[k].got) != 0) {
            ok = differ(s, i, rows[k].what, rows[k].wanted, rows[k].got);
        }
    }
    if (ok && d->feasible_count > 0) {
        ok = check_scores(s, i, e, d, r);
    }
    return (d->error || check_failure(s, i, e, d, r)) && ok;
}

/* The allow-listed nodes may be tried in any order, so put the feasible ones in the vector's order.
 */
static void follow_order(const json_t *e, naive_decision *d)
{
    const json_t *order = json_object_get(e, "feasible");
    for (size_t i = 0; i < json_array_size(order) && i < d->feasible_count; i++) {
        const char *name = json_string_value(json_array_get(order, i));
        for (size_t k = i; k < d->feasible_count; k++) {
            if (naive_is(d->feasible[k]->meta.name, name)) {
                const berth_node *other = d->feasible[i];
                d->feasible[i] = d->feasible[k];
                d->feasible[k] = other;
                for (size_t p = 0; p <= d->score_count; p++) {
                    int64_t *v = p < d->score_count ? d->scores[p].values : d->total;
                    int64_t value = v[i];
                    v[i] = v[k];
                    v[k] = value;
                }
            }
        }
    }
    if (d->feasible_count > 0) {
        naive_choose(d);
    }
}

/* ---- v1.15: every predicate on every node, every priority on the nodes that pass all ---- */

static const char *join_predicates(naive_region *r, const json_t *failed)
{
    size_t n = json_array_size(failed), count = 0;
    const char **items = NULL;
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(failed, i);
        json_t *predicates = json_object_get(v, "predicates");
        const char *name;
        json_t *reasons;
        json_object_foreach(predicates, name, reasons)
        {
            items = naive_grow(r, items, count, sizeof(*items));
            items[count++] =
                naive_print(r, "%s|%s|%s", json_string_value(json_object_get(v, "node")), name,
                            join_json(r, reasons, true));
        }
    }
    return join_texts(r, items, count, true);
}

static const char *join_legacy(naive_region *r, const naive_decision *d)
{
    const char **items = naive_alloc(r, (d->refusal_count + 1) * sizeof(*items));
    for (size_t i = 0; i < d->refusal_count; i++) {
        const naive_refusal *f = &d->refusals[i];
        items[i] =
            naive_print(r, "%.*s|%.*s|%s", NAIVE_TEXT(f->node->meta.name), NAIVE_TEXT(f->plugin),
                        join_texts(r, f->reasons, f->reason_count, true));
    }
    return join_texts(r, items, d->refusal_count, true);
}

/* In the vectors MostRequestedPriority and ServiceAntiAffinityPriority have weight 0, and values
 * are unweighted; here they have their own score and a total without them. */
static bool check_legacy(const naive_scenario *s, size_t i, const json_t *e, naive_decision *d,
                         naive_region *r)
{
    const char *wanted = join_predicates(r, json_object_get(e, "failed"));
    const char *got = join_legacy(r, d);
    if (strcmp(wanted, got) != 0) {
        return differ(s, i, "failed", wanted, got);
    }
    wanted = join_json(r, json_object_get(e, "feasible"), true);
    got = join_nodes(r, d->feasible, d->feasible_count, true);
    if (strcmp(wanted, got) != 0) {
        return differ(s, i, "feasible", wanted, got);
    }
    follow_order(e, d);
    for (size_t n = 0; n < d->feasible_count; n++) {
        d->total[n] = 0;
        d->best_total = n == 0 ? 0 : d->best_total;
        for (size_t p = 0; p < d->score_count; p++) {
            berth_str name = d->scores[p].plugin;
            bool shown_only = naive_is(name, "MostRequestedPriority") ||
                              naive_is(name, "ServiceAntiAffinityPriority");
            bool avoid = naive_is(name, "NodePreferAvoidPodsPriority");
            d->total[n] += shown_only ? 0 : d->scores[p].values[n] * (avoid ? 10000 : 1);
        }
        d->best_total = d->total[n] > d->best_total ? d->total[n] : d->best_total;
    }
    return d->feasible_count == 0 || check_scores(s, i, e, d, r);
}

static const berth_profile *legacy_profile(naive_region *r)
{
    static const char *const predicates[] = {"CheckNodeCondition",     "HostName",
                                             "PodFitsHostPorts",       "MatchNodeSelector",
                                             "PodFitsResources",       "NoDiskConflict",
                                             "PodToleratesNodeTaints", "MaxEBSVolumeCount",
                                             "MaxGCEPDVolumeCount",    "MaxAzureDiskVolumeCount",
                                             "NoVolumeZoneConflict",   "CheckNodeMemoryPressure",
                                             "CheckNodePIDPressure",   "CheckNodeDiskPressure",
                                             "MatchInterPodAffinity"};
    static const char *const priorities[] = {
        "LeastRequestedPriority",     "MostRequestedPriority",       "BalancedResourceAllocation",
        "SelectorSpreadPriority",     "ServiceAntiAffinityPriority", "InterPodAffinityPriority",
        "NodeAffinityPriority",       "TaintTolerationPriority",     "ImageLocalityPriority",
        "NodePreferAvoidPodsPriority"};
    static const berth_str rack[] = {{"rack", 4}};
    berth_profile *profile = naive_alloc(r, sizeof(*profile));
    berth_plugin_args *args = naive_alloc(r, sizeof(*args));
    berth_plugin_ref *filters =
        naive_alloc(r, sizeof(predicates) / sizeof(*predicates) * sizeof(*filters));
    berth_plugin_ref *scores =
        naive_alloc(r, sizeof(priorities) / sizeof(*priorities) * sizeof(*scores));
    args->label.labels = (berth_strs){rack, 1};
    args->inter_pod_affinity.hard_pod_affinity_weight = 1;
    berth_plugin_list *points = naive_alloc(r, BERTH_POINT_COUNT * sizeof(*points));
    for (size_t i = 0; i < sizeof(predicates) / sizeof(*predicates); i++) {
        filters[points[BERTH_POINT_FILTER].count++] =
            (berth_plugin_ref){.name = naive_str(predicates[i])};
    }
    for (size_t i = 0; i < sizeof(priorities) / sizeof(*priorities); i++) {
        scores[points[BERTH_POINT_SCORE].count++] =
            (berth_plugin_ref){.name = naive_str(priorities[i]), .weight = 1, .args = args};
    }
    points[BERTH_POINT_FILTER].items = filters;
    points[BERTH_POINT_SCORE].items = scores;
    profile->points = points;
    profile->point_count = BERTH_POINT_COUNT;
    profile->era = BERTH_ERA_V1ALPHA1;
    profile->always_check_all = true;
    profile->percentage_of_nodes_to_score = 100;
    return profile;
}

static void set_disk_limit(const json_t *scenario)
{
    const json_t *limit = json_object_get(scenario, "kubeMaxPDVols");
    char text[32];
    unsetenv("KUBE_MAX_PD_VOLS");
    if (limit != NULL) {
        snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(limit));
        setenv("KUBE_MAX_PD_VOLS", json_is_string(limit) ? json_string_value(limit) : text, 1);
    }
}

static void run_line(const char *line, unsigned long *decisions, unsigned long *mismatches)
{
    naive_scenario s;
    naive_scenario_read(line, &s);
    bool legacy = json_object_get(s.expected, "mode") == NULL;
    if (legacy) {
        s.profile = legacy_profile(&s.region);
        set_disk_limit(json_object_get(s.root, "scenario"));
    }
    const json_t *list = json_object_get(s.expected, "decisions");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *e = json_array_get(list, i);
        naive_decision d;
        naive_region r = {0};
        naive_decide(&s.cluster, s.profile, s.pending[i], &d);
        if (i == 0 && !legacy) {
            const char *wanted = join_json(&r, json_object_get(s.expected, "order"), false);
            const char *got = "";
            for (size_t n = 0; n < s.cluster.order_count; n++) {
                got = naive_print(&r, "%s%.*s;", got, NAIVE_TEXT(s.cluster.order[n]));
            }
            *mismatches += strcmp(wanted, got) != 0 && !differ(&s, i, "order", wanted, got);
        }
        if (d.allow_listed) {
            follow_order(e, &d);
        }
        ++*decisions;
        *mismatches += legacy ? !check_legacy(&s, i, e, &d, &r) : !check(&s, i, e, &d, &r);
        const char *bound = json_string_value(json_object_get(e, "bound"));
        if (bound != NULL) {
            naive_bind(&s.cluster, s.profile, s.pending[i], naive_str(bound));
        }
        naive_region_free(&r);
        naive_decision_free(&d);
    }
    naive_scenario_free(&s);
}

/* Reads a line of any length; returns NULL at the end. */
static char *read_line(gzFile file, char **buffer, size_t *room)
{
    size_t used = 0;
    for (;;) {
        if (used + 65536 > *room) {
            *room = 2 * (used + 65536);
            *buffer = realloc(*buffer, *room);
            if (*buffer == NULL) {
                exit(3);
            }
        }
        if (gzgets(file, *buffer + used, 65536) == NULL) {
            return used > 0 ? *buffer : NULL;
        }
        used += strlen(*buffer + used);
        if ((*buffer)[used - 1] == '\n') {
            return *buffer;
        }
    }
}

int main(int argc, char **argv)
{
    unsigned long all_mismatches = 0;
    char *buffer = NULL;
    size_t room = 0;
    for (int i = 1; i < argc; i++) {
        unsigned long decisions = 0, mismatches = 0;
        gzFile file = gzopen(argv[i], "rb");
        if (file == NULL) {
            fprintf(stderr, "naive_vectors: cannot read %s\n", argv[i]);
            return 3;
        }
        while (read_line(file, &buffer, &room) != NULL) {
            run_line(buffer, &decisions, &mismatches);
        }
        gzclose(file);
        printf("%s decisions=%lu mismatches=%lu\n", argv[i], decisions, mismatches);
        fflush(stdout);
        all_mismatches += mismatches;
    }
    free(buffer);
    return all_mismatches == 0 ? 0 : 1;
}
