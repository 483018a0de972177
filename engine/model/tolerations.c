/* Which taints a pod's tolerations accept: a short list is scanned, a longer one is hashed. */
#include "model/tolerations.h"

#include "base/hash.h"
#include "base/text.h"

static bool is_blank(const berth__model *model, berth__sym sym)
{
    return sym == 0 || sym == model->known.empty;
}

/* Read a decimal int64 in its shortest form: no plus sign, no leading zeros. */
static bool read_canonical(berth_str text, int64_t *out)
{
    bool negative = text.len > 0 && text.data[0] == '-';
    uint32_t first = negative, digits = text.len - first;
    if (digits == 0 || digits > 19 || (text.data[first] == '0' && text.len > 1))
        return false;
    uint64_t magnitude = 0; /* 19 digits fit */
    for (uint32_t i = first; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        magnitude = magnitude * 10 + (uint64_t)(text.data[i] - '0');
    }
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *out = negative ? (int64_t)-magnitude : (int64_t)magnitude;
    return true;
}

/* Lt tolerates values below the toleration's, Gt values above it. */
static bool compares(const berth__model *model, const berth__interned_toleration *toleration,
                     const berth__interned_taint *taint)
{
    bool less = toleration->op == model->known.op_less;
    int64_t bound, value;
    if (!model->behaviours.taint_comparisons ||
        (!less && toleration->op != model->known.op_greater))
        return false;
    if (!read_canonical(berth__text(model, toleration->value), &bound) ||
        !read_canonical(berth__text(model, taint->value), &value))
        return false;
    return less ? value < bound : value > bound;
}

bool berth__tolerates(const berth__model *model, const berth__interned_toleration *toleration,
                      const berth__interned_taint *taint)
{
    if (!is_blank(model, toleration->effect) && toleration->effect != taint->effect)
        return false;
    if (!is_blank(model, toleration->key) && toleration->key != taint->key)
        return false;
    if (toleration->op == model->known.op_exists)
        return true;
    if (!is_blank(model, toleration->op) && toleration->op != model->known.op_equal)
        return compares(model, toleration, taint);
    return toleration->value == taint->value ||
           (is_blank(model, toleration->value) && is_blank(model, taint->value));
}

/* ---- long lists ---- */

enum { FEW = 32 };

/* A toleration in normal form: two tolerations that mean the same have equal shapes. */
typedef struct shape {
    berth__sym key; /* 0: any */
    berth__sym effect;
    berth__sym op;    /* Exists, Equal, Lt or Gt */
    berth__sym value; /* of Equal */
} shape;

static berth__sym unless_blank(const berth__model *model, berth__sym sym)
{
    return is_blank(model, sym) ? 0 : sym;
}

/* Returns false if the toleration accepts nothing. */
static bool shape_of(const berth__model *model, const berth__interned_toleration *toleration,
                     shape *out)
{
    int64_t bound;
    *out = (shape){unless_blank(model, toleration->key), unless_blank(model, toleration->effect),
                   toleration->op, 0};
    if (toleration->op == model->known.op_exists)
        return true;
    if (is_blank(model, toleration->op) || toleration->op == model->known.op_equal) {
        out->op = model->known.op_equal;
        out->value = unless_blank(model, toleration->value);
        return true;
    }
    return (toleration->op == model->known.op_less || toleration->op == model->known.op_greater) &&
           read_canonical(berth__text(model, toleration->value), &bound);
}

static bool is_shape(const berth__model *model, const berth__interned_toleration *toleration,
                     const shape *wanted)
{
    shape own;
    return shape_of(model, toleration, &own) && own.key == wanted->key &&
           own.effect == wanted->effect && own.op == wanted->op && own.value == wanted->value;
}

/* The slot of a shape, or the free slot for it. */
static uint32_t *probe(const berth__model *model, const berth__tolerations *list,
                       const shape *wanted)
{
    uint64_t hash = berth__hash_secret_word((uint64_t)wanted->key << 32 | wanted->value) ^
                    berth__hash_secret_word(~((uint64_t)wanted->effect << 32 | wanted->op));
    uint32_t at = (uint32_t)hash & list->mask;
    while (list->slots[at] != 0 && !is_shape(model, &list->items[list->slots[at] - 1], wanted))
        at = (at + 1) & list->mask;
    return &list->slots[at];
}

/* Whether a comparison accepts more values than another of the same shape. */
static bool is_wider(const berth__model *model, const berth__interned_toleration *toleration,
                     const berth__interned_toleration *other)
{
    int64_t bound = 0, before = 0;
    read_canonical(berth__text(model, toleration->value), &bound);
    read_canonical(berth__text(model, other->value), &before);
    return toleration->op == model->known.op_less ? bound > before : bound < before;
}

static void enter(const berth__model *model, const berth__tolerations *list, uint32_t i)
{
    shape own;
    if (!shape_of(model, &list->items[i], &own))
        return;
    uint32_t *slot = probe(model, list, &own);
    bool compared = own.op == model->known.op_less || own.op == model->known.op_greater;
    if (*slot == 0 || (compared && is_wider(model, &list->items[i], &list->items[*slot - 1])))
        *slot = i + 1;
}

bool berth__tolerations_make(const berth__model *model, berth__arena *arena,
                             const berth__interned_toleration *items, uint32_t count,
                             berth__tolerations *out)
{
    *out = (berth__tolerations){.items = items, .count = count};
    if (count <= FEW)
        return true;
    uint32_t slots = 2 * FEW;
    while (slots / 2 < count)
        slots *= 2;
    out->slots = berth__arena_alloc_zero(arena, slots * sizeof(*out->slots), sizeof(*out->slots));
    if (out->slots == NULL)
        return false;
    out->mask = slots - 1;
    for (uint32_t i = 0; i < count; i++)
        enter(model, out, i);
    return true;
}

static bool has(const berth__model *model, const berth__tolerations *list, shape wanted,
                const berth__interned_taint *taint)
{
    uint32_t found = *probe(model, list, &wanted);
    return found != 0 && berth__tolerates(model, &list->items[found - 1], taint);
}

/* Whether a toleration of any key, or of the taint's key, with an effect of that kind accepts
 * it. */
static bool accepts_by(const berth__model *model, const berth__tolerations *list,
                       const berth__interned_taint *taint, berth__sym key, berth__sym effect)
{
    berth__sym value = unless_blank(model, taint->value);
    return has(model, list, (shape){key, effect, model->known.op_exists, 0}, taint) ||
           has(model, list, (shape){key, effect, model->known.op_equal, value}, taint) ||
           has(model, list, (shape){key, effect, model->known.op_less, 0}, taint) ||
           has(model, list, (shape){key, effect, model->known.op_greater, 0}, taint);
}

bool berth__tolerations_accept(const berth__model *model, const berth__tolerations *list,
                               const berth__interned_taint *taint)
{
    if (list->slots != NULL)
        return accepts_by(model, list, taint, 0, 0) ||
               accepts_by(model, list, taint, taint->key, 0) ||
               accepts_by(model, list, taint, 0, taint->effect) ||
               accepts_by(model, list, taint, taint->key, taint->effect);
    for (uint32_t i = 0; i < list->count; i++)
        if (berth__tolerates(model, &list->items[i], taint))
            return true;
    return false;
}
