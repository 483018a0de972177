/* ImageLocality: prefers nodes that already have the pod's images, large and widespread ones
 * most. ImageLocalityPriority of v1.15 leaves out init containers, and its upper bound does not
 * grow with the number of containers. (v1.15's cache counted an image's nodes as of each node's
 * own last update; here they are counted as they are.)
 * Source: kube-scheduler v1.32, plugins/imagelocality/image_locality.go; v1.15.3,
 * priorities/image_locality.go. */
#include <string.h>

#include "plugins/registry.h"

static const int64_t LOW = INT64_C(23) << 20;
static const int64_t HIGH_A_CONTAINER = INT64_C(1000) << 20;

/* An image of the pod that some node has. */
typedef struct wanted_image {
    berth__sym name;
    int64_t times;  /* named by so many containers */
    int64_t scaled; /* size x share of the nodes that have it */
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
        if (berth__node_images(facts)[i].name == name)
            return true;
    return false;
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
        const berth__image *image = berth__image_find(&view->images, list->names[i]);
        if (image != NULL)
            add_image(own, view, list->names[i], image);
    }
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

static int64_t score_node(const state *own, const berth__node_facts *facts)
{
    int64_t sum = 0, range = own->high - LOW; /* positive: an active scorer has a container */
    for (uint32_t i = 0; i < own->count; i++)
        if (has_image(facts, own->images[i].name))
            sum += own->images[i].scaled * own->images[i].times;
    if (sum <= LOW || range <= 0)
        return 0;
    return own->max * ((sum > own->high ? own->high : sum) - LOW) / range;
}

/* Looks into the image lists of the nodes scored: those of a tile at a time, so that workers share the
 * walk and a sampled search leaves out the rest. */
static void score(const berth__cycle *cycle, const void *instance, const void *opaque,
                  uint32_t tile, const berth__mask *mask, int64_t *out)
{
    (void)instance;
    const berth__view *view = cycle->view;
    memset(out, 0, BERTH__TILE * sizeof(*out));
    uint32_t base = tile * BERTH__TILE, end = view->layout->count - base;
    const berth__mask in_use = berth__mask_range(0, end < BERTH__TILE ? end : BERTH__TILE);
    const berth__mask slots = {
        {mask->words[0] & in_use.words[0], mask->words[1] & in_use.words[1]}};
    const berth__node_facts *facts[BERTH__TILE];
    BERTH__MASK_EACH(&slots, s)
    {
        facts[s] = berth__view_node(view, base + s)->facts;
        __builtin_prefetch(&facts[s]->image_count);
    }
    BERTH__MASK_EACH(&slots, s)
    {
        if (facts[s]->image_count > 0)
            out[s] = score_node(opaque, facts[s]);
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
