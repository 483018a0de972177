/* Copies an explanation into columns for Python arrays, with each text of a refusal once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"

/* Finds known texts by content, with open addressing; an entry is an index plus one. */
typedef struct text_table {
    berth_str *texts;
    uint32_t count, slot_count; /* slot_count: a power of two, at most half in use */
    uint32_t *slots;
} text_table;

static uint32_t hash(berth_str text)
{
    uint32_t value = 2166136261u;
    for (uint32_t i = 0; i < text.len; i++)
        value = (value ^ (uint8_t)text.data[i]) * 16777619u;
    return value;
}

static bool table_grow(text_table *table)
{
    const uint32_t slot_count = table->slot_count > 0 ? table->slot_count * 2 : 64;
    uint32_t *slots = calloc(slot_count, sizeof(*slots));
    berth_str *texts = calloc(slot_count / 2, sizeof(*texts));
    if (slots == NULL || texts == NULL) {
        free(slots);
        free(texts);
        return false;
    }
    if (table->count > 0)
        memcpy(texts, table->texts, table->count * sizeof(*texts));
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t at = hash(texts[i]) & (slot_count - 1);
        while (slots[at] != 0)
            at = (at + 1) & (slot_count - 1);
        slots[at] = i + 1;
    }
    free(table->texts);
    free(table->slots);
    *table = (text_table){texts, table->count, slot_count, slots};
    return true;
}

/* Finds the index of a text, and adds the text if it is new. */
static bool table_index(text_table *table, berth_str text, uint32_t *index)
{
    if (table->count * 2 >= table->slot_count && !table_grow(table))
        return false;
    uint32_t at = hash(text) & (table->slot_count - 1);
    for (; table->slots[at] != 0; at = (at + 1) & (table->slot_count - 1)) {
        *index = table->slots[at] - 1;
        const berth_str known = table->texts[*index];
        if (known.len == text.len &&
            (text.len == 0 || memcmp(known.data, text.data, text.len) == 0))
            return true;
    }
    *index = table->count++;
    table->texts[*index] = text;
    table->slots[at] = *index + 1;
    return true;
}

static bool join(const berth_str *texts, uint32_t count, berth_py_text *out)
{
    for (uint32_t i = 0; i < count; i++)
        out->capacity += (uint64_t)texts[i].len + 1;
    out->data = malloc(out->capacity + 1);
    if (out->data == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (texts[i].len > 0)
            memcpy(out->data + out->bytes, texts[i].data, texts[i].len);
        out->bytes += texts[i].len;
        out->data[out->bytes++] = '\0';
    }
    return true;
}

/* Allocates at least one byte, so NULL always means that there is no memory. */
static void *column(uint64_t count, size_t entry)
{
    return calloc(count + 1, entry);
}

static bool copy_scores(const berth_explanation *explanation, berth_py_explained *out)
{
    const uint32_t nodes = out->feasible_count = berth_explanation_feasible_count(explanation);
    const uint32_t plugins = out->score_count = berth_explanation_score_count(explanation);
    out->nodes = column(nodes, sizeof(*out->nodes));
    out->totals = column(nodes, sizeof(*out->totals));
    out->scores = column((uint64_t)nodes * plugins, sizeof(*out->scores));
    out->raws = column((uint64_t)nodes * plugins, sizeof(*out->raws));
    out->weights = column(plugins, sizeof(*out->weights));
    berth_str *names = column(plugins, sizeof(*names));
    bool done = out->nodes != NULL && out->totals != NULL && out->scores != NULL &&
                out->raws != NULL && out->weights != NULL && names != NULL;
    for (uint32_t i = 0; i < nodes && done; i++)
        out->nodes[i] = berth_explanation_feasible(explanation, i, &out->totals[i]);
    for (uint32_t p = 0; p < plugins && done; p++) {
        names[p] = berth_explanation_score_plugin(explanation, p);
        out->weights[p] = berth_explanation_score_weight(explanation, p);
        for (uint32_t i = 0; i < nodes; i++) {
            uint64_t at = (uint64_t)p * nodes + i;
            out->scores[at] = berth_explanation_score(explanation, p, i);
            if (!berth_explanation_raw_score(explanation, p, i, &out->raws[at]))
                out->raws[at] = INT64_MIN;
        }
    }
    done = done && join(names, plugins, &out->score_plugins);
    free(names);
    return done;
}

static bool copy_refusals(const berth_explanation *explanation, text_table *table,
                          berth_py_explained *out)
{
    const uint32_t count = out->refusal_count = berth_explanation_refusal_count(explanation);
    out->refused = column(count, sizeof(*out->refused));
    out->plugins = column(count, sizeof(*out->plugins));
    out->codes = column(count, sizeof(*out->codes));
    out->reason_ends = column(count, sizeof(*out->reason_ends));
    if (out->refused == NULL || out->plugins == NULL || out->codes == NULL ||
        out->reason_ends == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const berth_refusal refusal = berth_explanation_refusal(explanation, i);
        out->refused[i] = refusal.node;
        out->codes[i] = (uint8_t)refusal.code;
        out->reason_count += refusal.reason_count;
        out->reason_ends[i] = out->reason_count;
        if (!table_index(table, refusal.plugin, &out->plugins[i]))
            return false;
    }
    out->reasons = column(out->reason_count, sizeof(*out->reasons));
    if (out->reasons == NULL)
        return false;
    for (uint32_t i = 0, at = 0; i < count; i++)
        for (uint32_t r = 0; at < out->reason_ends[i]; r++, at++)
            if (!table_index(table, berth_explanation_reason(explanation, i, r), &out->reasons[at]))
                return false;
    return true;
}

berth_status berth_py_explain(const berth_explanation *explanation, berth_py_explained *out,
                              berth_error *error)
{
    memset(out, 0, sizeof(*out));
    text_table table = {0};
    out->victim_count = berth_explanation_victim_count(explanation);
    out->victims = column(out->victim_count, sizeof(*out->victims));
    const bool done = out->victims != NULL && copy_scores(explanation, out) &&
                      copy_refusals(explanation, &table, out) &&
                      join(table.texts, table.count, &out->texts);
    for (uint32_t i = 0; i < out->victim_count && done; i++)
        out->victims[i] = berth_explanation_victim(explanation, i);
    out->text_count = table.count;
    free(table.texts);
    free(table.slots);
    if (done)
        return BERTH_OK;
    berth_py_explained_free(out);
    memset(error, 0, sizeof(*error));
    error->code = BERTH_E_NOMEM;
    error->offset = UINT64_MAX;
    snprintf(error->message, sizeof(error->message), "no memory for a result");
    return BERTH_E_NOMEM;
}

void berth_py_explained_free(berth_py_explained *explained)
{
    free(explained->nodes);
    free(explained->totals);
    free(explained->scores);
    free(explained->raws);
    free(explained->weights);
    free(explained->refused);
    free(explained->plugins);
    free(explained->codes);
    free(explained->reason_ends);
    free(explained->reasons);
    free(explained->victims);
    berth_py_text_free(&explained->texts);
    berth_py_text_free(&explained->score_plugins);
    memset(explained, 0, sizeof(*explained));
}
