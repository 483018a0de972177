/* ImageLocality: prefers nodes that already have the pod's images, large and widespread ones
 * most; those of image volumes are among them, but raise the bound only since v1.37.
 * ImageLocalityPriority of v1.15 leaves out init containers, and its upper bound does not grow with
 * the number of containers. (v1.15's cache counted an image's nodes as of each node's own last
 * update; here they are counted as they are.) Source: kube-scheduler v1.36,
 * plugins/imagelocality/image_locality.go; v1.15.3, priorities/image_locality.go. */
#include "base/sort.h"
#include "columns/image_column.h"
#include "plugins/registry.h"

static const int64_t LOW = INT64_C(23) << 20;
static const int64_t HIGH_A_CONTAINER = INT64_C(1000) << 20;

/* An image of the pod that some node has. */
typedef struct wanted_image {
    berth__sym name;
    int64_t times;               /* named so often */
    int64_t scaled;              /* size x share of the nodes that have it */
    berth__image_column *column; /* or NULL */
} wanted_image;

typedef struct state {
    wanted_image *images;
    uint32_t count;
    int64_t high;
    int64_t max; /* score at `high` */
} state;

/* Names come in order. */
static void add_image(state *own, berth__view *view, berth__sym name,
                      const berth__image_record *image)
{
    if (own->count > 0 && own->images[own->count - 1].name == name) {
        own->images[own->count - 1].times++;
        return;
    }
    double spread = (double)image->node_count / (double)view->layout->count;
    own->images[own->count++] =
        (wanted_image){.name = name,
                       .times = 1,
                       .scaled = (int64_t)((double)image->size_bytes * spread),
                       .column = berth__image_column_get(view->layout, name)};
}

/* For the images of the list from `first` on. */
static berth__outcome prepare_images(berth__prepare *prepare, uint32_t first)
{
    berth__view *view = prepare->cycle->view;
    const berth__image_list *list = prepare->cycle->cls->images;
    state *own = prepare->state;
    own->images = berth__arena_alloc(prepare->arena, list->count * sizeof(*own->images), 8);
    uint64_t *names = berth__arena_alloc(prepare->arena, list->count * sizeof(*names), 8);
    if (own->images == NULL || names == NULL) {
        prepare->ok = false;
        return BERTH__SKIP;
    }
    uint32_t count = 0;
    for (uint32_t i = first; i < list->count; i++)
        names[count++] = list->names[i];
    berth__sort_words(names, count);
    for (uint32_t i = 0; i < count; i++) {
        berth__sym name = (berth__sym)names[i];
        const berth__image_record *image = berth__image_find(&view->images, name);
        if (image != NULL)
            add_image(own, view, name, image);
    }
    prepare->uniform = 0;
    return own->count > 0 ? BERTH__ACTIVE : BERTH__UNIFORM;
}

static berth__outcome image_locality_prepare(berth__prepare *prepare)
{
    state *own = prepare->state;
    const berth__image_list *list = prepare->cycle->cls->images;
    const bool volumes = prepare->cycle->view->model->behaviours.image_volumes_raise_bound;
    own->high = HIGH_A_CONTAINER * (volumes ? list->count : list->container_count);
    own->max = BERTH__SCORE_MAX;
    return prepare_images(prepare, 0);
}

static berth__outcome image_locality_prepare_priority(berth__prepare *prepare)
{
    state *own = prepare->state;
    own->high = HIGH_A_CONTAINER;
    own->max = BERTH__SCORE_MAX_LEGACY;
    return prepare_images(prepare, prepare->cycle->cls->images->init_count);
}

static int64_t score_of(const state *own, int64_t sum)
{
    int64_t range = own->high - LOW; /* positive: an active scorer has a container */
    if (sum <= LOW || range <= 0)
        return 0;
    return own->max * ((sum > own->high ? own->high : sum) - LOW) / range;
}

static int64_t worth(const wanted_image *image)
{
    return image->scaled * image->times;
}

static berth__mask slots_with(const berth__view *view, const wanted_image *image, uint32_t tile)
{
    return berth__image_column_bits(view->layout, &view->nodes, image->column, image->name, tile);
}

/* Pods of one image are scored alike wherever it is; of several, the sum differs from node to
 * node. */
static void image_locality_score(const berth__question *cycle, const void *instance,
                                 const void *opaque, uint32_t tile, const berth__mask *mask,
                                 int64_t *out)
{
    (void)instance;
    (void)mask;
    const berth__view *view = cycle->view;
    const state *own = opaque;
    berth__mask any = slots_with(view, &own->images[0], tile);
    int64_t first = worth(&own->images[0]);
    view->kernels->clear(out);
    view->kernels->add_where(&any, own->count == 1 ? score_of(own, first) : first, out);
    if (own->count == 1)
        return;
    for (uint32_t i = 1; i < own->count; i++) {
        berth__mask slots = slots_with(view, &own->images[i], tile);
        view->kernels->add_where(&slots, worth(&own->images[i]), out);
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            any.words[w] |= slots.words[w];
    }
    BERTH__MASK_EACH(&any, s)
    {
        out[s] = score_of(own, out[s]);
    }
}

const berth__plugin_ops berth__plugin_image_locality = {
    .name = "ImageLocality",
    .flags = BERTH__STATIC_SCORE,
    .score_state_bytes = sizeof(state),
    .prepare_score = image_locality_prepare,
    .score = image_locality_score,
};

const berth__plugin_ops berth__plugin_image_locality_priority = {
    .name = "ImageLocalityPriority",
    .flags = BERTH__STATIC_SCORE,
    .score_state_bytes = sizeof(state),
    .prepare_score = image_locality_prepare_priority,
    .score = image_locality_score,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};
