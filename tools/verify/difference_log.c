/* Prints differences between an expected and an actual decision. For a member that is an object
 * itself (node -> refusal, plugin -> scores), only its different members are printed; everything
 * else is printed in full. */
#include "verify/difference_log.h"

#include <stdlib.h>

#include "cli/exits.h"
#include "cli/plain_text.h"

void difference_log_begin(difference_log *log, uint64_t shown_max)
{
    *log = (difference_log){.shown_max = shown_max};
    log->file = open_memstream(&log->text, &log->text_len);
    if (log->file == NULL) {
        fputs("berth: out of memory\n", stderr);
        exit(EXIT_INTERNAL);
    }
}

void difference_log_end(difference_log *log)
{
    fclose(log->file);
    log->file = NULL;
}

void difference_log_release(difference_log *log)
{
    if (log->file != NULL)
        fclose(log->file);
    free(log->text);
}

/* Count a case; returns whether it is printed. */
static bool open_case(difference_log *log, const char *title)
{
    log->found++;
    if (log->shown == log->shown_max)
        return false;
    log->shown++;
    plain_text_line(log->file, "  %s", title);
    return true;
}

static void tell_value(FILE *file, const char *word, const json_t *value)
{
    char *text = value != NULL ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    plain_text_line(file, "      %-9s%s", word,
                    value == NULL  ? "nothing"
                    : text != NULL ? text
                                   : "what does not fit memory");
    free(text);
}

static void tell(FILE *file, const char *key, const char *inner, const json_t *expected,
                 const json_t *found)
{
    plain_text_line(file, "    %s%s%s", key, inner != NULL ? " " : "", inner != NULL ? inner : "");
    tell_value(file, "expected", expected);
    tell_value(file, "found", found);
}

static bool same(const json_t *a, const json_t *b)
{
    return a == b || (a != NULL && b != NULL && json_equal(a, b));
}

static void tell_member(FILE *file, const char *key, json_t *expected, json_t *found)
{
    if (!json_is_object(expected) || !json_is_object(found)) {
        tell(file, key, NULL, expected, found);
        return;
    }
    const char *inner = NULL;
    json_t *value = NULL;
    json_object_foreach(expected, inner, value)
    {
        const json_t *other = json_object_get(found, inner);
        if (!same(value, other))
            tell(file, key, inner, value, other);
    }
    json_object_foreach(found, inner, value)
    {
        if (json_object_get(expected, inner) == NULL)
            tell(file, key, inner, NULL, value);
    }
}

bool difference_log_compare(difference_log *log, const char *title, json_t *expected, json_t *found)
{
    if (same(expected, found))
        return false;
    if (!open_case(log, title))
        return true;
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(expected, key, value)
    {
        json_t *other = json_object_get(found, key);
        if (!same(value, other))
            tell_member(log->file, key, value, other);
    }
    return true;
}

void difference_log_failure(difference_log *log, const char *title, const char *text)
{
    if (open_case(log, title))
        plain_text_line(log->file, "    %s", text);
}
