/* Property test: the index returns the results of a scan. Engines that differ only in their path
 * run the same random history, and every field of every placement must be equal.
 *
 * Usage: test_index_model [--seed S] [--decisions N]. Round r of seed S is round 0 of seed S + r; a
 * failure prints this to replay it. Under a sanitizer fewer decisions are made unless --decisions
 * sets the number. BERTH_TEST_SEED replaces the seed of a run without --seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/query.h"
#include "berth/read.h"
#include "berth/transaction.h"
#include "chance.h"
#include "effort.h"

enum {
    ENGINES = 3,
    PROFILES = 6,
    TEMPLATES_MAX = 48,
    NODES_MAX = 8000, /* names ever used in a round */
    LABELS = 7,
    DECISIONS_A_ROUND = 6000,
};

static const struct {
    const char *name;
    berth_path path;
    uint32_t threads;
} kinds[ENGINES] = {
    {"scan", BERTH_PATH_SCAN, 1},
    {"index", BERTH_PATH_INDEX, 1},
    {"auto with two threads", BERTH_PATH_AUTO, 2},
};

/* A pod template, with the storage of everything that its pods point to. */
typedef struct template
{
    berth_pod pod;
    berth_container container;
    berth_resource requests[3];
    berth_port port;
    berth_key_value labels[1];
    berth_key_value selector[1];
    berth_toleration tolerations[2];
    berth_requirement expression;
    berth_str values[2];
    berth_node_selector_term term;
    berth_node_selector required;
    berth_preferred_node_term preferred;
    berth_label_selector peers;
    berth_key_value peer_labels[1];
    berth_pod_affinity_term peer_terms[2];
    berth_pod_affinity_term soft_terms[2];
    berth_topology_spread spreads[2];
    bool prefers; /* raw values of some scorer differ, so they are normalized */
}
template;

typedef struct pod {
    char name[16];
    berth_pod_id id;
    berth_node_id node; /* BERTH_NODE_NONE: pending */
    uint32_t made_of;
} pod;

typedef struct trial {
    uint64_t seed, state;
    berth_engine *engines[ENGINES];
    berth_explanation *explanations[ENGINES];
    berth_profile profiles[PROFILES];
    berth_plugin_list points[BERTH_POINT_COUNT]; /* of the last profile */
    berth_plugin_ref scorers[16];                /* of the profile that packs */
    berth_plugin_args packing;
    template templates[TEMPLATES_MAX];
    uint32_t template_count;
    bool present[NODES_MAX];
    uint64_t node_seeds[NODES_MAX]; /* all properties of a node depend on its seed, except: */
    struct {
        uint8_t disk, zone, note;
    } own_labels[NODES_MAX]; /* 0: as the seed has it (note: none), else number + 1 of a value */
    bool has_namespace[2];
    uint32_t node_names;
    uint32_t peers;   /* percentage of templates with rules about other pods */
    bool together;    /* these rules keep the pods of an app in one zone, or on one kind of disk */
    bool preferences; /* normalizing scorers have work */
    uint32_t node_changes; /* of 1,000 steps */
    uint32_t nominations;  /* the same */
    uint32_t nominated;    /* nominations so far */
    uint32_t nameless;     /* percentage of nodes that lack the label of their hostname */
    uint32_t rack_nodes;
    pod *pods;
    uint32_t pod_count, pod_serial;
    unsigned long long made; /* decisions of this round */
    bool failed;
} trial;

static unsigned long long paths_taken[ENGINES][BERTH_PATH_INDEX + 1];
static unsigned long long placed, unplaced, sampled, heaped, preferring, preferring_by_index;
static unsigned long long beside_nominated, beside_nominated_by_index;

/* ---- chance ---- */

static uint32_t below(trial *t, uint32_t bound)
{
    return chance_below(&t->state, bound);
}

static bool chance(trial *t, uint32_t percent)
{
    return below(t, 100) < percent;
}

static berth_str str(const char *text)
{
    return (berth_str){text, (uint32_t)strlen(text)};
}

static berth_str pick(trial *t, const char *const *texts, uint32_t count)
{
    return str(texts[below(t, count)]);
}

static const char *const zones[] = {"a", "b", "c", "d"};
static const char *const disks[] = {"ssd", "hdd"};
static const char *const notes[] = {"a", "b"};
static const char *const ranks[] = {"0", "1", "2", "3", "40"};
static const char *const apps[] = {"web", "db", "batch"};
static const char *const images[] = {"img/one:1", "img/two:2", "img/three:3"};
static const char *const taint_keys[] = {"dedicated", "spot"};
static const berth_key_value team_labels[] = {{{"team", 4}, {"x", 1}}};
static const berth_label_selector team_selector = {.match_labels = {team_labels, 1}};
static const char *const effects[] = {"NoSchedule", "NoExecute", "PreferNoSchedule"};

