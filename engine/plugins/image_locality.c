/* ImageLocality: prefers nodes that already have the pod's images, large and widespread ones
 * most. ImageLocalityPriority of v1.15 leaves out init containers, and its upper bound does not
 * grow with the number of containers. (v1.15's cache counted an image's nodes as of each node's
 * own last update; here they are counted as they are.)
 * Source: kube-scheduler v1.32, plugins/imagelocality/image_locality.go; v1.15.3,
 * priorities/image_locality.go. */
#include <string.h>

#include "base/bits.h"
#include "plugins/registry.h"

static const int64_t LOW = INT64_C(23) << 20;
static const int64_t HIGH_A_CONTAINER = INT64_C(1000) << 20;

/* An image of the pod that some node has. */
typedef struct wanted_image {
    berth__sym name;
    int64_t times;  /* named by so many containers */
    int64_t scaled; /* size x share of the nodes that have it */
    const uint64_t *nodes; /* a bit a slot */
} wanted_image;

typedef struct state {
    wanted_image *images;
    uint32_t count;
    int64_t high;
    int64_t max; /* score at `high` */
} state;

static void add_image(state *own, const berth__view *view, berth__sym name,
                      const berth__image *image)
{
    for (uint32_t i = 0; i < own->count; i++) {
        if (own->images[i].name == name) {
            own->images[i].times++;
            return;
        }
    }
    double spread = (double)image->node_count / (double)view->layout->count;
    own->images[own->count++] = (wanted_image){
        .name = name, .times = 1, .scaled = (int64_t)((double)image->size_bytes * spread)};
}

static bool has_image(const berth__node_facts *facts, berth__sym name)
{
    for (uint32_t i = 0; i < facts->image_count; i++)
        if (facts->images[i].name == name)
            return true;
    return false;
}

/* Find the nodes of each image: one walk over the nodes' image lists a cold class. */
static bool find_nodes(const berth__view *view, berth__arena *arena, wanted_image *image)
{
    uint64_t *nodes =
        berth__arena_alloc_zero(arena, (size_t)view->layout->tile_count * BERTH__TILE / 8, 64);
    if (nodes == NULL)
        return false;
    for (uint32_t slot = 0; slot < view->layout->count; slot++)
        if (has_image(berth__view_node(view, slot)->facts, image->name))
            berth__bit_set(nodes, slot);
    image->nodes = nodes;
    return true;
}

/* For the images of the list from `first` on. */
static berth__outcome prepare_images(berth__prepare *prepare, uint32_t first)
{
    const berth__view *view = prepare->cycle->view;
    const berth__image_list *list = prepare->cycle->cls->images;
    state *own = prepare->state;
    own->images = berth__arena_alloc(prepare->arena, list->count * sizeof(*own->images), 8);
    if (own->images == NULL) {
        prepare->ok = false;
        return BERTH__SKIP;
    }
    for (uint32_t i = first; i < list->count; i++) {
        const berth__image *image = berth__image_find(view->model, list->names[i]);
        if (image != NULL)
            add_image(own, view, list->names[i], image);
    }
    for (uint32_t i = 0; i < own->count && prepare->ok; i++)
        prepare->ok = find_nodes(view, prepare->arena, &own->images[i]);
    prepare->uniform = 0;
    return own->count > 0 ? BERTH__ACTIVE : BERTH__UNIFORM;
}

static berth__outcome prepare(berth__prepare *prepare)
{
    state *own = prepare->state;
    own->high = HIGH_A_CONTAINER * prepare->cycle->cls->images->count;
    own->max = BERTH__SCORE_MAX;
    return prepare_images(prepare, 0);
}

static berth__outcome prepare_priority(berth__prepare *prepare)
{
    state *own = prepare->state;
    own->high = HIGH_A_CONTAINER;
    own->max = BERTH__SCORE_MAX_LEGACY;
    return prepare_images(prepare, prepare->cycle->cls->images->init_count);
}

static void score(const berth__cycle *cycle, const void *instance, const void *opaque,
                  uint32_t tile, const berth__mask *mask, int64_t *out)
{
    (void)cycle;
    (void)instance;
    const state *own = opaque;
    memset(out, 0, BERTH__TILE * sizeof(*out));
    for (uint32_t i = 0; i < own->count; i++) {
        const uint64_t *nodes = own->images[i].nodes + (size_t)tile * BERTH__TILE_WORDS;
        berth__mask having = {{mask->words[0] & nodes[0], mask->words[1] & nodes[1]}};
        BERTH__MASK_EACH(&having, s)
        {
            out[s] += own->images[i].scaled * own->images[i].times;
        }
    }
    int64_t range = own->high - LOW; /* positive: an active scorer has a container */
    for (uint32_t s = 0; s < BERTH__TILE && range > 0; s++) {
        int64_t sum = out[s] < LOW ? LOW : out[s] > own->high ? own->high : out[s];
        out[s] = own->max * (sum - LOW) / range;
    }
}

const berth__plugin berth__plugin_image_locality = {
    .name = "ImageLocality",
    .flags = BERTH__STATIC_SCORE,
    .score_state_bytes = sizeof(state),
    .prepare_score = prepare,
    .score = score,
};

const berth__plugin berth__plugin_image_locality_priority = {
    .name = "ImageLocalityPriority",
    .flags = BERTH__STATIC_SCORE,
    .score_state_bytes = sizeof(state),
    .prepare_score = prepare_priority,
    .score = score,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};
