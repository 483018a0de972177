/* Groups messages about unplaced pods by their reasons. */
#include "replay/replay_reasons.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

enum { REASONS_MAX = 64 };

static berth_str after(berth_str text, const char *mark)
{
    const char *at = memmem(text.data, text.len, mark, strlen(mark));
    if (at == NULL)
        return text;
    at += strlen(mark);
    return (berth_str){at, (uint32_t)(text.data + text.len - at)};
}

static berth_str before(berth_str text, const char *mark)
{
    const char *at = memmem(text.data, text.len, mark, strlen(mark));
    return at == NULL ? text : (berth_str){text.data, (uint32_t)(at - text.data)};
}

/* "12 Insufficient cpu" without its number. */
static berth_str without_number(berth_str reason)
{
    uint32_t at = 0;
    while (at < reason.len && reason.data[at] >= '0' && reason.data[at] <= '9')
        at++;
    if (at == 0 || at == reason.len || reason.data[at] != ' ')
        return reason;
    return (berth_str){reason.data + at + 1, reason.len - at - 1};
}

static int by_bytes(const void *a, const void *b)
{
    const berth_str *left = a;
    const berth_str *right = b;
    return words_compare(*left, *right);
}

static uint32_t split_reasons(berth_str list, berth_str reasons[REASONS_MAX])
{
    uint32_t count = 0;
    while (list.len > 0 && count < REASONS_MAX) {
        berth_str reason = count + 1 < REASONS_MAX ? before(list, ", ") : list;
        uint32_t used = reason.len + 2 < list.len ? reason.len + 2 : list.len;
        list = (berth_str){list.data + used, list.len - used};
        reasons[count++] = without_number(reason);
    }
    if (count > 1)
        qsort(reasons, count, sizeof(*reasons), by_bytes);
    return count;
}

/* Removes the part from postFilter plugins: preemption, or the claims of devices. */
static berth_str without_post_filter(berth_str list)
{
    static const char *const begins[] = {". preemption: ", ". no new claims to deallocate",
                                         ". not found"};
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        list = before(list, begins[i]);
    return list;
}

/* Returns the sorted reasons without numbers; freed by the caller. */
static char *name_group(berth_str message, uint32_t *len)
{
    berth_str reasons[REASONS_MAX];
    berth_str list = without_post_filter(after(message, " nodes are available: "));
    if (list.len > 0 && list.data[list.len - 1] == '.')
        list.len--;
    uint32_t count = split_reasons(list, reasons);
    char *name = heap_new((size_t)list.len + 2 * (size_t)count + 1, 1);
    *len = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) {
            memcpy(name + *len, ", ", 2);
            *len += 2;
        }
        memcpy(name + *len, reasons[i].data, reasons[i].len);
        *len += reasons[i].len;
    }
    return name;
}

void replay_reasons_add(replay_reasons *r, berth_str message)
{
    uint32_t len = 0;
    size_t known = r->names.count;
    char *name = name_group(message, &len);
    uint32_t group = word_table_add(&r->names, (berth_str){name, len});
    free(name);
    if (group == known) {
        r->groups = heap_grow(r->groups, &r->group_capacity, known + 1, sizeof(*r->groups));
        char *example = heap_new((size_t)message.len + 1, 1);
        memcpy(example, message.data, message.len);
        r->groups[group] = (reason_group){.example = example};
    }
    r->groups[group].pods++;
}

uint32_t *replay_reasons_rank(const replay_reasons *r)
{
    size_t count = r->names.count;
    uint32_t *ranked = heap_new(count, sizeof(*ranked));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at > 0 && r->groups[ranked[at - 1]].pods < r->groups[i].pods; at--)
            ranked[at] = ranked[at - 1];
        ranked[at] = i;
    }
    return ranked;
}

void replay_reasons_free(replay_reasons *r)
{
    for (size_t i = 0; i < r->names.count; i++)
        free(r->groups[i].example);
    free(r->groups);
    word_table_free(&r->names);
}