/* ---- failing ---- */

static void expect(trial *t, int engine, const char *what, int64_t wanted, int64_t got)
{
    if (wanted == got || t->failed)
        return;
    fprintf(stderr,
            "FAILED at decision %llu: %s is %lld by scan and %lld by %s\n"
            "replay: test_index_model --seed %llu --decisions %llu\n",
            t->made, what, (long long)wanted, (long long)got, kinds[engine].name,
            (unsigned long long)t->seed, t->made + 1);
    t->failed = true;
}

static void must(trial *t, int engine, const char *call, berth_status status,
                 const berth_error *error)
{
    if (status != BERTH_OK && !t->failed)
        fprintf(stderr, "%s: %s\n", berth_status_name(status), error->message);
    expect(t, engine, call, BERTH_OK, status);
}

static const char *const profile_names[PROFILES] = {"s0", "s1", "s2", "s3", "s4", "s5"};

/* ---- objects ---- */

static berth_resource amount(const char *name, int64_t units, int32_t nanos)
{
    return (berth_resource){str(name), {units, nanos}};
}

static void make_requests(trial *t, template *out)
{
    uint32_t count = 0;
    if (!chance(t, 10))
        out->requests[count++] = amount("cpu", below(t, 3), (int32_t)(1 + below(t, 9)) * 100000000);
    if (!chance(t, 20))
        out->requests[count++] = amount("memory", (int64_t)(1 + below(t, 4096)) << 20, 0);
    if (chance(t, 10))
        out->requests[count++] = amount("example.com/gpu", 1 + below(t, 2), 0);
    out->container.requests = (berth_resources){out->requests, count};
    if (chance(t, 15)) {
        out->port = (berth_port){.host_port = 8000 + (int32_t)below(t, 3)};
        out->container.ports = &out->port;
        out->container.port_count = 1;
    }
    out->container.image = chance(t, 30) ? pick(t, images, 3) : str("img/none");
    out->pod.containers = &out->container;
    out->pod.container_count = 1;
}

static void make_tolerations(trial *t, template *out)
{
    uint32_t count = below(t, 3);
    for (uint32_t i = 0; i < count; i++) {
        out->tolerations[i].key = pick(t, taint_keys, 2);
        out->tolerations[i].op = chance(t, 50) ? str("Exists") : str("Equal");
        out->tolerations[i].value = chance(t, 50) ? str("x") : str("");
        out->tolerations[i].effect = chance(t, 50) ? pick(t, effects, 3) : (berth_str){0};
    }
    out->pod.tolerations = out->tolerations;
    out->pod.toleration_count = count;
}

