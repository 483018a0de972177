/* The workload `gpu`: nodes with eight GPUs, and pods that request GPUs, each by its own claim.
 *
 * Every fourth node also has network cards: two GPUs and one card on each PCIe root. Every eighth
 * node has partitioned GPUs: two of them, each offered whole, as a half or as quarters that share
 * its slices. Most pods request one GPU; others two on one root, four, a GPU and the card beside
 * it, a quarter, or one large GPU or else two small ones. Running pods have no devices. */
#include <inttypes.h>

#include "cli/words.h"
#include "workloads/workload_kinds.h"

enum {
    GPUS_A_NODE = 8,
    GPUS_A_ROOT = 2,
    CARDS_A_NODE = GPUS_A_NODE / GPUS_A_ROOT,
    PARTITIONED_GPUS = 2,
    SLICES_A_GPU = 4,
    CLASSES = 3,
    NODE_CPU_MILLI = 128000,
    NODE_MEM_MIB = 1024 * 1024,
    NODE_PODS = 110,
    ABOUT_ASK = 48, /* the purpose passed to workload_hash */
};

static const char gpu_class[] = "gpu.example.com";
static const char part_class[] = "part.gpu.example.com";
static const char card_class[] = "nic.example.com";
static const char root_attribute[] = "resource.kubernetes.io/pcieRoot";
static const char large[] = "device.attributes[\"gpu.example.com\"].model == \"H100\"";
static const char namespace_name[] = "default";

static bool is_partitioned(uint64_t node)
{
    return node % 8 == 3;
}

static uint64_t nodes_with_cards(const workload_spec *spec)
{
    return (spec->nodes + 2) / 4;
}

static uint64_t partitioned_nodes(const workload_spec *spec)
{
    return (spec->nodes + 4) / 8;
}

/* ---- devices ---- */

static void make_class(uint64_t idx, draft *d)
{
    static const char *const names[CLASSES] = {gpu_class, part_class, card_class};
    static const char *const selectors[CLASSES] = {
        "device.driver == \"gpu.example.com\" && "
        "device.attributes[\"gpu.example.com\"].type == \"gpu\"",
        "device.driver == \"gpu.example.com\" && "
        "device.attributes[\"gpu.example.com\"].type == \"part\"",
        "device.driver == \"nic.example.com\"",
    };
    draft_device_class(d, words_of(names[idx]), selectors[idx]);
}

static berth_str node_name(draft *d, uint64_t node)
{
    return draft_text(d, "node-%" PRIu64, node);
}

static void add_gpu(draft *d, berth_str name, const char *type, const char *model, uint64_t gpu,
                    int64_t mebibytes)
{
    draft_device(d, name);
    draft_device_text(d, "type", words_of(type));
    draft_device_text(d, "model", words_of(model));
    draft_device_int(d, "index", (int64_t)gpu);
    draft_device_text(d, root_attribute, draft_text(d, "pci%04" PRIx64, gpu / GPUS_A_ROOT));
    draft_device_capacity(d, "memory", draft_mebibytes(mebibytes));
}

/* Add a part of a partitioned GPU, which uses `slices` of its slices. */
static void add_part(draft *d, const char *model, uint64_t gpu, const char *suffix, int64_t slices,
                     int64_t mebibytes)
{
    bool whole = slices == SLICES_A_GPU;
    add_gpu(d, draft_text(d, "gpu-%" PRIu64 "%s", gpu, suffix), whole ? "gpu" : "part", model, gpu,
            mebibytes * slices / SLICES_A_GPU);
    draft_device_consumes(d, draft_text(d, "gpu-%" PRIu64, gpu), "slices", slices);
}

static void make_gpus(uint64_t node, draft *d)
{
    const char *model = node % 2 == 0 ? "H100" : "A100";
    int64_t mebibytes = node % 2 == 0 ? 80 * 1024 : 40 * 1024;
    bool parts = is_partitioned(node);
    draft_slice(d, words_of("gpu.example.com"), node_name(d, node), "", parts ? 2 : 1);
    for (uint64_t i = 0; !parts && i < GPUS_A_NODE; i++)
        add_gpu(d, draft_text(d, "gpu-%" PRIu64, i), "gpu", model, i, mebibytes);
    for (uint64_t i = 0; parts && i < PARTITIONED_GPUS; i++) {
        add_part(d, model, i, "", SLICES_A_GPU, mebibytes);
        add_part(d, model, i, "-half", SLICES_A_GPU / 2, mebibytes);
        add_part(d, model, i, "-quarter-0", 1, mebibytes);
        add_part(d, model, i, "-quarter-1", 1, mebibytes);
    }
}

