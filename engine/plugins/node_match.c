/* Matches node selectors and node affinity terms with a tile of label columns. */
#include "plugins/node_match.h"

#include "base/bits.h"

/* Requirements with more values compare the column instead of using masks. */
enum { MASKS_A_REQUIREMENT = 8 };

/* The masks of a requirement; NULL: none. Returns false when out of memory. */
static bool find_masks(berth__view *view, berth__arena *arena, berth__column_match *match)
{
    const berth__interned_requirement *requirement = match->requirement;
    const bool listed = requirement->op == BERTH__OP_IN || requirement->op == BERTH__OP_NOT_IN;
    const uint32_t count = listed ? requirement->value_count : 1;
    match->masks = NULL;
    if (requirement->op == BERTH__OP_GREATER || requirement->op == BERTH__OP_LESS ||
        count > MASKS_A_REQUIREMENT)
        return true;
    const berth__mask **masks = berth__arena_alloc(arena, count * sizeof(*masks), 8);
    if (masks == NULL)
        return false;
    for (uint32_t v = 0; v < count; v++) {
        masks[v] = berth__layout_value(view->layout, &view->nodes, requirement->key,
                                       listed ? requirement->values[v] : 0);
        if (masks[v] == NULL)
            return true;
    }
    match->masks = masks;
    return true;
}

bool berth__term_match_make(berth__view *view, berth__arena *arena, const berth__node_term *term,
                            berth__term_match *out)
{
    berth__column_match *expressions =
        berth__arena_alloc(arena, term->expression_count * sizeof(*expressions), 8);
    if (expressions == NULL)
        return false;
    for (uint32_t i = 0; term->valid && i < term->expression_count; i++) {
        expressions[i].requirement = &term->expressions[i];
        expressions[i].column =
            berth__layout_column(view->layout, &view->nodes, term->expressions[i].key);
        if (expressions[i].column == NULL || !find_masks(view, arena, &expressions[i]))
            return false;
    }
    *out = (berth__term_match){term, expressions};
    return true;
}

static const berth__mask *only_mask(const berth__node_match *match)
{
    if (!match->has_terms)
        return match->pairs.count == 1 ? match->pair_masks[0] : NULL;
    if (match->pairs.count > 0 || match->term_count != 1)
        return NULL;
    const berth__node_term *term = match->terms[0].term;
    if (!term->valid || term->empty || term->field_count > 0 || term->expression_count != 1)
        return NULL;
    const berth__column_match *expression = &match->terms[0].expressions[0];
    return expression->masks != NULL && expression->requirement->op == BERTH__OP_IN &&
                   expression->requirement->value_count == 1
               ? expression->masks[0]
               : NULL;
}

bool berth__node_match_make(berth__view *view, berth__arena *arena, berth__labels pairs,
                            const berth__interned_node_selector *required, berth__node_match *out)
{
    uint32_t term_count = required != NULL ? required->count : 0;
    const berth__sym **columns = berth__arena_alloc(arena, pairs.count * sizeof(*columns), 8);
    const berth__mask **masks = berth__arena_alloc(arena, pairs.count * sizeof(*masks), 8);
    berth__term_match *terms = berth__arena_alloc(arena, term_count * sizeof(*terms), 8);
    if (columns == NULL || masks == NULL || terms == NULL)
        return false;
    for (uint32_t i = 0; i < pairs.count; i++) {
        columns[i] = berth__layout_column(view->layout, &view->nodes, pairs.items[i].key);
        if (columns[i] == NULL)
            return false;
        masks[i] = berth__layout_value(view->layout, &view->nodes, pairs.items[i].key,
                                       pairs.items[i].value);
    }
    for (uint32_t i = 0; i < term_count; i++)
        if (!berth__term_match_make(view, arena, &required->terms[i], &terms[i]))
            return false;
    *out = (berth__node_match){pairs, columns, masks, required != NULL, terms, term_count, NULL};
    out->only = only_mask(out);
    return true;
}

static berth__mask inverse(berth__mask mask)
{
    return (berth__mask){{~mask.words[0], ~mask.words[1]}};
}

static void keep(berth__mask *mask, berth__mask slots)
{
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask->words[w] &= slots.words[w];
}

static void unite(berth__mask *mask, berth__mask slots)
{
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask->words[w] |= slots.words[w];
}

/* The slots of a tile with one of a requirement's values. */
static berth__mask listed(const berth__view *view, const berth__column_match *match, uint32_t tile)
{
    const berth__interned_requirement *requirement = match->requirement;
    const berth__sym *values = match->column + (size_t)tile * BERTH__TILE;
    berth__mask any = {{0}};
    for (uint32_t v = 0; v < requirement->value_count; v++)
        unite(&any, match->masks != NULL ? match->masks[v][tile]
                                         : view->kernels->equal(values, requirement->values[v]));
    return any;
}

