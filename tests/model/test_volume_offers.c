/* Property test: pods whose volumes are still to be found. Claims are matched with free volumes, or
 * provisioned where a driver publishes enough capacity; both come and go between decisions. Engines
 * that differ only in their path run the same random history, and every placement must be equal. So
 * what the index keeps about offers of volumes must follow each change of them.
 *
 * Usage: test_volume_offers [--seed S] [--decisions N]. Round r of seed S is round 0 of seed S + r;
 * a failure prints this to replay it. BERTH_TEST_SEED replaces the seed of a run without --seed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/berth.h"
#include "chance.h"
#include "effort.h"

enum {
    ENGINES = 2,
    NODES_MAX = 400,
    VOLUMES = 60, /* names */
    CAPACITIES = 12,
    PODS = 40,
    DECISIONS_A_ROUND = 1500,
};

static const berth_path paths[ENGINES] = {BERTH_PATH_SCAN, BERTH_PATH_INDEX};

typedef struct trial {
    uint64_t seed, state;
    berth_engine *engines[ENGINES];
    berth_reader *reader;
    bool first_only; /* objects are for the first engine */
    uint32_t nodes, racks, volumes;
    uint32_t choices; /* how volumes choose nodes, see print_requirement */
    bool has_volume[VOLUMES], has_capacity[CAPACITIES], has_pod[PODS];
    bool open;                                                            /* a transaction */
    bool kept_volume[VOLUMES], kept_capacity[CAPACITIES], kept_pod[PODS]; /* at its beginning */
    unsigned long long made; /* decisions of this round */
    bool failed;
} trial;

static unsigned long long placed, unplaced, by_index;

/* ---- chance ---- */

static uint32_t below(trial *t, uint32_t bound)
{
    return chance_below(&t->state, bound);
}

static bool chance(trial *t, uint32_t percent)
{
    return below(t, 100) < percent;
}

/* ---- failing ---- */

static void expect(trial *t, const char *what, int64_t wanted, int64_t got)
{
    if (wanted == got || t->failed)
        return;
    fprintf(stderr,
            "FAILED at decision %llu: %s is %lld by scan and %lld by index\n"
            "replay: test_volume_offers --seed %llu --decisions %llu\n",
            t->made, what, (long long)wanted, (long long)got, (unsigned long long)t->seed,
            t->made + 1);
    t->failed = true;
}

static void must(trial *t, const char *call, berth_status status, const berth_error *error)
{
    if (status != BERTH_OK && !t->failed)
        fprintf(stderr, "%s: %s: %s\n", call, berth_status_name(status), error->message);
    expect(t, call, BERTH_OK, status);
}

/* ---- objects ---- */

/* Add an object to all engines, or only to the first one, or replace the one of its name. */
static berth_status put_object(void *context, const berth_object *object, const berth_error *origin,
                               berth_error *error)
{
    (void)origin;
    trial *t = context;
    for (int e = 0; e < (t->first_only ? 1 : ENGINES); e++) {
        berth_status status = berth_engine_add(t->engines[e], object, NULL, error);
        if (status == BERTH_E_EXISTS)
            status = berth_engine_update(t->engines[e], object, error);
        if (status != BERTH_OK)
            return status;
    }
    return BERTH_OK;
}