/* Make the counters that the parts of a node's partitioned GPUs share. */
static void make_counters(uint64_t node, draft *d)
{
    draft_slice(d, words_of("gpu.example.com"), node_name(d, node), "-counters", 2);
    for (uint64_t i = 0; i < PARTITIONED_GPUS; i++)
        draft_counter_set(d, draft_text(d, "gpu-%" PRIu64, i), "slices", SLICES_A_GPU);
}

static void make_cards(uint64_t node, draft *d)
{
    draft_slice(d, words_of("nic.example.com"), node_name(d, node), "", 1);
    for (uint64_t i = 0; i < CARDS_A_NODE; i++) {
        draft_device(d, draft_text(d, "nic-%" PRIu64, i));
        draft_device_text(d, root_attribute, draft_text(d, "pci%04" PRIx64, i));
    }
}

/* ---- requests ---- */

typedef enum ask_kind { ASK_ONE, ASK_TWO, ASK_FOUR, ASK_WITH_CARD, ASK_PART, ASK_OR } ask_kind;

static ask_kind kind_of(const workload_spec *spec, workload_pod which)
{
    uint64_t drawn =
        workload_hash(spec->seed, ABOUT_ASK + (which.running ? 1 : 0), which.idx) % 100;
    return drawn < 60   ? ASK_ONE
           : drawn < 75 ? ASK_TWO
           : drawn < 80 ? ASK_FOUR
           : drawn < 85 ? ASK_WITH_CARD
           : drawn < 95 ? ASK_PART
                        : ASK_OR;
}

static berth_str claim_name(draft *d, workload_pod which)
{
    return draft_text(d, "devices-%s-%" PRIu64, which.running ? "running" : "pod", which.idx);
}

static void make_claim(const workload_spec *spec, workload_pod which, draft *d)
{
    draft_device_claim(d, words_of(namespace_name), claim_name(d, which));
    switch (kind_of(spec, which)) {
    case ASK_ONE:
        draft_ask(d, "gpu", gpu_class, 1, NULL);
        break;
    case ASK_TWO:
        draft_ask(d, "gpu", gpu_class, 2, NULL);
        draft_match(d, root_attribute);
        break;
    case ASK_FOUR:
        draft_ask(d, "gpu", gpu_class, 4, NULL);
        break;
    case ASK_WITH_CARD:
        draft_ask(d, "gpu", gpu_class, 1, NULL);
        draft_ask(d, "nic", card_class, 1, NULL);
        draft_match(d, root_attribute);
        break;
    case ASK_PART:
        draft_ask(d, "gpu", part_class, 1, NULL);
        break;
    case ASK_OR:
        draft_ask_or(d, "gpu", "large", gpu_class, 1, large);
        draft_ask_or(d, "gpu", "small", gpu_class, 2, NULL);
        break;
    }
}

/* ---- the workload ---- */

/* Counts classes, slices of GPUs, cards and counters, and claims of the pods to place. */
static uint64_t count_objects(const workload_spec *spec)
{
    return CLASSES + spec->nodes + nodes_with_cards(spec) + partitioned_nodes(spec) + spec->pods;
}

static void make_object(const workload_spec *spec, uint64_t idx, draft *d)
{
    if (workload_is_among(&idx, CLASSES))
        make_class(idx, d);
    else if (workload_is_among(&idx, spec->nodes))
        make_gpus(idx, d);
    else if (workload_is_among(&idx, nodes_with_cards(spec)))
        make_cards(idx * 4 + 1, d);
    else if (workload_is_among(&idx, partitioned_nodes(spec)))
        make_counters(idx * 8 + 3, d);
    else
        make_claim(spec, (workload_pod){idx, false}, d);
}

static void make_node(const workload_spec *spec, uint32_t idx, draft *d, workload_room *room)
{
    workload_basic.node(spec, idx, d, room);
    d->node.allocatable.count = 0;
    draft_resource(d, "cpu", draft_milli(NODE_CPU_MILLI));
    draft_resource(d, "memory", draft_mebibytes(NODE_MEM_MIB));
    draft_resource(d, "pods", draft_units(NODE_PODS));
    *room =
        (workload_room){.cpu_milli = NODE_CPU_MILLI, .mem_mib = NODE_MEM_MIB, .pods = NODE_PODS};
}

/* Running pods have no devices; they only occupy nodes. */
static void make_pod(const workload_spec *spec, workload_pod which, workload_random *random,
                     draft *d, workload_need *need)
{
    workload_basic.pod(spec, which, random, d, need);
    if (!which.running)
        draft_use_devices(d, claim_name(d, which));
}

const workload workload_gpu = {
    .storage_count = count_objects,
    .storage = make_object,
    .node = make_node,
    .pod = make_pod,
};