/* The slots of a tile that lack a requirement's key. */
static berth__mask lacking(const berth__view *view, const berth__column_match *match, uint32_t tile)
{
    return match->masks != NULL
               ? match->masks[0][tile]
               : view->kernels->equal(match->column + (size_t)tile * BERTH__TILE, 0);
}

static berth__mask compared(const berth__view *view, const berth__interned_requirement *requirement,
                            const berth__sym *values)
{
    berth__mask meet = {{0}};
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        if (berth__requirement_meets(&view->model->strings, requirement, values[s]))
            berth__bit_set(meet.words, s);
    return meet;
}

/* The slots of a tile whose values satisfy a requirement. */
static berth__mask meeting(const berth__view *view, const berth__column_match *match, uint32_t tile)
{
    switch (match->requirement->op) {
    case BERTH__OP_IN:
        return listed(view, match, tile);
    case BERTH__OP_NOT_IN:
        return inverse(listed(view, match, tile));
    case BERTH__OP_EXISTS:
        return inverse(lacking(view, match, tile));
    case BERTH__OP_NOT_EXISTS:
        return lacking(view, match, tile);
    case BERTH__OP_GREATER:
    case BERTH__OP_LESS:
        break;
    }
    return compared(view, match->requirement, match->column + (size_t)tile * BERTH__TILE);
}

static bool fields_meet(const berth__view *view, const berth__node_term *term, uint32_t slot)
{
    const berth__node_term fields = {
        .valid = true, .fields = term->fields, .field_count = term->field_count};
    return berth__node_term_meets(&view->model->strings, &fields,
                                  berth__view_node(view, slot)->name, (berth__labels){0});
}

void berth__term_match_tile(const berth__view *view, const berth__term_match *match, uint32_t tile,
                            berth__mask *mask)
{
    if (!match->term->valid || match->term->empty) {
        *mask = (berth__mask){0};
        return;
    }
    for (uint32_t i = 0; i < match->term->expression_count; i++)
        keep(mask, meeting(view, &match->expressions[i], tile));
    if (match->term->field_count == 0)
        return;
    BERTH__MASK_EACH(mask, s)
    {
        if (!fields_meet(view, match->term, tile * BERTH__TILE + s))
            berth__bit_clear(mask->words, s);
    }
}

void berth__node_match_tile(const berth__view *view, const berth__node_match *match, uint32_t tile,
                            berth__mask *mask)
{
    if (match->only != NULL) {
        keep(mask, match->only[tile]);
        return;
    }
    for (uint32_t i = 0; i < match->pairs.count; i++) {
        const berth__sym *values = match->pair_columns[i] + (size_t)tile * BERTH__TILE;
        keep(mask, match->pair_masks != NULL && match->pair_masks[i] != NULL
                       ? match->pair_masks[i][tile]
                       : view->kernels->equal(values, match->pairs.items[i].value));
    }
    if (!match->has_terms)
        return;
    berth__mask any = {{0}};
    for (uint32_t i = 0; i < match->term_count; i++) {
        berth__mask term = *mask;
        berth__term_match_tile(view, &match->terms[i], tile, &term);
        unite(&any, term);
    }
    *mask = any;
}

static bool add_term(const berth__term_match *match, berth__verdict_key *key)
{
    const berth__node_term *term = match->term;
    const bool empty = !term->valid || term->empty;
    if (!empty && term->field_count > 0)
        return false;
    berth__verdict_word(key, empty ? 0 : 1 + (uint64_t)term->expression_count);
    for (uint32_t i = 0; !empty && i < term->expression_count; i++) {
        const berth__column_match *expression = &match->expressions[i];
        const berth__interned_requirement *requirement = expression->requirement;
        const bool listed = requirement->op == BERTH__OP_IN || requirement->op == BERTH__OP_NOT_IN;
        const uint32_t count = listed ? requirement->value_count : 1;
        if (expression->masks == NULL)
            return false;
        berth__verdict_word(key, (uint64_t)count << 8 | (uint64_t)requirement->op);
        for (uint32_t v = 0; v < count; v++)
            berth__verdict_word(key, (uintptr_t)expression->masks[v]);
    }
    return true;
}

bool berth__node_match_key(const berth__node_match *match, berth__verdict_key *key)
{
    bool known = match->pairs.count == 0;
    berth__verdict_word(key, match->has_terms ? 1 + (uint64_t)match->term_count : 0);
    for (uint32_t i = 0; i < match->term_count && known; i++)
        known = add_term(&match->terms[i], key);
    return known;
}
