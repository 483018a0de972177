/* Prepares a piece of the input step by step: parsed, decoded, or found to be a replica. */
#include "kube/ready_piece.h"

#include <string.h>

#include "base/text.h"
#include "kube/decode.h"
#include "kube/kind_info.h"
#include "objects/sized_object.h"

bool berth__piece_copy(berth__arena *arena, berth__ready_piece *out)
{
    berth_str text = out->piece.text;
    char *copy = berth__arena_alloc(arena, (size_t)text.len + BERTH__JSON_PADDING, 1);
    if (copy == NULL)
        return false;
    memcpy(copy, text.data, text.len);
    memset(copy + text.len, 0, BERTH__JSON_PADDING);
    out->piece.text.data = copy;
    out->padded = true;
    return true;
}

void berth__piece_parse(berth__json_parser *json, berth__arena *arena, berth__ready_piece *out)
{
    const berth__json *tree;
    if (berth__json_parse_padded(json, arena, out->piece.text, &tree, NULL) == BERTH_OK)
        out->tree = tree;
}

void berth__piece_decode(berth__arena *arena, const berth__heading *list, const char *default_kind,
                         berth__ready_piece *out)
{
    berth_str api_version;
    berth_kind kind;
    berth__decoder decoder = {arena, NULL};
    if (out->tree == NULL || out->tree->type != BERTH__JSON_OBJECT)
        return;
    berth_str name = berth__heading_kind(list, default_kind, out->tree, &api_version);
    if (berth__str_empty(name) || !berth__kind_info_find(name, api_version, &kind))
        return;
    void *object = berth__arena_alloc_zero(arena, berth__object_size(kind), 8);
    if (object == NULL ||
        berth__decode_fields(&decoder, NULL, out->tree, berth__fields_of(kind), object) != BERTH_OK)
        return;
    out->object = object;
    out->kind = kind;
}

/* ---- patterns ---- */

berth__pattern_verdict berth__piece_match(berth__patterns *patterns, berth__ready_piece *out)
{
    if (patterns == NULL)
        return BERTH__PATTERN_NONE;
    berth__pattern_verdict verdict =
        berth__patterns_find(patterns, out->piece.text, &out->pattern, &out->gaps);
    out->is_replica = verdict == BERTH__PATTERN_FOUND;
    return verdict;
}

/* Whether a word is a part of the text; words with escapes are elsewhere. */
static bool stands_in(berth_str word, berth_str text)
{
    uintptr_t at = (uintptr_t)word.data;
    uintptr_t from = (uintptr_t)text.data;
    return word.len == 0 || (at > from && at + word.len < from + text.len);
}

void berth__piece_register(berth__patterns *patterns, berth__ready_piece *out)
{
    const berth_pod *pod = out->object;
    if (pod == NULL || out->kind != BERTH_KIND_POD ||
        berth__str_empty(berth__json_text(berth__json_get(out->tree, "kind"))))
        return;
    const berth__gaps gaps = {.word = {[BERTH__GAP_NAME] = pod->meta.name,
                                       [BERTH__GAP_UID] = pod->meta.uid,
                                       [BERTH__GAP_NODE] = pod->node_name}};
    for (int g = 0; g < BERTH__GAP_COUNT; g++)
        if (!stands_in(gaps.word[g], out->piece.text))
            return;
    if (!berth__str_empty(pod->meta.name))
        out->pattern = berth__patterns_register(patterns, out->piece.text, &gaps);
}
