/* Functions of regular expressions. Constant patterns were compiled with the expression. */
#include "cel/functions.h"
#include "cel/regex.h"

#define DEFINE(name)                                                                     \
    berth__cel_value berth__cel_##name(berth__cel_run *run, const berth__cel_node *node, \
                                       const berth__cel_value *args)

/* The pattern of a call. `own`, if set, was compiled for this call, which must destroy it. */
typedef struct chosen {
    const berth__cel_pattern *pattern;
    berth__cel_pattern *own;
} chosen;

/* Choose the pattern of a call and charge for a search: about one unit for 40 characters, text
 * times pattern. On failure returns false and sets `*error`. */
static bool choose(berth__cel_run *run, const berth__cel_node *node, const berth__cel_value *args,
                   chosen *out, berth__cel_value *error)
{
    uint64_t text = args[0].text.len / 10 + 1, pattern = args[1].text.len / 4 + 1;
    *out = (chosen){.pattern = node->pattern};
    if (!berth__cel_charge(run, text * pattern * BERTH__CEL_COST_UNIT)) {
        *error = berth__cel_stopped(run);
        return false;
    }
    if (out->pattern != NULL)
        return true;
    berth__cel_pattern_problem problem = {.text = ""};
    berth_status status = berth__cel_pattern_compile(args[1].text, &out->own, &problem);
    out->pattern = out->own;
    if (status == BERTH_OK)
        return true;
    if (status == BERTH_E_NOMEM)
        run->no_memory = run->stopped = true;
    *error = status == BERTH_E_NOMEM
                 ? berth__cel_stopped(run)
                 : berth__cel_error(
                       run, "%s%s",
                       strcmp(node->function->name, "matches") == 0 ? "" : "Illegal regex: ",
                       problem.text);
    return false;
}

static bool found(berth__cel_run *run, const chosen *by, berth_str text, uint32_t from,
                  berth_str *match)
{
    berth_status status = berth__cel_pattern_find(by->pattern, text, from, match);
    if (status == BERTH_E_NOMEM)
        run->no_memory = run->stopped = true;
    return status == BERTH_OK;
}

static bool are_texts(const berth__cel_value *args)
{
    return args[0].kind == BERTH__CEL_TYPE_STRING && args[1].kind == BERTH__CEL_TYPE_STRING;
}

DEFINE(matches)
{
    chosen by;
    berth__cel_value out;
    berth_str match;
    if (args[0].kind != BERTH__CEL_TYPE_STRING && node->pattern == NULL)
        return berth__cel_error(run, "no such overload: matches");
    if (!are_texts(args))
        return berth__cel_no_overload();
    if (!choose(run, node, args, &by, &out))
        return out;
    out = berth__cel_bool(found(run, &by, args[0].text, 0, &match));
    berth__cel_pattern_destroy(by.own);
    return out;
}

DEFINE(find_first)
{
    chosen by;
    berth__cel_value out;
    berth_str match = {.data = ""};
    if (!choose(run, node, args, &by, &out))
        return out;
    if (!found(run, &by, args[0].text, 0, &match))
        match = (berth_str){.data = ""};
    berth__cel_pattern_destroy(by.own);
    return berth__cel_string(match);
}

/* The byte after the code point at `at`. */
static uint32_t behind(berth_str text, uint32_t at)
{
    at++;
    while (at < text.len && ((unsigned char)text.data[at] & 0xc0) == 0x80)
        at++;
    return at;
}

/* Count all matches, at most `most` (-1: any number); write them to `items` unless it is NULL. Like
 * Go's FindAllString, it leaves out an empty match right after another match. */
static uint32_t matches_of(berth__cel_run *run, const chosen *by, berth_str text, int64_t most,
                           berth__cel_value *items)
{
    uint32_t count = 0, at = 0;
    int64_t last_end = -1;
    berth_str match;
    while ((most < 0 || count < most) && at <= text.len && found(run, by, text, at, &match)) {
        uint32_t begin = (uint32_t)(match.data - text.data), end = begin + match.len;
        bool accepted = end != at || begin != last_end;
        at = end == at ? behind(text, at) : end;
        last_end = end;
        if (!berth__cel_charge(run, BERTH__CEL_COST_UNIT))
            break;
        if (accepted && items != NULL)
            items[count] = berth__cel_string(match);
        count += accepted ? 1 : 0;
    }
    return count;
}

DEFINE(find_all)
{
    chosen by;
    berth__cel_value out;
    int64_t most = node->arg_count > 2 ? args[2].integer : -1;
    if (!choose(run, node, args, &by, &out))
        return out;
    uint32_t count = matches_of(run, &by, args[0].text, most, NULL);
    out = berth__cel_list_make(run, count);
    if (!berth__cel_failed(out) && count > 0 && !run->stopped)
        matches_of(run, &by, args[0].text, most, out.list->items);
    berth__cel_pattern_destroy(by.own);
    return out;
}
