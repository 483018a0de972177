/* ImageLocality: prefers nodes that already have the pod's images, above all large and widespread
 * ones. Images of image volumes count, too, but raise the upper bound only since v1.37.
 * ImageLocalityPriority of v1.15 ignores init containers, and its upper bound does not grow with
 * the number of containers.
 *
 * A node knows how many nodes have an image as of its own last change (model/images.h). v1.15
 * counts these nodes as of the last update of the node itself; ImageLocalityPriority counts them as
 * of now.
 * Source: kube-scheduler v1.36, plugins/imagelocality/image_locality.go; v1.15.3,
 * priorities/image_locality.go. */
#include "base/hash.h"
#include "base/sort.h"
#include "columns/image_column.h"
#include "plugins/registry.h"

static const int64_t LOW = INT64_C(23) << 20;
static const int64_t HIGH_A_CONTAINER = INT64_C(1000) << 20;

/* The value of an image since a cycle: its size times the share of nodes that had it. */
typedef struct former_worth {
    uint64_t cycle;
    int64_t scaled;
} former_worth;

/* An image that the pod names and some node has. */
typedef struct wanted_image {
    berth__sym name;
    int64_t times;               /* how often the pod names it */
    int64_t scaled;              /* size times the share of nodes that have it */
    berth__image_column *column; /* or NULL */
    uint64_t cycle;              /* the cycle in which it got this value */
    former_worth *former;        /* earlier values, newest first */
    uint32_t former_count;       /* 0: it has the same value for all nodes */
} wanted_image;

typedef struct state {
    wanted_image *images;
    uint32_t count;
    int64_t high;
    int64_t max;      /* score at `high` */
    bool as_they_are; /* uses the current counts, not those that a node knows */
    int64_t alike;    /* of all nodes with the image, if has_one_worth */
} state;

static int64_t scale(const berth__view *view, int64_t size_bytes, uint32_t node_count)
{
    double spread = (double)node_count / (double)view->layout->count;
    return (int64_t)((double)size_bytes * spread);
}

/* List the earlier values of an image. Nodes that have not changed since still see an earlier
 * count: model/images.h. */
static bool add_past(berth__prepare *prepare, wanted_image *wanted,
                     const berth__image_record *image)
{
    const berth__view *view = prepare->cycle->view;
    uint32_t count = 0;
    for (const berth__image_past *past = berth__image_before(&view->images, image->past);
         past != NULL; past = berth__image_before(&view->images, past->past))
        count++;
    if (count == 0)
        return true;
    wanted->former = berth__arena_alloc(prepare->arena, count * sizeof(*wanted->former), 8);
    if (wanted->former == NULL)
        return false;
    for (const berth__image_past *past = berth__image_before(&view->images, image->past);
         past != NULL; past = berth__image_before(&view->images, past->past))
        wanted->former[wanted->former_count++] =
            (former_worth){past->cycle, scale(view, image->size_bytes, past->node_count)};
    prepare->by_node = true;
    return true;
}

/* Names are passed in ascending order. */
static bool add_image(berth__prepare *prepare, state *own, berth__sym name,
                      const berth__image_record *image)
{
    const berth__view *view = prepare->cycle->view;
    if (own->count > 0 && own->images[own->count - 1].name == name) {
        own->images[own->count - 1].times++;
        return true;
    }
    wanted_image *wanted = &own->images[own->count++];
    *wanted = (wanted_image){.name = name,
                             .times = 1,
                             .scaled = scale(view, image->size_bytes, image->node_count),
                             .column = berth__image_column_get(view->layout, name),
                             .cycle = image->cycle};
    return own->as_they_are || add_past(prepare, wanted, image);
}

static int64_t score_of(const state *own, int64_t sum)
{
    int64_t range = own->high - LOW; /* positive: an active scorer has containers */
    if (sum <= LOW || range <= 0)
        return 0;
    return own->max * ((sum > own->high ? own->high : sum) - LOW) / range;
}

/* The value of an image for a node that last changed in `cycle`. */
static int64_t worth(const wanted_image *image, uint64_t cycle)
{
    if (image->former_count == 0 || image->cycle <= cycle)
        return image->scaled * image->times;
    uint32_t low = 0, high = image->former_count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (image->former[middle].cycle <= cycle)
            high = middle;
        else
            low = middle + 1;
    }
    return image->former[low].scaled * image->times;
}

/* Whether all nodes with any of the images score the same: there is one image, of which all nodes
 * know the same count. */
static bool has_one_worth(const state *own)
{
    return own->count == 1 && own->images[0].former_count == 0;
}

/* ---- what images are worth ---- */

/* So many images of a pod are tried in all sets that a node may have. */
enum { SETS_OF = 4 };

/* The lowest, or the highest, value that an image has for any node. */
static int64_t bound_of(const wanted_image *image, bool highest)
{
    int64_t bound = image->scaled;
    for (uint32_t i = 0; i < image->former_count; i++) {
        const int64_t value = image->former[i].scaled;
        if (highest ? value > bound : value < bound)
            bound = value;
    }
    return bound * image->times;
}

/* The lowest, or the highest, score of a node that has the images of a set. */
static int64_t score_of_set(const state *own, uint32_t set, bool highest)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < own->count; i++)
        if ((set >> i & 1) != 0)
            sum += bound_of(&own->images[i], highest);
    return score_of(own, sum);
}

/* If a node's score depends only on which images it has, whenever it changed last, forget earlier
 * values, and describe the scores by a number. One more node of thousands makes an image worth a
 * little more, which rarely changes a score of 0 to 100. */
