/* Converts an explanation into arrays that hold each text once. */
#include "glue.h"

#include <stdlib.h>
#include <string.h>

/* Numbers the texts of an explanation and finds them by their bytes, with open addressing. */
typedef struct text_table {
    berth_str *texts;
    uint32_t count, capacity;
    uint32_t *slots; /* number + 1, 0: free; room for twice the maximum of texts */
    uint32_t slot_mask;
} text_table;

static uint32_t text_hash(berth_str text)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * 16777619u;
    return hash;
}

static bool table_grow(text_table *table)
{
    uint32_t capacity = table->capacity == 0 ? 64 : 2 * table->capacity;
    berth_str *texts = realloc(table->texts, capacity * sizeof(*texts));
    if (texts == NULL)
        return false;
    table->texts = texts;
    uint32_t *slots = calloc(2 * (size_t)capacity, sizeof(*slots));
    if (slots == NULL)
        return false;
    free(table->slots);
    table->slots = slots;
    table->capacity = capacity;
    table->slot_mask = 2 * capacity - 1;
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t at = text_hash(texts[i]) & table->slot_mask;
        while (slots[at] != 0)
            at = (at + 1) & table->slot_mask;
        slots[at] = i + 1;
    }
    return true;
}

/* Returns the number of a text; UINT32_MAX if there is no memory. */
static uint32_t table_number(text_table *table, berth_str text)
{
    if (table->count == table->capacity && !table_grow(table))
        return UINT32_MAX;
    uint32_t at = text_hash(text) & table->slot_mask;
    for (; table->slots[at] != 0; at = (at + 1) & table->slot_mask) {
        berth_str known = table->texts[table->slots[at] - 1];
        if (known.len == text.len &&
            (text.len == 0 || memcmp(known.data, text.data, text.len) == 0))
            return table->slots[at] - 1;
    }
    table->texts[table->count] = text;
    table->slots[at] = ++table->count;
    return table->count - 1;
}

void bg_flat_drop(bg_box *box)
{
    if (box->flat == NULL)
        return;
    free(box->flat->memory);
    free(box->flat->texts);
    free(box->flat);
    box->flat = NULL;
}

/* Allocates all arrays but the texts at once. */
static bool flat_allocate(bg_flat *flat)
{
    size_t feasible = flat->feasible_count, scores = flat->score_count;
    size_t bytes = 8 * (feasible + 2 * feasible * scores + scores + flat->victim_count) +
                   4 * (feasible + scores) + sizeof(bg_refusal) * flat->refusal_count +
                   4 * (size_t)flat->reason_count;
    char *at = flat->memory = malloc(bytes > 0 ? bytes : 1);
    if (at == NULL)
        return false;
    flat->totals = (int64_t *)at;
    flat->scores = flat->totals + feasible;
    flat->raws = flat->scores + feasible * scores;
    flat->weights = flat->raws + feasible * scores;
    flat->victims = (uint64_t *)(flat->weights + scores);
    flat->feasible = (uint32_t *)(flat->victims + flat->victim_count);
    flat->score_plugins = flat->feasible + feasible;
    flat->refusals = (bg_refusal *)(flat->score_plugins + scores);
    flat->reasons = (uint32_t *)(flat->refusals + flat->refusal_count);
    return true;
}

static void flat_count(bg_flat *flat, const berth_explanation *from)
{
    flat->feasible_count = berth_explanation_feasible_count(from);
    flat->score_count = berth_explanation_score_count(from);
    flat->refusal_count = berth_explanation_refusal_count(from);
    flat->victim_count = berth_explanation_victim_count(from);
    for (uint32_t i = 0; i < flat->refusal_count; i++)
        flat->reason_count += berth_explanation_refusal(from, i).reason_count;
}

static void flat_nodes(bg_flat *flat, const berth_explanation *from, text_table *table)
{
    for (uint32_t i = 0; i < flat->feasible_count; i++)
        flat->feasible[i] = berth_explanation_feasible(from, i, &flat->totals[i]);
    for (uint32_t p = 0; p < flat->score_count; p++) {
        flat->score_plugins[p] = table_number(table, berth_explanation_score_plugin(from, p));
        flat->weights[p] = berth_explanation_score_weight(from, p);
        for (uint32_t i = 0; i < flat->feasible_count; i++) {
            size_t at = (size_t)p * flat->feasible_count + i;
            flat->scores[at] = berth_explanation_score(from, p, i);
            if (!berth_explanation_raw_score(from, p, i, &flat->raws[at]))
                flat->raws[at] = BG_NO_RAW_SCORE;
        }
    }
    uint32_t reason_count = 0;
    for (uint32_t i = 0; i < flat->refusal_count; i++) {
        berth_refusal refusal = berth_explanation_refusal(from, i);
        flat->refusals[i] = (bg_refusal){refusal.node, table_number(table, refusal.plugin),
                                         refusal.code, reason_count, refusal.reason_count};
        for (uint32_t r = 0; r < refusal.reason_count; r++)
            flat->reasons[reason_count++] =
                table_number(table, berth_explanation_reason(from, i, r));
    }
    for (uint32_t i = 0; i < flat->victim_count; i++)
        flat->victims[i] = berth_explanation_victim(from, i);
}

int bg_flatten(bg_box *box)
{
    const berth_explanation *from = box->explanation;
    text_table table = {0};
    bg_flat_drop(box);
    bg_flat *flat = box->flat = calloc(1, sizeof(*flat));
    if (flat == NULL)
        return BERTH_E_NOMEM;
    flat_count(flat, from);
    bool room = flat_allocate(flat) && table_grow(&table);
    if (room)
        flat_nodes(flat, from, &table);
    free(table.slots);
    flat->texts = table.texts;
    flat->text_count = table.count;
    flat->pre_filter = berth_explanation_pre_filter(from);
    flat->message = berth_explanation_message(from);
    flat->nominated = berth_explanation_nominated(from);
    return room ? BERTH_OK : BERTH_E_NOMEM;
}