static void make_node_rules(trial *t, template *out)
{
    static const char *const ops[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
    static const char *const keys[] = {"disk", "topology.kubernetes.io/zone", "note"};
    if (chance(t, 15)) {
        out->selector[0] = (berth_key_value){str("disk"), pick(t, disks, 2)};
        out->pod.node_selector = (berth_map){out->selector, 1};
    }
    if (!chance(t, 40))
        return;
    uint32_t op = below(t, 6);
    out->expression.op = str(ops[op]);
    out->expression.key = op >= 4 ? str("rank") : pick(t, keys, 3);
    out->values[0] = op >= 4 ? pick(t, ranks, 5) : chance(t, 50) ? pick(t, disks, 2) : str("a");
    out->values[1] = str("b");
    out->expression.values = (berth_strs){out->values, op >= 4 ? 1 : op < 2 ? 1 + below(t, 2) : 0};
    out->term.match_expressions = (berth_requirements){&out->expression, 1};
    if (t->preferences && chance(t, 30)) {
        out->preferred = (berth_preferred_node_term){1 + (int32_t)below(t, 100), out->term};
        out->pod.node_affinity.preferred = &out->preferred;
        out->pod.node_affinity.preferred_count = 1;
    } else {
        out->required = (berth_node_selector){&out->term, 1};
        out->pod.node_affinity.required = &out->required;
    }
}

/* Racks have three nodes, so that large clusters have more racks than cells can tell apart, or
 * twelve, so that cells can although a gate cannot. */
static const char *const topologies[] = {"kubernetes.io/hostname", "topology.kubernetes.io/zone",
                                         "disk", "rank", "rack"};
enum { TOPOLOGIES = 5 };

static berth_pod_affinity_term peer_term(trial *t, const template *out)
{
    bool spaces = chance(t, 15);
    return (berth_pod_affinity_term){.label_selector = &out->peers,
                                     .namespace_selector = spaces ? &team_selector : NULL,
                                     .topology_key = pick(t, topologies, TOPOLOGIES)};
}

static void make_spreads(trial *t, template *out)
{
    uint32_t count = chance(t, 25) ? 2 : 1;
    uint32_t soft = t->preferences ? below(t, 3) * 50 : 0;
    for (uint32_t i = 0; i < count; i++)
        out->spreads[i] = (berth_topology_spread){
            .max_skew = chance(t, 4) ? INT32_MAX : 1 + (int32_t)below(t, 4),
            .min_domains = chance(t, 10) ? 1 + (int32_t)below(t, 4) : 0,
            .topology_key = pick(t, topologies, TOPOLOGIES),
            .when_unsatisfiable = str(chance(t, soft) ? "ScheduleAnyway" : "DoNotSchedule"),
            .label_selector = &out->peers};
    out->pod.spreads = out->spreads;
    out->pod.spread_count = count;
}

static void make_soft_terms(trial *t, template *out)
{
    uint32_t count = chance(t, 25) ? 2 : 1;
    for (uint32_t i = 0; i < count; i++) {
        out->soft_terms[i] = peer_term(t, out);
        out->soft_terms[i].weight = 1 + (int32_t)below(t, 100);
    }
    berth_pod_affinity *rules =
        chance(t, 50) ? &out->pod.pod_anti_affinity : &out->pod.pod_affinity;
    rules->present = true;
    rules->preferred = out->soft_terms;
    rules->preferred_count = count;
}

/* The remaining domain is the only one, so affinity scores are equal. */
static void stay_together(trial *t, template *out)
{
    out->peers.match_labels = (berth_map){out->labels, 1};
    out->peer_terms[0] = (berth_pod_affinity_term){
        .label_selector = &out->peers, .topology_key = str(topologies[1 + below(t, 2)])};
    out->pod.pod_affinity =
        (berth_pod_affinity){.present = true, .required = out->peer_terms, .required_count = 1};
}

/* Rules about other pods: domains that pass, and counts by node. They also affect other templates
 * while their pods run. */
static void make_peer_rules(trial *t, template *out)
{
    out->peers.match_labels = (berth_map){out->peer_labels, 1};
    out->peer_labels[0] = (berth_key_value){str("app"), pick(t, apps, 3)};
    uint32_t kind = below(t, 100);
    if (kind < 45)
        make_spreads(t, out);
    if (kind >= 35) {
        out->peer_terms[0] = peer_term(t, out);
        out->peer_terms[1] = peer_term(t, out);
        berth_pod_affinity rules = {
            .present = true, .required = out->peer_terms, .required_count = chance(t, 25) ? 2 : 1};
        *(kind < 85 ? &out->pod.pod_anti_affinity : &out->pod.pod_affinity) = rules;
    }
    if (t->preferences && chance(t, 50))
        make_soft_terms(t, out);
}

static void make_template(trial *t, uint32_t index)
{
    template *out = &t->templates[index];
    make_requests(t, out);
    make_tolerations(t, out);
    make_node_rules(t, out);
    out->labels[0] = (berth_key_value){str("app"), pick(t, apps, 3)};
    out->pod.meta.labels = (berth_map){out->labels, chance(t, 80) ? 1 : 0};
    out->pod.meta.namespace_name = chance(t, 80) ? (berth_str){0} : str("other");
    out->pod.scheduler_name = pick(t, profile_names, PROFILES);
    out->pod.has_priority = true;
    out->pod.priority = (int32_t)below(t, 3);
    bool rules = chance(t, t->peers);
    if (rules && t->together)
        stay_together(t, out);
    else if (rules)
        make_peer_rules(t, out);
    out->prefers = t->preferences;
}

/* What of a node depends on its seed; the rest is new. */
typedef enum kept {
    ALL_KEPT,
    FACTS_KEPT, /* all but amounts */
    RULES_KEPT, /* all but images and amounts */
    LABELS_KEPT,
} kept;

/* Pass node `number` to `use`. */
static void with_seeded_node(trial *t, uint32_t number, kept what,
                             void (*use)(trial *, const berth_object *))
{
    uint64_t after = t->state;
    t->state = t->node_seeds[number];
    char name[16];
    snprintf(name, sizeof(name), "n%u", (unsigned)number);
    berth_key_value labels[LABELS];
    uint32_t label_count = 0, taint_count = 0;
    if (!chance(t, t->nameless))
        labels[label_count++] = (berth_key_value){str("kubernetes.io/hostname"), str(name)};
    const uint32_t zone = t->own_labels[number].zone;
    if (!chance(t, 5))
        labels[label_count++] = (berth_key_value){str("topology.kubernetes.io/zone"),
                                                  str(zones[zone > 0 ? zone - 1 : number % 4])};
    const uint32_t disk = t->own_labels[number].disk;
    const berth_str drawn = chance(t, 70) ? pick(t, disks, 2) : (berth_str){0};
    if (disk > 0 || drawn.len > 0)
        labels[label_count++] =
            (berth_key_value){str("disk"), disk > 0 ? str(disks[disk - 1]) : drawn};
    if (chance(t, 70))
        labels[label_count++] = (berth_key_value){str("rank"), pick(t, ranks, 5)};
    char rack[16];
    snprintf(rack, sizeof(rack), "r%u", (unsigned)(number / t->rack_nodes));
    if (chance(t, 95))
        labels[label_count++] = (berth_key_value){str("rack"), str(rack)};
    const uint32_t note = t->own_labels[number].note;
    if (note > 0)
        labels[label_count++] = (berth_key_value){str("note"), str(notes[note - 1])};
    berth_taint taints[2];
    t->state = what == LABELS_KEPT ? after : t->state;
    for (uint32_t i = 0; i < 2; i++)
        if (chance(t, 10))
            taints[taint_count++] =
                (berth_taint){pick(t, taint_keys, 2), chance(t, 50) ? str("x") : str(""),
                              pick(t, effects, t->preferences ? 3 : 2), NULL};
    const bool unschedulable = chance(t, 2);
    t->state = what == RULES_KEPT ? after : t->state;
    const berth_str image_names[] = {pick(t, images, 3)};
    const berth_image image = {{image_names, 1}, (int64_t)(1 + below(t, 900)) << 20, NULL};
    berth_node node = {.meta = {.name = str(name), .labels = {labels, label_count}},
                       .unschedulable = unschedulable,
                       .taints = taints,
                       .taint_count = taint_count,
                       .images = &image,
                       .image_count = chance(t, 30) ? 1 : 0};
    t->state = what == FACTS_KEPT ? after : t->state;
    const berth_resource allocatable[] = {
        amount("cpu", (int64_t)4 << below(t, 3), 0),
        amount("memory", (int64_t)(8 << below(t, 3)) << 30, 0),
        amount("pods", chance(t, 90) ? 110 : below(t, 8), 0),
        amount("example.com/gpu", below(t, 5), 0),
    };
    node.allocatable = (berth_resources){allocatable, chance(t, 30) ? 4 : 3};
    t->state = what == ALL_KEPT ? after : t->state;
    berth_object object = {.kind = BERTH_KIND_NODE};
    object.as.node = &node;
    use(t, &object);
}

/* The same with all properties new. */
static void with_node(trial *t, uint32_t number, void (*use)(trial *, const berth_object *))
{
    memset(&t->own_labels[number], 0, sizeof(t->own_labels[number]));
    t->node_seeds[number] = (uint64_t)below(t, UINT32_MAX) << 32 | below(t, UINT32_MAX);
    with_seeded_node(t, number, ALL_KEPT, use);
}

static berth_object_id add_to_all(trial *t, const berth_object *object)
{
    berth_object_id first = {0}, id = {0};
    for (int e = 0; e < ENGINES; e++) {
        berth_error error;
        must(t, e, "berth_engine_add", berth_engine_add(t->engines[e], object, &id, &error),
             &error);
        first = e == 0 ? id : first;
        expect(t, e, "node", first.node, id.node);
        expect(t, e, "pod", (int64_t)first.pod, (int64_t)id.pod);
    }
    return first;
}

static void add_node(trial *t, const berth_object *object)
{
    (void)add_to_all(t, object);
}

static void update_all(trial *t, const berth_object *object)
{
    for (int e = 0; e < ENGINES; e++) {
        berth_error error;
        must(t, e, "berth_engine_update", berth_engine_update(t->engines[e], object, &error),
             &error);
    }
}

static void remove_from_all(trial *t, berth_kind kind, berth_str namespace_name, berth_str name)
{
    for (int e = 0; e < ENGINES; e++) {
        berth_error error;
        must(t, e, "berth_engine_remove",
             berth_engine_remove(t->engines[e], kind, namespace_name, name, &error), &error);
    }
}

static void put_pod(trial *t, pod *p)
{
    p->made_of = below(t, t->template_count);
    p->node = BERTH_NODE_NONE;
    snprintf(p->name, sizeof(p->name), "p%u", (unsigned)t->pod_serial++);
    berth_pod source = t->templates[p->made_of].pod;
    source.meta.name = str(p->name);
    berth_object object = {.kind = BERTH_KIND_POD};
    object.as.pod = &source;
    p->id = add_to_all(t, &object).pod;
}

/* Services select the pods of an app, which are then spread by default constraints. */
static void add_services(trial *t)
{
    for (uint32_t i = 0; i < 3 && !t->failed; i++) {
        const berth_key_value selector = {str("app"), str(apps[i])};
        const berth_service source = {
            .meta = {.name = str(apps[i])}, .has_selector = true, .selector = {&selector, 1}};
        berth_object object = {.kind = BERTH_KIND_SERVICE};
        object.as.service = &source;
        if (chance(t, 70))
            (void)add_to_all(t, &object);
    }
}

/* ---- a round ---- */

static void make_profiles(trial *t)
{
    static const berth_tie ties[PROFILES] = {BERTH_TIE_RANDOM,     BERTH_TIE_RANDOM,
                                             BERTH_TIE_FIRST,      BERTH_TIE_FIRST,
                                             BERTH_TIE_KUBERNETES, BERTH_TIE_KUBERNETES};
    for (uint32_t i = 0; i < PROFILES; i++) {
        t->profiles[i] = *berth_profile_default();
        t->profiles[i].scheduler_name = str(profile_names[i]);
        t->profiles[i].percentage_of_nodes_to_score = i % 2 == 0 ? 0 : 100;
        t->profiles[i].tie = ties[i];
    }
    /* Small samples make small clusters rotate, too. */
    if (chance(t, 50)) {
        t->profiles[0].percentage_of_nodes_to_score = 1 + (int32_t)below(t, 60);
        t->profiles[2].min_feasible_nodes = 1 + (int32_t)below(t, 60);
        t->profiles[3].percentage_of_nodes_to_score = 1 + (int32_t)below(t, 60);
        t->profiles[3].min_feasible_nodes = 1 + (int32_t)below(t, 8);
        t->profiles[4].percentage_of_nodes_to_score = 1 + (int32_t)below(t, 99);
        t->profiles[4].min_feasible_nodes = 1 + (int32_t)below(t, 60);
    }
    t->packing.fit.strategy = BERTH_FIT_MOST_ALLOCATED;
    memcpy(t->points, t->profiles[3].points, sizeof(t->points));
    t->profiles[3].points = t->points;
    berth_plugin_list *list = &t->points[BERTH_POINT_SCORE];
    for (uint32_t i = 0; i < list->count && i < 16; i++) {
        t->scorers[i] = list->items[i];
        if (t->scorers[i].name.len == strlen("NodeResourcesFit") &&
            memcmp(t->scorers[i].name.data, "NodeResourcesFit", t->scorers[i].name.len) == 0)
            t->scorers[i].args = &t->packing;
    }
    list->items = t->scorers;
}

static void start(trial *t)
{
    make_profiles(t);
    for (int e = 0; e < ENGINES; e++) {
        berth_error error;
        berth_engine_config config;
        berth_engine_config_init(&config);
        config.threads = kinds[e].threads;
        config.path = kinds[e].path;
        config.seed = t->seed;
        config.profiles = t->profiles;
        config.profile_count = PROFILES;
        must(t, e, "berth_engine_create", berth_engine_create(&config, &t->engines[e], &error),
             &error);
        expect(t, e, "berth_explanation_create", BERTH_OK,
               berth_explanation_create(NULL, &t->explanations[e], &error));
    }
}

static void fill(trial *t)
{
    uint32_t nodes =
        chance(t, 5) ? (chance(t, 40) ? 7000 : 3000) : 20 + below(t, chance(t, 50) ? 130 : 580);
    t->peers = chance(t, 50) ? 10 + below(t, 90) : 0;
    t->together = chance(t, 20);
    t->node_changes = chance(t, 40) ? 0 : chance(t, 80) ? 20 : 200;
    t->nominations = chance(t, 60) ? 0 : chance(t, 50) ? 5 : 100;
    t->nameless = chance(t, 70) ? 0 : chance(t, 50) ? 5 : 70;
    t->preferences = t->seed % 2 == 1;
    t->rack_nodes = chance(t, 50) ? 3 : 12;
    t->template_count = 1 + below(t, chance(t, 50) ? 6 : TEMPLATES_MAX);
    for (uint32_t i = 0; i < t->template_count; i++)
        make_template(t, i);
    if (t->preferences && chance(t, 50))
        add_services(t);
    for (; t->node_names < nodes && !t->failed; t->node_names++) {
        with_node(t, t->node_names, add_node);
        t->present[t->node_names] = true;
    }
    t->pod_count = 50 + below(t, nodes * 6);
    t->pods = calloc(t->pod_count, sizeof(*t->pods));
    if (t->pods == NULL)
        abort();
    for (uint32_t i = 0; i < t->pod_count && !t->failed; i++)
        put_pod(t, &t->pods[i]);
}

static void compare(trial *t, int e, const berth_placement *wanted, const berth_placement *got)
{
    expect(t, e, "verdict", wanted->verdict, got->verdict);
    expect(t, e, "node", wanted->node, got->node);
    expect(t, e, "feasible count", wanted->feasible_count, got->feasible_count);
    expect(t, e, "best count", wanted->best_count, got->best_count);
    expect(t, e, "start", wanted->start, got->start);
    expect(t, e, "next", wanted->next, got->next);
    expect(t, e, "total", wanted->total, got->total);
}

static uint32_t profile_of(const trial *t, const pod *p)
{
    berth_str name = t->templates[p->made_of].pod.scheduler_name;
    uint32_t profile = 0;
    while (strncmp(profile_names[profile], name.data, name.len) != 0)
        profile++;
    return profile;
}

/* Ids of nodes are reused, so look the node up by name. */
static berth_node_id node_of(const trial *t, uint32_t number)
{
    char name[16];
    snprintf(name, sizeof(name), "n%u", (unsigned)number);
    return berth_engine_find_node(t->engines[0], str(name));
}

static bool is_present(const trial *t, berth_node_id node)
{
    return node != BERTH_NODE_NONE && berth_engine_node_present(t->engines[0], node);
}

/* All nodes that the pod fits are the same nodes with the same totals. */
static void list(trial *t, const pod *p)
{
    static berth_node_id nodes[2][NODES_MAX];
    static int64_t totals[2][NODES_MAX];
    uint32_t counts[2] = {0};
    for (int e = 0; e < ENGINES && !t->failed; e++) {
        const int at = e > 0;
        berth_error error;
        must(t, e, "berth_engine_feasible_nodes",
             berth_engine_feasible_nodes(t->engines[e], p->id, nodes[at], totals[at], NODES_MAX,
                                         &counts[at], &error),
             &error);
        expect(t, e, "number of listed nodes", counts[0], counts[at]);
        for (uint32_t i = 0; e > 0 && i < counts[0] && !t->failed; i++) {
            expect(t, e, "listed node", nodes[0][i], nodes[1][i]);
            expect(t, e, "listed total", totals[0][i], totals[1][i]);
        }
    }
}

static void decide(trial *t, pod *p)
{
    berth_placement first = {0};
    bool keep = chance(t, 4), explain = below(t, 1000) == 0;
    if (chance(t, 1))
        list(t, p);
    for (int e = 0; e < ENGINES && !t->failed; e++) {
        berth_error error;
        berth_placement got;
        const berth_decide_options options = {
            .size = sizeof(options),
            .flags = keep ? BERTH_DECIDE_KEEP_ROTATION : 0,
            .explanation = explain ? t->explanations[e] : NULL,
        };
        must(t, e, "berth_engine_decide",
             berth_engine_decide(t->engines[e], p->id, &options, &got, &error), &error);
        if (t->failed)
            return;
        first = e == 0 ? got : first;
        compare(t, e, &first, &got);
        paths_taken[e][got.path]++;
        beside_nominated_by_index += e == 1 && t->nominated > 0 && got.path == BERTH_PATH_INDEX;
        preferring_by_index +=
            e == 1 && t->templates[p->made_of].prefers && got.path == BERTH_PATH_INDEX;
    }
    preferring += t->templates[p->made_of].prefers;
    beside_nominated += t->nominated > 0;
    t->made++;
    *(first.verdict == BERTH_VERDICT_PLACED ? &placed : &unplaced) += 1;
    sampled += first.next != first.start;
    bool by_heap = t->profiles[profile_of(t, p)].tie == BERTH_TIE_KUBERNETES;
    heaped += by_heap && first.best_count > 1 && first.best_count < first.feasible_count;
    /* Now and then the pod is put on another node, whether it fits or not, as if by another
     * scheduler. */
    berth_node_id node = first.node;
    if (chance(t, 1))
        node = node_of(t, below(t, t->node_names));
    if (!is_present(t, node) || chance(t, 3))
        return;
    for (int e = 0; e < ENGINES; e++) {
        berth_error error;
        must(t, e, "berth_engine_bind", berth_engine_bind(t->engines[e], p->id, node, &error),
             &error);
    }
    p->node = node;
}

static void unbind(trial *t, pod *p)
{
    for (int e = 0; e < ENGINES; e++) {
        berth_error error;
        must(t, e, "berth_engine_unbind", berth_engine_unbind(t->engines[e], p->id, &error),
             &error);
    }
    p->node = BERTH_NODE_NONE;
}

static void replace_pod(trial *t, pod *p)
{
    berth_str space = t->templates[p->made_of].pod.meta.namespace_name;
    remove_from_all(t, BERTH_KIND_POD, space, str(p->name));
    put_pod(t, p);
}

/* The pod is updated to another template, on the same node. */
static void update_pod(trial *t, pod *p)
{
    char node_name[16];
    uint32_t made_of = below(t, t->template_count);
    berth_pod source = t->templates[made_of].pod;
    source.meta.name = str(p->name);
    source.meta.namespace_name = t->templates[p->made_of].pod.meta.namespace_name;
    if (p->node != BERTH_NODE_NONE) {
        berth_str name = berth_engine_node_name(t->engines[0], p->node);
        snprintf(node_name, sizeof(node_name), "%.*s", (int)name.len, name.data);
        source.node_name = str(node_name);
    }
    berth_object object = {.kind = BERTH_KIND_POD};
    object.as.pod = &source;
    update_all(t, &object); /* p->made_of still has the namespace */
}

static void toggle_node(trial *t)
{
    uint32_t number = below(t, t->node_names + 1);
    if (number == t->node_names) {
        if (t->node_names == NODES_MAX)
            return;
        t->node_names++;
    }
    if (t->present[number]) {
        char name[16];
        snprintf(name, sizeof(name), "n%u", (unsigned)number);
        remove_from_all(t, BERTH_KIND_NODE, (berth_str){0}, str(name));
    } else {
        with_node(t, number, add_node);
    }
    t->present[number] = !t->present[number];
}

/* Closes or opens a node: trees see this as room for pods, scans as a mask. */
static void close_or_open(trial *t, uint32_t number)
{
    berth_node_id node = node_of(t, number);
    bool closed = chance(t, 50);
    for (int e = 0; e < ENGINES; e++) {
        berth_error error;
        must(t, e, "berth_engine_close_node",
             berth_engine_close_node(t->engines[e], node, closed, &error), &error);
    }
}

/* Changes the labels of a Namespace, which selectors of terms read. */
static void put_namespace(trial *t)
{
    static const char *const names[] = {"default", "other"};
    uint32_t number = below(t, 2);
    const berth_namespace source = {
        .meta = {.name = str(names[number]), .labels = {team_labels, chance(t, 50) ? 1 : 0}}};
    berth_object object = {.kind = BERTH_KIND_NAMESPACE};
    object.as.namespace_object = &source;
    if (t->has_namespace[number])
        update_all(t, &object);
    else
        (void)add_to_all(t, &object);
    t->has_namespace[number] = true;
}

/* Changes one label: most often one that few pods ask for. */
static void relabel(trial *t, uint32_t number)
{
    if (chance(t, 60))
        t->own_labels[number].note = (uint8_t)below(t, 3);
    else if (chance(t, 60))
        t->own_labels[number].disk = (uint8_t)below(t, 3);
    else
        t->own_labels[number].zone = (uint8_t)below(t, 5);
    with_seeded_node(t, number, ALL_KEPT, update_all);
}

static void change_node(trial *t)
{
    uint32_t number = below(t, t->node_names);
    if (chance(t, 30))
        toggle_node(t);
    else if (t->present[number] && chance(t, 25))
        close_or_open(t, number);
    else if (t->present[number] && chance(t, 40))
        relabel(t, number);
    else if (t->present[number] &&
             chance(t, 50)) /* as in a report of a kubelet: at most other amounts */
        with_seeded_node(t, number, chance(t, 50) ? FACTS_KEPT : ALL_KEPT, update_all);
    else if (t->present[number] && chance(t, 50)) /* cordoned, tainted, with another image */
        with_seeded_node(t, number, chance(t, 50) ? RULES_KEPT : LABELS_KEPT, update_all);
    else if (t->present[number])
        with_node(t, number, update_all);
}

/* Some nominations are for a node that has no room, or none at all, and some are withdrawn. */
static void nominate(trial *t, const pod *p)
{
    const berth_node_id node =
        chance(t, 20) ? BERTH_NODE_NONE : node_of(t, below(t, t->node_names));
    t->nominated += node != BERTH_NODE_NONE;
    for (int e = 0; e < ENGINES; e++) {
        berth_error error;
        must(t, e, "berth_engine_nominate",
             berth_engine_nominate(t->engines[e], p->id, node, &error), &error);
    }
}

static void step(trial *t)
{
    pod *p = &t->pods[below(t, t->pod_count)];
    bool running = p->node != BERTH_NODE_NONE;
    uint32_t what = below(t, 1000);
    if (below(t, 1000) < t->node_changes) {
        change_node(t);
    } else if (below(t, 1000) < t->nominations && !running) {
        nominate(t, p);
    } else if (what < 1) {
        put_namespace(t);
    } else if (what < 40) {
        replace_pod(t, p);
    } else if (what < 50) {
        update_pod(t, p);
    } else if (!running) {
        decide(t, p);
    } else if (what < 500 && is_present(t, p->node)) {
        unbind(t, p);
    } else if (what < 520) {
        unbind(t, p); /* an orphan, perhaps */
    }
}

static void compare_states(trial *t)
{
    berth_counts first = {0}, got;
    for (int e = 0; e < ENGINES && !t->failed; e++) {
        berth_error error;
        must(t, e, "berth_engine_check", berth_engine_check(t->engines[e], &error), &error);
        expect(t, e, "digest", (int64_t)berth_engine_digest(t->engines[0]),
               (int64_t)berth_engine_digest(t->engines[e]));
        berth_engine_counts(t->engines[e], &got);
        first = e == 0 ? got : first;
        expect(t, e, "nodes", first.nodes, got.nodes);
        expect(t, e, "running pods", (int64_t)first.pods_running, (int64_t)got.pods_running);
        expect(t, e, "pending pods", (int64_t)first.pods_pending, (int64_t)got.pods_pending);
        expect(t, e, "orphans", (int64_t)first.pods_orphaned, (int64_t)got.pods_orphaned);
        expect(t, e, "classes", (int64_t)first.pod_classes, (int64_t)got.pod_classes);
    }
}

/* Returns the number of decisions, 0 after a failure. */
static unsigned long long run_round(uint64_t seed, unsigned long long decisions)
{
    trial *t = calloc(1, sizeof(*t));
    if (t == NULL)
        abort();
    t->seed = t->state = seed;
    start(t);
    if (!t->failed)
        fill(t);
    while (t->made < decisions && !t->failed)
        step(t);
    compare_states(t);
    for (int e = 0; e < ENGINES; e++) {
        berth_explanation_destroy(t->explanations[e]);
        berth_engine_destroy(t->engines[e]);
    }
    unsigned long long made = t->failed ? 0 : t->made;
    free(t->pods);
    free(t);
    return made;
}

/* Did the engines use the paths that this test compares? */
static bool paths_are_right(unsigned long long decisions)
{
    unsigned long long by_index = paths_taken[1][BERTH_PATH_INDEX];
    unsigned long long by_auto = paths_taken[2][BERTH_PATH_INDEX];
    printf("%llu decisions: %llu placed, %llu not, %llu moved the rotation, %llu in heap order; by "
           "index %llu, by auto %llu; %llu with preferences, by index %llu; %llu beside nominated "
           "pods, by index %llu\n",
           decisions, placed, unplaced, sampled, heaped, by_index, by_auto, preferring,
           preferring_by_index, beside_nominated, beside_nominated_by_index);
    if (paths_taken[0][BERTH_PATH_SCAN] != decisions) {
        fprintf(stderr, "FAILED: the engine that scans took another path\n");
        return false;
    }
    if (decisions >= 20000 && (by_index < decisions / 2 || by_auto < decisions / 3)) {
        fprintf(stderr, "FAILED: the index was taken too rarely to be tested\n");
        return false;
    }
    if (decisions >= 20000 && preferring_by_index < decisions / 8) {
        fprintf(stderr, "FAILED: preferences went by index too rarely to be tested\n");
        return false;
    }
    if (decisions >= 60000 && beside_nominated_by_index < beside_nominated / 3) {
        fprintf(stderr, "FAILED: nominations made the index too rare to be tested\n");
        return false;
    }
    if (decisions >= 20000 && heaped < decisions / 100) {
        fprintf(stderr, "FAILED: ties were broken in heap order too rarely to be tested\n");
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    const char *env = getenv("BERTH_TEST_SEED");
    unsigned long long seed = env != NULL ? strtoull(env, NULL, 0) : 1, decisions = 1000000;
    if (BERTH_TEST_PART > 1) /* most of them repeat what a thousand other decisions do */
        decisions = effort(60000);
    for (int i = 1; i + 1 < argc; i += 2) {
        unsigned long long value = strtoull(argv[i + 1], NULL, 0);
        seed = strcmp(argv[i], "--seed") == 0 ? value : seed;
        decisions = strcmp(argv[i], "--decisions") == 0 ? value : decisions;
    }
    printf("seed %llu, %llu decisions\n", seed, decisions);
    unsigned long long done = 0;
    for (uint64_t round = 0; done < decisions; round++) {
        unsigned long long left = decisions - done;
        unsigned long long made =
            run_round(seed + round, left < DECISIONS_A_ROUND ? left : DECISIONS_A_ROUND);
        if (made == 0)
            return 1;
        done += made;
    }
    return paths_are_right(done) ? 0 : 1;
}
