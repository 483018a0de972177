/* The list of workloads, and making a cluster from one. Each running pod goes to the next node in
 * turn that has room and satisfies its constraints, so nodes and zones are used evenly. */
#include "workloads/workloads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"
#include "workloads/workload_kinds.h"

/* "basic|spread|..." */
#define X(name, lines) "|" #name
static const char choices[] = WORKLOAD_LIST(X);
#undef X

const char *const workload_names[] = {
#define X(name, lines) #name,
    WORKLOAD_LIST(X)
#undef X
        NULL};

static const workload *const kinds[] = {
#define X(name, lines) &workload_##name,
    WORKLOAD_LIST(X)
#undef X
};

enum {
    WORKLOAD_APPS = 4096,
    APPS_MAX = 4000,
    REDRAWS_MAX =
        1000, /* if so many running pods in a row fit nowhere, the cluster counts as full */
};

struct workload_source {
    workload_spec spec;
    const workload *kind;
    workload_random random[2]; /* for pending and for running pods */
    workload_room *rooms;      /* by node; NULL without running pods */
    uint64_t next_node;        /* first node to try for the next running pod */
    bool full[WORKLOAD_APPS];  /* apps with equal pods: no node can take another one */
    draft draft;
};

/* SplitMix64. */
uint64_t workload_random_next(workload_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t workload_random_below(workload_random *random, uint32_t bound)
{
    return (uint32_t)((workload_random_next(random) >> 32) * bound >> 32);
}

uint64_t workload_hash(uint64_t seed, uint64_t what, uint64_t idx)
{
    workload_random random = {seed ^ what * UINT64_C(0xd1342543de82ef95)};
    random.state ^= workload_random_next(&random) + idx;
    return workload_random_next(&random);
}

uint32_t workload_app_count(const workload_spec *spec, uint32_t pods_an_app)
{
    uint64_t count = (spec->pods + spec->running) / pods_an_app;
    return count < 1 ? 1 : count > APPS_MAX ? APPS_MAX : (uint32_t)count;
}

/* First draws a power of two, then a number below it, both uniformly. */
uint32_t workload_choose_app(uint32_t count, workload_random *random)
{
    uint32_t levels = 64 - (uint32_t)__builtin_clzll(count);
    for (;;) {
        uint32_t size = UINT32_C(1) << workload_random_below(random, levels);
        uint32_t app = size - 1 + workload_random_below(random, size);
        if (app < count)
            return app;
    }
}

workload_spec workload_spec_default(void)
{
    workload_spec spec = {.nodes = 5000, .zones = 3, .pods = 20000};
    while (strcmp(workload_names[spec.kind], "mixed") != 0)
        spec.kind++;
    return spec;
}

void workload_spec_options(workload_spec *spec, option options[WORKLOAD_OPTIONS])
{
    const option list[WORKLOAD_OPTIONS] = {
        {.name = "nodes",
         .kind = OPTION_NUMBER,
         .value = "N",
         .min = 1,
         .max = WORKLOAD_NODE_COUNT_MAX,
         .target = &spec->nodes,
         .help = "nodes (default 5000)"},
        {.name = "zones",
         .kind = OPTION_NUMBER,
         .value = "Z",
         .min = 1,
         .max = WORKLOAD_ZONE_COUNT_MAX,
         .target = &spec->zones,
         .help = "zones that the nodes are dealt to in turn (default 3)"},
        {.name = "pods",
         .kind = OPTION_NUMBER,
         .value = "M",
         .max = WORKLOAD_POD_COUNT_MAX,
         .target = &spec->pods,
         .help = "pods without a node (default 20000)"},
        {.name = "running",
         .kind = OPTION_NUMBER,
         .value = "R",
         .max = WORKLOAD_POD_COUNT_MAX,
         .target = &spec->running,
         .help = "pods on nodes, evenly (default 0)"},
        {.name = "apps",
         .kind = OPTION_NUMBER,
         .value = "A",
         .max = WORKLOAD_APP_COUNT_MAX,
         .target = &spec->apps,
         .help = "apps of ordinary and churn, whose pods come in turn\n(default: one for each 128 "
                 "pods, few of them large)"},
        {.name = "workload",
         .kind = OPTION_CHOICE,
         .value = "NAME",
         .target = &spec->kind,
         .choices = workload_names,
         .help = "kinds of nodes and pods (default mixed)"},
    };
    memcpy(options, list, sizeof(list));
}

static int find_kind(const char *name, size_t len)
{
    for (int i = 0; workload_names[i] != NULL; i++)
        if (strlen(workload_names[i]) == len && memcmp(workload_names[i], name, len) == 0)
            return i;
    return -1;
}

/* Set one key=value of a specification; false if the key or the value is invalid. */
static bool set_key(workload_spec *spec, const char *key, size_t key_len, const char *value)
{
    const struct {
        const char *name;
        uint64_t *target;
        uint64_t min, max;
    } keys[] = {
        {"nodes", &spec->nodes, 1, WORKLOAD_NODE_COUNT_MAX},
        {"zones", &spec->zones, 1, WORKLOAD_ZONE_COUNT_MAX},
        {"pods", &spec->pods, 0, WORKLOAD_POD_COUNT_MAX},
        {"running", &spec->running, 0, WORKLOAD_POD_COUNT_MAX},
        {"apps", &spec->apps, 0, WORKLOAD_APP_COUNT_MAX},
        {"seed", &spec->seed, 0, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strlen(keys[i].name) == key_len && memcmp(keys[i].name, key, key_len) == 0)
            return options_number(value, keys[i].min, keys[i].max, keys[i].target);
    if (key_len != strlen("workload") || memcmp(key, "workload", key_len) != 0)
        return false;
    int kind = find_kind(value, strlen(value));
    if (kind >= 0)
        spec->kind = kind;
    return kind >= 0;
}

bool workload_spec_check(const workload_spec *spec, char *reason, size_t reason_size)
{
    if (spec->apps == 0 || kinds[spec->kind]->takes_apps)
        return true;
    snprintf(reason, reason_size, "apps: expected workload ordinary or churn, found %s",
             workload_names[spec->kind]);
    return false;
}

bool workload_spec_parse(const char *text, workload_spec *spec, char *reason, size_t reason_size)
{
    const char *at = text;
    while (*at != '\0') {
        char item[64];
        size_t len = strcspn(at, ",");
        size_t kept = len < sizeof(item) ? len : sizeof(item) - 1;
        snprintf(item, sizeof(item), "%.*s", (int)kept, at);
        const char *equals = strchr(item, '=');
        if (equals == NULL || !set_key(spec, item, (size_t)(equals - item), equals + 1)) {
            snprintf(reason, reason_size,
                     "'%s' is none of nodes=N, zones=N, pods=N, running=N, apps=N, seed=N, "
                     "workload=%s",
                     item, choices + 1);
            return false;
        }
        at += len + (at[len] == ',' ? 1 : 0);
    }
    return workload_spec_check(spec, reason, reason_size);
}

workload_source *workload_source_create(const workload_spec *spec)
{
    workload_source *source = heap_new(1, sizeof(*source));
    source->spec = *spec;
    source->kind = kinds[spec->kind];
    source->random[0].state = workload_hash(spec->seed, 1, 0);
    source->random[1].state = workload_hash(spec->seed, 2, 0);
    if (workload_running_count(spec) > 0)
        source->rooms = heap_new(spec->nodes, sizeof(*source->rooms));
    return source;
}

void workload_source_destroy(workload_source *source)
{
    if (source == NULL)
        return;
    free(source->rooms);
    free(source);
}

static uint64_t storage_count(const workload_spec *spec)
{
    const workload *kind = kinds[spec->kind];
    return kind->storage_count != NULL ? kind->storage_count(spec) : 0;
}

uint64_t workload_running_count(const workload_spec *spec)
{
    return spec->running > 0 ? spec->running : spec->nodes * kinds[spec->kind]->running_a_node;
}

bool workload_preempts(const workload_spec *spec)
{
    return kinds[spec->kind]->running_a_node > 0;
}

bool workload_churns(const workload_spec *spec)
{
    return kinds[spec->kind]->churns;
}

uint64_t workload_object_count(const workload_spec *spec)
{
    return storage_count(spec) + spec->nodes + workload_running_count(spec) + spec->pods;
}

static berth_status make_storage(workload_source *source, workload_object_fn each, void *context,
                                 berth_error *error)
{
    uint64_t count = storage_count(&source->spec);
    berth_status status = BERTH_OK;
    for (uint64_t i = 0; i < count && status == BERTH_OK; i++) {
        draft_reset(&source->draft);
        source->kind->storage(&source->spec, i, &source->draft);
        status = each(context, &source->draft.object, error);
    }
    return status;
}

static berth_status make_nodes(workload_source *source, workload_object_fn each, void *context,
                               berth_error *error)
{
    draft *d = &source->draft;
    for (uint32_t i = 0; i < source->spec.nodes; i++) {
        workload_room room = {0};
        draft_reset(d);
        source->kind->node(&source->spec, i, d, &room);
        if (source->rooms != NULL)
            source->rooms[i] = room;
        berth_status status = each(context, &d->object, error);
        if (status != BERTH_OK)
            return status;
    }
    return BERTH_OK;
}

/* Apps that share a bit exclude each other from a node, which wastes room but breaks no rule. */
static uint64_t exclusive_bit(const workload_need *need)
{
    return need->one_per_node ? UINT64_C(1) << (need->app % 64) : 0;
}

static bool admits(const workload_source *source, uint64_t node, const workload_need *need)
{
    const workload_room *room = &source->rooms[node];
    return room->pods > 0 && room->cpu_milli >= need->cpu_milli && room->mem_mib >= need->mem_mib &&
           room->gpus >= need->gpus &&
           (room->traits & need->traits_needed) == need->traits_needed &&
           (room->traits & need->traits_refused) == 0 &&
           (need->zone < 0 || node % source->spec.zones == (uint64_t)need->zone) &&
           (room->exclusive & exclusive_bit(need)) == 0;
}

/* The next node in turn that accepts the pod; the number of nodes if none does. */
static uint64_t find_room(workload_source *source, const workload_need *need)
{
    uint64_t nodes = source->spec.nodes;
    for (uint64_t i = 0; i < nodes; i++) {
        uint64_t node = (source->next_node + i) % nodes;
        if (!admits(source, node, need))
            continue;
        workload_room *room = &source->rooms[node];
        room->cpu_milli -= need->cpu_milli;
        room->mem_mib -= need->mem_mib;
        room->gpus = (uint16_t)(room->gpus - need->gpus);
        room->pods--;
        room->exclusive |= exclusive_bit(need);
        source->next_node = node + 1;
        return node;
    }
    return nodes;
}

static void draw_pod(workload_source *source, workload_pod which, workload_need *need)
{
    *need = (workload_need){.zone = -1};
    draft_reset(&source->draft);
    source->kind->pod(&source->spec, which, &source->random[which.running], &source->draft, need);
}

/* Draw a running pod and find its node; a pod that fits nowhere is drawn again. */
static bool place_pod(workload_source *source, uint64_t idx)
{
    draft *d = &source->draft;
    for (uint32_t i = 0; i < REDRAWS_MAX; i++) {
        workload_need need;
        draw_pod(source, (workload_pod){idx, true}, &need);
        bool known = need.alike && need.app < WORKLOAD_APPS;
        if (known && source->full[need.app])
            continue;
        uint64_t node = find_room(source, &need);
        if (node < source->spec.nodes) {
            d->pod.node_name = draft_text(d, "node-%" PRIu64, node);
            d->pod.phase = words_of("Running");
            return true;
        }
        if (known)
            source->full[need.app] = true;
    }
    return false;
}

static berth_status make_pods(workload_source *source, bool running, workload_object_fn each,
                              void *context, berth_error *error)
{
    uint64_t count = running ? workload_running_count(&source->spec) : source->spec.pods;
    for (uint64_t i = 0; i < count; i++) {
        workload_need need;
        if (!running)
            draw_pod(source, (workload_pod){i, false}, &need);
        else if (!place_pod(source, i))
            return error_set(error, BERTH_E_RANGE, NULL,
                             "%" PRIu64 " running pods do not fit on %" PRIu64
                             " nodes: there is room for %" PRIu64,
                             count, source->spec.nodes, i);
        berth_status status = each(context, &source->draft.object, error);
        if (status != BERTH_OK)
            return status;
    }
    return BERTH_OK;
}

berth_status workload_source_make(workload_source *source, workload_part part,
                                  workload_object_fn each, void *context, berth_error *error)
{
    if (part == WORKLOAD_STORAGE)
        return make_storage(source, each, context, error);
    if (part == WORKLOAD_NODES)
        return make_nodes(source, each, context, error);
    return make_pods(source, part == WORKLOAD_RUNNING, each, context, error);
}

berth_status workload_source_make_all(workload_source *source, workload_object_fn each,
                                      void *context, berth_error *error)
{
    berth_status status = BERTH_OK;
    for (int part = 0; part < WORKLOAD_PART_COUNT && status == BERTH_OK; part++)
        status = workload_source_make(source, (workload_part)part, each, context, error);
    return status;
}