static void put(trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(trial *t, const char *format, ...)
{
    char text[4096];
    berth_error error;
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    must(t, "berth_reader_text",
         berth_reader_text(t->reader, (berth_str){text, (uint32_t)length}, "test", put_object, t,
                           &error),
         &error);
}

static void drop(trial *t, berth_kind kind, const char *space, const char *prefix, uint32_t number)
{
    char name[32];
    berth_error error;
    const int length = snprintf(name, sizeof(name), "%s%u", prefix, (unsigned)number);
    for (int e = 0; e < ENGINES; e++)
        must(t, "berth_engine_remove",
             berth_engine_remove(t->engines[e], kind, (berth_str){space, (uint32_t)strlen(space)},
                                 (berth_str){name, (uint32_t)length}, &error),
             &error);
}

/* A seventh of the nodes lack the label that local volumes choose by. */
static void put_node(trial *t, uint32_t number)
{
    char host[64] = "";
    if (number % 7 != 6)
        (void)snprintf(host, sizeof(host), "\"host\":\"h%u\",", (unsigned)number);
    put(t,
        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n%u\",\"labels\":{%s"
        "\"kubernetes.io/hostname\":\"n%u\",\"topology.kubernetes.io/zone\":\"z%u\","
        "\"rack\":\"r%u\"}},\"status\":{\"allocatable\":"
        "{\"cpu\":\"%u\",\"memory\":\"16Gi\",\"pods\":\"20\"}}}",
        (unsigned)number, host, (unsigned)number, (unsigned)(number % 3),
        (unsigned)below(t, t->racks), (unsigned)(4 + number % 5));
}

enum { PLAIN = 2 }; /* so many choices demand no more than one of some values */

static void print_requirement(trial *t, char *out, size_t size)
{
    switch (below(t, t->choices)) {
    case 0:
        (void)snprintf(out, size,
                       "\"key\":\"topology.kubernetes.io/zone\",\"operator\":\"In\","
                       "\"values\":[\"z%u\"]",
                       (unsigned)below(t, 3));
        break;
    case 1:
        (void)snprintf(out, size,
                       "\"key\":\"rack\",\"operator\":\"In\",\"values\":[\"r%u\",\"r%u\"]",
                       (unsigned)below(t, t->racks), (unsigned)below(t, t->racks));
        break;
    case 2:
        if (chance(t, 50))
            (void)snprintf(out, size, "\"key\":\"host\",\"operator\":\"Exists\"");
        else
            (void)snprintf(out, size,
                           "\"key\":\"rack\",\"operator\":\"NotIn\",\"values\":[\"r%u\"]",
                           (unsigned)below(t, t->racks));
        break;
    default:
        (void)snprintf(out, size, "\"key\":\"host\",\"operator\":\"In\",\"values\":[\"h%u\"]",
                       (unsigned)below(t, t->nodes));
    }
}

/* A volume that a claim has, or that names it before they are bound. */
static void put_own_volume(trial *t, uint32_t pod, uint32_t claim, bool bound)
{
    put(t,
        "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolume\",\"metadata\":{\"name\":"
        "\"own%u-%u\"},\"spec\":{\"storageClassName\":\"local\",\"capacity\":{\"storage\":"
        "\"%uGi\"},\"accessModes\":[\"ReadWriteOnce\"],\"local\":{\"path\":\"/x\"},"
        "\"claimRef\":{\"namespace\":\"default\",\"name\":\"c%u-%u\"},\"nodeAffinity\":"
        "{\"required\":{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":"
        "\"topology.kubernetes.io/zone\",\"operator\":\"In\",\"values\":[\"z%u\"]}]}]}}},"
        "\"status\":{\"phase\":\"%s\"}}",
        (unsigned)pod, (unsigned)claim, (unsigned)(1 + below(t, 3)), (unsigned)pod, (unsigned)claim,
        (unsigned)below(t, 3), bound ? "Bound" : "Available");
}

/* Volumes of "local", whose claims only find volumes, and of "mixed", where they may also be
 * provisioned. */
static void put_volume(trial *t, uint32_t number)
{
    char affinity[512] = "", first[128], second[128];
    if (chance(t, 90)) {
        print_requirement(t, first, sizeof(first));
        print_requirement(t, second, sizeof(second));
        const char *between = chance(t, 50) ? "},{" : "}]},{\"matchExpressions\":[{";
        const bool two = t->choices > PLAIN && chance(t, 20);
        (void)snprintf(affinity, sizeof(affinity),
                       "\"nodeAffinity\":{\"required\":{\"nodeSelectorTerms\":["
                       "{\"matchExpressions\":[{%s%s%s}]}]}},",
                       first, two ? between : "", two ? second : "");
    }
    put(t,
        "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolume\",\"metadata\":{\"name\":\"pv%u\","
        "\"labels\":{\"kind\":\"k%u\"}},\"spec\":{%s\"storageClassName\":\"%s\","
        "\"capacity\":{\"storage\":\"%uMi\"},\"accessModes\":[\"ReadWriteOnce\"%s],"
        "\"volumeMode\":\"%s\",\"local\":{\"path\":\"/x\"}},\"status\":{\"phase\":\"Available\"}}",
        (unsigned)number, (unsigned)below(t, 2), affinity, chance(t, 70) ? "local" : "mixed",
        1024 * (unsigned)(1 + below(t, 4)) + (unsigned)number,
        chance(t, 50) ? ",\"ReadWriteMany\"" : "", chance(t, 90) ? "Filesystem" : "Block");
    t->has_volume[number] = true;
}

static void put_capacity(trial *t, uint32_t number)
{
    char where[128] = "";
    switch (below(t, 4)) {
    case 0:
        (void)snprintf(where, sizeof(where),
                       "\"nodeTopology\":{\"matchLabels\":{\"topology.kubernetes.io/zone\":"
                       "\"z%u\"}},",
                       (unsigned)below(t, 3));
        break;
    case 1:
        (void)snprintf(where, sizeof(where),
                       "\"nodeTopology\":{\"matchLabels\":{\"rack\":\"r%u\"}},",
                       (unsigned)below(t, t->racks));
        break;
    case 2:
        (void)snprintf(where, sizeof(where),
                       "\"nodeTopology\":{\"matchLabels\":{\"host\":\"h%u\"}},",
                       (unsigned)below(t, t->nodes));
        break;
    default:
        if (chance(t, 50))
            (void)snprintf(where, sizeof(where), "\"nodeTopology\":{},");
    }
    /* No two are equal: kube-scheduler takes any of equal ones. */
    put(t,
        "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"CSIStorageCapacity\",\"metadata\":"
        "{\"name\":\"cap%u\",\"namespace\":\"default\"},%s\"storageClassName\":\"%s\","
        "\"capacity\":\"%uMi\"}",
        (unsigned)number, where, chance(t, 70) ? "capacity" : "mixed",
        1024 * (unsigned)below(t, 8) + (unsigned)number);
    t->has_capacity[number] = true;
}

static void print_claim_volumes(trial *t, uint32_t pod, uint32_t claims, char *out, size_t size)
{
    static const char *const classes[] = {"local", "local", "capacity", "mixed", "plain"};
    size_t used = 0;
    for (uint32_t i = 0; i < claims; i++) {
        const char *selector = ",\"selector\":{\"matchLabels\":{\"kind\":\"k0\"}}";
        const bool own = chance(t, 12), bound = own && chance(t, 60);
        char annotation[80] = "", volume_name[40] = "";
        if (own)
            put_own_volume(t, pod, i, bound);
        if (bound) {
            (void)snprintf(annotation, sizeof(annotation),
                           ",\"annotations\":{\"pv.kubernetes.io/bind-completed\":\"yes\"}");
            (void)snprintf(volume_name, sizeof(volume_name), ",\"volumeName\":\"own%u-%u\"",
                           (unsigned)pod, (unsigned)i);
        }
        put(t,
            "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\",\"metadata\":{\"name\":"
            "\"c%u-%u\",\"namespace\":\"default\",\"uid\":\"u%llu-%u\"%s},\"spec\":{"
            "\"storageClassName\":\"%s\",\"accessModes\":[\"%s\"],\"volumeMode\":\"%s\","
            "\"resources\":{\"requests\":{\"storage\":\"%uGi\"}}%s%s},"
            "\"status\":{\"phase\":\"%s\"}}",
            (unsigned)pod, (unsigned)i, t->made, (unsigned)i, annotation,
            own ? "local" : classes[below(t, 5)], chance(t, 80) ? "ReadWriteOnce" : "ReadWriteMany",
            chance(t, 90) ? "Filesystem" : "Block", (unsigned)(1 + below(t, 3)),
            chance(t, 5) ? selector : "", volume_name, bound ? "Bound" : "Pending");
        used += (size_t)snprintf(out + used, size - used,
                                 "%s{\"name\":\"v%u\",\"persistentVolumeClaim\":{\"claimName\":"
                                 "\"c%u-%u\"}}",
                                 i > 0 ? "," : "", (unsigned)i, (unsigned)pod, (unsigned)i);
    }
}

static void put_pod(trial *t, uint32_t number)
{
    char volumes[512] = "";
    const uint32_t claims = chance(t, 70) ? 1 : 1 + below(t, 3);
    print_claim_volumes(t, number, claims, volumes, sizeof(volumes));
    put(t,
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%u\",\"labels\":"
        "{\"app\":\"a%u\"}},\"spec\":{\"volumes\":[%s],\"containers\":[{\"name\":\"c\",\"image\":"
        "\"i\",\"resources\":{\"requests\":{\"cpu\":\"%u00m\"}}}]}}",
        (unsigned)number, (unsigned)below(t, 2), volumes, (unsigned)(1 + below(t, 3)));
    t->has_pod[number] = true;
}

/* Its claims stay until they are replaced. */
static void drop_pod(trial *t, uint32_t number)
{
    drop(t, BERTH_KIND_POD, "default", "p", number);
    t->has_pod[number] = false;
}

/* ---- a round ---- */

/* The profile that VolumeBinding gets a shape in, which prefers nodes with much capacity in use. */
typedef struct shaped_profile {
    berth_plugin_list points[BERTH_POINT_COUNT];
    berth_plugin_ref scorers[24];
    berth_plugin_args args;
} shaped_profile;

static void shape(shaped_profile *own, berth_profile *profile)
{
    static const berth_shape_point prefers_full[] = {{0, 0}, {100, 10}};
    berth_plugin_list *list = &own->points[BERTH_POINT_SCORE];
    own->args = (berth_plugin_args){.fit.shape = prefers_full, .fit.shape_count = 2};
    memcpy(own->points, profile->points, profile->point_count * sizeof(*profile->points));
    for (uint32_t i = 0; i < list->count && i < 24; i++) {
        own->scorers[i] = list->items[i];
        if (list->items[i].name.len == 13 &&
            memcmp(list->items[i].name.data, "VolumeBinding", 13) == 0)
            own->scorers[i].args = &own->args;
    }
    list->items = own->scorers;
    profile->points = own->points;
}

static void start(trial *t)
{
    shaped_profile own;
    berth_profile profile = *berth_profile_default();
    berth_error error;
    const bool newest = chance(t, 70);
    profile.percentage_of_nodes_to_score = chance(t, 50) ? 100 : 0;
    profile.tie = chance(t, 30) ? BERTH_TIE_KUBERNETES : BERTH_TIE_FIRST;
    if (newest && chance(t, 30))
        shape(&own, &profile);
    for (int e = 0; e < ENGINES; e++) {
        berth_engine_config config;
        berth_engine_config_init(&config);
        config.threads = 1;
        config.seed = t->seed;
        config.path = paths[e];
        config.kubernetes = newest ? 37 : 36;
        config.profiles = &profile;
        config.profile_count = 1;
        must(t, "berth_engine_create", berth_engine_create(&config, &t->engines[e], &error),
             &error);
    }
    const berth_read_options options = {.size = sizeof(options)};
    must(t, "berth_reader_create", berth_reader_create(&options, &t->reader, &error), &error);
}

/* In the first engine, a volume and a capacity that are too small for any claim, and whose nodes
 * are not those that have a value: so it looks at each node for itself, where the other engine may
 * take the answer of a node that has the same label values. */
static void set_apart(trial *t)
{
    static const char *const names[] = {"local", "capacity", "mixed"};
    t->first_only = true;
    for (uint32_t i = 0; i < 3; i++) {
        put(t,
            "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolume\",\"metadata\":{\"name\":"
            "\"tiny-%s\"},\"spec\":{\"storageClassName\":\"%s\",\"capacity\":{\"storage\":"
            "\"1Mi\"},\"accessModes\":[\"ReadWriteOnce\"],\"local\":{\"path\":\"/x\"},"
            "\"nodeAffinity\":{\"required\":{\"nodeSelectorTerms\":[{\"matchExpressions\":["
            "{\"key\":\"rack\",\"operator\":\"NotIn\",\"values\":[\"none\"]}]}]}}},"
            "\"status\":{\"phase\":\"Available\"}}",
            names[i], names[i]);
        put(t,
            "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"CSIStorageCapacity\",\"metadata\":"
            "{\"name\":\"tiny-%s\",\"namespace\":\"default\"},\"nodeTopology\":"
            "{\"matchExpressions\":[{\"key\":\"rack\",\"operator\":\"NotIn\",\"values\":"
            "[\"none\"]}]},\"storageClassName\":\"%s\",\"capacity\":\"0\"}",
            names[i], names[i]);
    }
    t->first_only = false;
}

static void fill(trial *t)
{
    static const char *const names[] = {"local", "capacity", "mixed", "plain"};
    static const char *const provisioners[] = {"kubernetes.io/no-provisioner", "csi", "csi",
                                               "other"};
    static const char topologies[] =
        ",\"allowedTopologies\":[{\"matchLabelExpressions\":[{\"key\":"
        "\"topology.kubernetes.io/zone\",\"values\":[\"z0\",\"z1\"]}]}]";
    for (uint32_t i = 0; i < 4; i++)
        put(t,
            "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"StorageClass\",\"metadata\":"
            "{\"name\":\"%s\"},\"provisioner\":\"%s\"%s,\"volumeBindingMode\":"
            "\"WaitForFirstConsumer\"}",
            names[i], provisioners[i], i > 0 && chance(t, 30) ? topologies : "");
    put(t, "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"CSIDriver\",\"metadata\":{\"name\":"
           "\"csi\"},\"spec\":{\"storageCapacity\":true}}");
    if (chance(t, 50)) /* pods of the app are spread by default */
        put(t, "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"a0\"},"
               "\"spec\":{\"selector\":{\"app\":\"a0\"}}}");
    set_apart(t);
    t->nodes = chance(t, 40) ? 1 + below(t, 40) : 100 + below(t, NODES_MAX - 100);
    t->volumes = chance(t, 50) ? 5 : VOLUMES;
    static const uint32_t choices[] = {PLAIN, PLAIN + 1, 6, 6};
    t->choices = choices[below(t, 4)];
    t->racks = chance(t, 50) ? 2 : 1 + t->nodes / 4;
    for (uint32_t i = 0; i < t->nodes; i++)
        put_node(t, i);
}

static void decide(trial *t, uint32_t number)
{
    berth_placement got[ENGINES];
    char name[16];
    const int length = snprintf(name, sizeof(name), "p%u", (unsigned)number);
    for (int e = 0; e < ENGINES && !t->failed; e++) {
        berth_error error;
        const berth_decide_options options = {.size = sizeof(options)};
        const berth_pod_id pod = berth_engine_find_pod(t->engines[e], (berth_str){"default", 7},
                                                       (berth_str){name, (uint32_t)length});
        must(t, "berth_engine_decide",
             berth_engine_decide(t->engines[e], pod, &options, &got[e], &error), &error);
        if (!t->failed && got[e].verdict == BERTH_VERDICT_PLACED)
            must(t, "berth_engine_bind", berth_engine_bind(t->engines[e], pod, got[e].node, &error),
                 &error);
    }
    if (t->failed)
        return;
    expect(t, "verdict", got[0].verdict, got[1].verdict);
    expect(t, "node", got[0].node, got[1].node);
    expect(t, "feasible count", got[0].feasible_count, got[1].feasible_count);
    expect(t, "best count", got[0].best_count, got[1].best_count);
    expect(t, "next", got[0].next, got[1].next);
    expect(t, "total", got[0].total, got[1].total);
    *(got[0].verdict == BERTH_VERDICT_PLACED ? &placed : &unplaced) += 1;
    by_index += got[1].path == BERTH_PATH_INDEX;
    t->made++;
}

static void begin_or_end(trial *t)
{
    const bool commit = t->open && chance(t, 30);
    for (int e = 0; e < ENGINES; e++) {
        berth_error error;
        berth_status (*const call)(berth_engine *, berth_error *) = !t->open ? berth_engine_begin
                                                                    : commit
                                                                        ? berth_engine_commit
                                                                        : berth_engine_rollback;
        must(t, "transaction", call(t->engines[e], &error), &error);
    }
    if (!t->open) {
        memcpy(t->kept_volume, t->has_volume, sizeof(t->has_volume));
        memcpy(t->kept_capacity, t->has_capacity, sizeof(t->has_capacity));
        memcpy(t->kept_pod, t->has_pod, sizeof(t->has_pod));
    } else if (!commit) {
        memcpy(t->has_volume, t->kept_volume, sizeof(t->has_volume));
        memcpy(t->has_capacity, t->kept_capacity, sizeof(t->has_capacity));
        memcpy(t->has_pod, t->kept_pod, sizeof(t->has_pod));
    }
    t->open = !t->open;
}

static void step(trial *t)
{
    const uint32_t volume = below(t, t->volumes), capacity = below(t, CAPACITIES);
    const uint32_t pod = below(t, PODS), action = below(t, 100);
    if (action < 25) {
        put_volume(t, volume);
    } else if (action < 30 && t->has_volume[volume]) {
        drop(t, BERTH_KIND_PERSISTENT_VOLUME, "", "pv", volume);
        t->has_volume[volume] = false;
    } else if (action < 35) {
        put_capacity(t, capacity);
    } else if (action < 37 && t->has_capacity[capacity]) {
        drop(t, BERTH_KIND_CSI_STORAGE_CAPACITY, "default", "cap", capacity);
        t->has_capacity[capacity] = false;
    } else if (action < 39) {
        begin_or_end(t);
    } else if (action == 40 && chance(t, 20)) {
        put_node(t, below(t, t->nodes));
    } else if (action > 40) {
        if (t->has_pod[pod])
            drop_pod(t, pod);
        put_pod(t, pod);
        decide(t, pod);
    }
}

static unsigned long long run_round(uint64_t seed, unsigned long long decisions)
{
    trial *t = calloc(1, sizeof(*t));
    if (t == NULL)
        return 0;
    t->seed = t->state = seed;
    start(t);
    fill(t);
    while (!t->failed && t->made < decisions)
        step(t);
    for (int e = 0; e < ENGINES && !t->failed; e++) {
        berth_error error;
        must(t, "berth_engine_check", berth_engine_check(t->engines[e], &error), &error);
        expect(t, "digest", (int64_t)berth_engine_digest(t->engines[0]),
               (int64_t)berth_engine_digest(t->engines[e]));
    }
    const unsigned long long made = t->failed ? 0 : t->made;
    for (int e = 0; e < ENGINES; e++)
        berth_engine_destroy(t->engines[e]);
    berth_reader_destroy(t->reader);
    free(t);
    return made;
}

int main(int argc, char **argv)
{
    const char *env = getenv("BERTH_TEST_SEED");
    unsigned long long seed = env != NULL ? strtoull(env, NULL, 0) : 1;
    unsigned long long decisions = effort(60000), done = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        const unsigned long long value = strtoull(argv[i + 1], NULL, 0);
        seed = strcmp(argv[i], "--seed") == 0 ? value : seed;
        decisions = strcmp(argv[i], "--decisions") == 0 ? value : decisions;
    }
    printf("seed %llu, %llu decisions\n", seed, decisions);
    for (uint64_t round = 0; done < decisions; round++) {
        const unsigned long long left = decisions - done;
        const unsigned long long made =
            run_round(seed + round, left < DECISIONS_A_ROUND ? left : DECISIONS_A_ROUND);
        if (made == 0)
            return 1;
        done += made;
    }
    printf("placed %llu, nowhere %llu, %llu by index\n", placed, unplaced, by_index);
    if (done < 10000 || (placed > done / 4 && unplaced > done / 20 && by_index > done / 5))
        return 0;
    fprintf(stderr, "FAILED: the histories are not varied enough\n");
    return 1;
}
