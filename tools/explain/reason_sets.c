/* Groups pods by their sets of reasons. Pods of one workload are refused for the same reasons, by
 * numbers of nodes that change as the cluster fills; grouping by set avoids a line for each pod. */
#include "explain/reason_sets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "cli/terminal.h"

enum { REASONS_MAX = 64, COUNT_WIDTH = 8 };

/* The distinct reasons of one pod. */
typedef struct own_reasons {
    berth_str texts[REASONS_MAX];
    uint32_t nodes[REASONS_MAX];
    uint32_t count;
} own_reasons;

static void read_own(const berth_explanation *why, own_reasons *own)
{
    berth_reason_count counts[REASONS_MAX];
    uint32_t found = berth_explanation_reason_counts(why, counts, REASONS_MAX);
    own->count = 0;
    for (uint32_t i = 0; i < found && i < REASONS_MAX; i++) {
        uint32_t at = 0;
        while (at < own->count && !words_equal(own->texts[at], counts[i].reason))
            at++;
        if (at == own->count) {
            own->texts[own->count] = counts[i].reason;
            own->nodes[own->count++] = 0;
        }
        own->nodes[at] += counts[i].nodes;
    }
    if (own->count > 0)
        return;
    /* refused before any node was visited, or an error */
    berth_str text = berth_explanation_pre_filter(why);
    if (text.len == 0)
        text = berth_explanation_message(why);
    own->texts[0] = text.len > 0 ? text : words_of("the attempt failed with an error");
    own->nodes[0] = 0;
    own->count = 1;
}

static int by_word(const void *a, const void *b)
{
    const set_reason *left = a;
    const set_reason *right = b;
    return left->word < right->word ? -1 : left->word > right->word;
}

static void widen(reason_set *set, const set_reason *reasons)
{
    for (uint32_t i = 0; i < set->count; i++)
        for (uint32_t k = 0; k < set->count; k++) {
            if (set->reasons[k].word != reasons[i].word)
                continue;
            if (reasons[i].least < set->reasons[k].least)
                set->reasons[k].least = reasons[i].least;
            if (reasons[i].most > set->reasons[k].most)
                set->reasons[k].most = reasons[i].most;
        }
}

uint32_t reason_sets_add(reason_sets *sets, const berth_explanation *why)
{
    own_reasons own;
    set_reason reasons[REASONS_MAX] = {{0}};
    text_buffer key = {0};
    read_own(why, &own);
    for (uint32_t i = 0; i < own.count; i++)
        reasons[i] =
            (set_reason){word_table_add(&sets->words, own.texts[i]), own.nodes[i], own.nodes[i]};
    if (own.count > 0)
        qsort(reasons, own.count, sizeof(*reasons), by_word);
    for (uint32_t i = 0; i < own.count; i++)
        text_add(&key, "%" PRIu32 ",", reasons[i].word);
    uint32_t at = word_table_add(&sets->keys, text_str(&key));
    text_free(&key);
    if (at == sets->count) {
        sets->items = heap_grow(sets->items, &sets->capacity, (size_t)at + 1, sizeof(*sets->items));
        reason_set *fresh = &sets->items[sets->count++];
        *fresh = (reason_set){.reasons = heap_new(own.count, sizeof(*fresh->reasons)),
                              .count = own.count};
        memcpy(fresh->reasons, reasons, own.count * sizeof(*reasons));
    }
    widen(&sets->items[at], reasons);
    sets->items[at].pods++;
    return at;
}

void reason_sets_repeat(reason_sets *sets, uint32_t set)
{
    sets->items[set].pods++;
}

void reason_sets_free(reason_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++)
        free(sets->items[i].reasons);
    free(sets->items);
    word_table_free(&sets->words);
    word_table_free(&sets->keys);
    *sets = (reason_sets){0};
}

typedef struct ranked_set {
    uint64_t pods;
    uint32_t set;
} ranked_set;

static int by_pods(const void *a, const void *b)
{
    const ranked_set *left = a;
    const ranked_set *right = b;
    if (left->pods != right->pods)
        return left->pods > right->pods ? -1 : 1;
    return left->set < right->set ? -1 : left->set > right->set;
}

uint32_t *reason_sets_ranked(const reason_sets *sets)
{
    ranked_set *ranked = heap_new(sets->count, sizeof(*ranked));
    uint32_t *order = heap_new(sets->count, sizeof(*order));
    for (uint32_t i = 0; i < sets->count; i++)
        ranked[i] = (ranked_set){sets->items[i].pods, i};
    if (sets->count > 0)
        qsort(ranked, sets->count, sizeof(*ranked), by_pods);
    for (uint32_t i = 0; i < sets->count; i++)
        order[i] = ranked[i].set;
    free(ranked);
    return order;
}

/* ---- words ---- */

static bool begins(berth_str text, const char *prefix)
{
    size_t len = strlen(prefix);
    return text.len > len && memcmp(text.data, prefix, len) == 0;
}