static void settle_worth(berth__prepare *prepare, state *own)
{
    int64_t scores[1 << SETS_OF] = {0};
    uint64_t worth = 0;
    bool settled = own->count <= SETS_OF;
    prepare->image_worth = prepare->cycle->view->layout->epoch * 2 + 2; /* no other one's */
    for (uint32_t set = 0; settled && set < 1u << own->count; set++) {
        scores[set] = score_of_set(own, set, true);
        settled = scores[set] == score_of_set(own, set, false);
    }
    if (!settled)
        return;
    for (uint32_t i = 0; i < own->count; i++) {
        own->images[i].former_count = 0;
        worth = worth * 31 + own->images[i].name;
    }
    prepare->by_node = false;
    prepare->image_worth = berth__hash_secret(scores, sizeof(scores), worth) | 1;
}

/* Prepare for the images of the list from `first` on. */
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
        if (image != NULL && !add_image(prepare, own, name, image)) {
            prepare->ok = false;
            return BERTH__SKIP;
        }
    }
    settle_worth(prepare, own);
    if (has_one_worth(own))
        own->alike = score_of(own, worth(&own->images[0], 0));
    prepare->uniform = 0;
    return own->count > 0 && !view->images.uncounted ? BERTH__ACTIVE : BERTH__UNIFORM;
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
    own->as_they_are = true;
    return prepare_images(prepare, prepare->cycle->cls->images->init_count);
}

static berth__mask slots_with(const berth__view *view, const wanted_image *image, uint32_t tile)
{
    return berth__image_column_bits(view->layout, &view->nodes, image->column, image->name, tile);
}

static uint64_t cycle_of(const berth__view *view, uint32_t slot)
{
    return berth__view_node(view, slot)->refreshed;
}

/* Add the image's value to the slots of a tile that have it. */
static void add_worth(const berth__view *view, const wanted_image *image, uint32_t tile,
                      const berth__mask *slots, int64_t *out)
{
    if (image->former_count == 0) {
        view->kernels->add_where(slots, worth(image, 0), out);
        return;
    }
    BERTH__MASK_EACH(slots, s)
    {
        out[s] += worth(image, cycle_of(view, tile * BERTH__TILE + s));
    }
}

static void image_locality_score(const berth__question *cycle, const void *instance,
                                 const void *opaque, uint32_t tile, const berth__mask *mask,
                                 int64_t *out)
{
    (void)instance;
    (void)mask;
    const berth__view *view = cycle->view;
    const state *own = opaque;
    berth__mask any = slots_with(view, &own->images[0], tile);
    view->kernels->clear(out);
    if (has_one_worth(own)) {
        view->kernels->add_where(&any, own->alike, out);
        return;
    }
    add_worth(view, &own->images[0], tile, &any, out);
    for (uint32_t i = 1; i < own->count; i++) {
        berth__mask slots = slots_with(view, &own->images[i], tile);
        add_worth(view, &own->images[i], tile, &slots, out);
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            any.words[w] |= slots.words[w];
    }
    BERTH__MASK_EACH(&any, s)
    {
        out[s] = score_of(own, out[s]);
    }
}

static bool slot_has(const berth__view *view, const wanted_image *image, uint32_t slot)
{
    return berth__image_column_has(view->layout, &view->nodes, image->column, image->name, slot);
}

static int64_t image_locality_score_slot(const berth__question *cycle, const void *instance,
                                         const void *opaque, uint32_t slot)
{
    (void)instance;
    const berth__view *view = cycle->view;
    const state *own = opaque;
    int64_t sum = 0;
    for (uint32_t i = 0; i < own->count; i++)
        if (slot_has(view, &own->images[i], slot))
            sum += worth(&own->images[i], cycle_of(view, slot));
    return score_of(own, sum);
}

static void image_locality_score_slots(const berth__question *cycle, const void *instance,
                                       const void *opaque, const uint32_t *slots, uint32_t count,
                                       int64_t *out)
{
    const state *own = opaque;
    if (!has_one_worth(own)) {
        for (uint32_t i = 0; i < count; i++)
            out[i] = image_locality_score_slot(cycle, instance, opaque, slots[i]);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        out[i] = slot_has(cycle->view, &own->images[0], slots[i]) ? own->alike : 0;
}

static bool image_locality_score_alike(const berth__question *cycle, const void *instance,
                                       const void *opaque, uint32_t tile, berth__mask *slots,
                                       int64_t *value)
{
    (void)instance;
    const state *own = opaque;
    if (!has_one_worth(own))
        return false;
    *slots = slots_with(cycle->view, &own->images[0], tile);
    *value = own->alike;
    return true;
}

const berth__plugin_ops berth__plugin_image_locality = {
    .name = "ImageLocality",
    .flags = BERTH__STATIC_SCORE,
    .score_state_bytes = sizeof(state),
    .prepare_score = image_locality_prepare,
    .score = image_locality_score,
    .score_slot = image_locality_score_slot,
    .score_slots = image_locality_score_slots,
    .score_alike = image_locality_score_alike,
};

const berth__plugin_ops berth__plugin_image_locality_priority = {
    .name = "ImageLocalityPriority",
    .flags = BERTH__STATIC_SCORE,
    .score_state_bytes = sizeof(state),
    .prepare_score = image_locality_prepare_priority,
    .score = image_locality_score,
    .score_slot = image_locality_score_slot,
    .score_slots = image_locality_score_slots,
    .score_alike = image_locality_score_alike,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};