/* Add one reason in short form: without "node(s)", and with "Insufficient" only once. */
static void add_reason(text_buffer *out, berth_str reason, bool *insufficient)
{
    static const char of_nodes[] = "node(s) ";
    static const char lacking[] = "Insufficient ";
    uint32_t skip = 0;
    if (begins(reason, of_nodes))
        skip = sizeof(of_nodes) - 1;
    else if (*insufficient && begins(reason, lacking))
        skip = sizeof(lacking) - 1;
    *insufficient = begins(reason, lacking);
    text_add_str(out, (berth_str){reason.data + skip, reason.len - skip});
}

/* Writes "4,433". */
static void add_number(text_buffer *out, uint32_t number)
{
    if (number >= 1000000)
        text_add(out, "%" PRIu32 ",%03" PRIu32 ",%03" PRIu32, number / 1000000,
                 number / 1000 % 1000, number % 1000);
    else if (number >= 1000)
        text_add(out, "%" PRIu32 ",%03" PRIu32, number / 1000, number % 1000);
    else
        text_add(out, "%" PRIu32, number);
}

/* Sort by number of nodes, the largest first, then by text. */
static void sort_by_nodes(set_reason *sorted, const word_table *words, const set_reason *from,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        berth_str own = word_table_get(words, from[i].word);
        for (; at > 0; at--) {
            const set_reason *before = &sorted[at - 1];
            if (before->most > from[i].most ||
                (before->most == from[i].most &&
                 words_compare(word_table_get(words, before->word), own) < 0))
                break;
            sorted[at] = *before;
        }
        sorted[at] = from[i];
    }
}

static void add_reasons(text_buffer *out, const word_table *words, const set_reason *from,
                        uint32_t count)
{
    set_reason sorted[REASONS_MAX];
    bool insufficient = false;
    sort_by_nodes(sorted, words, from, count);
    for (uint32_t i = 0; i < count; i++) {
        text_add(out, "%s", i > 0 ? ", " : "");
        add_reason(out, word_table_get(words, sorted[i].word), &insufficient);
        if (sorted[i].most == 0)
            continue;
        text_add(out, " (");
        if (sorted[i].least != sorted[i].most) {
            add_number(out, sorted[i].least);
            text_add(out, " to ");
        }
        add_number(out, sorted[i].most);
        text_add(out, "%s)", i > 0 ? "" : sorted[i].most == 1 ? " node" : " nodes");
    }
}

void reason_set_text(const reason_sets *sets, uint32_t set, text_buffer *out)
{
    add_reasons(out, &sets->words, sets->items[set].reasons, sets->items[set].count);
}

void reasons_text(const berth_explanation *why, text_buffer *out)
{
    reason_sets alone = {0};
    (void)reason_sets_add(&alone, why);
    reason_set_text(&alone, 0, out);
    reason_sets_free(&alone);
}

void reason_sets_print(const reason_sets *sets, size_t most, FILE *file)
{
    uint32_t *ranked = reason_sets_ranked(sets);
    uint64_t rest = 0;
    for (size_t i = 0; i < sets->count; i++) {
        const reason_set *set = &sets->items[ranked[i]];
        text_buffer text = {0};
        if (i >= most) {
            rest += set->pods;
            continue;
        }
        reason_set_text(sets, ranked[i], &text);
        fprintf(file, "  %*" PRIu64 "  ", COUNT_WIDTH, set->pods);
        terminal_wrap(file, text.text, text.len, COUNT_WIDTH + 4, COUNT_WIDTH + 4);
        fputc('\n', file);
        text_free(&text);
    }
    if (rest > 0)
        fprintf(file, "  %*" PRIu64 "  for %zu other sets of reasons\n", COUNT_WIDTH, rest,
                sets->count - most);
    free(ranked);
}

void reason_set_write(const reason_sets *sets, uint32_t number, output *o)
{
    const reason_set *set = &sets->items[number];
    output_array(o);
    for (uint32_t r = 0; r < set->count; r++) {
        output_object(o);
        output_pair_str(o, "reason", word_table_get(&sets->words, set->reasons[r].word));
        output_pair_int(o, "leastNodes", set->reasons[r].least);
        output_pair_int(o, "mostNodes", set->reasons[r].most);
        output_object_end(o);
    }
    output_array_end(o);
}

void reason_sets_write(const reason_sets *sets, output *o)
{
    uint32_t *ranked = reason_sets_ranked(sets);
    output_array(o);
    for (size_t i = 0; i < sets->count; i++) {
        const reason_set *set = &sets->items[ranked[i]];
        output_object(o);
        output_pair_int(o, "pods", (int64_t)set->pods);
        output_key(o, "reasons");
        reason_set_write(sets, ranked[i], o);
        output_object_end(o);
    }
    output_array_end(o);
    free(ranked);
}
