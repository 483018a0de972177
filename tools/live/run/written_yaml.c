#include "live/run/written_yaml.h"

#include <regex.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

/* What a reader of YAML 1.1 takes for a number or a time. */
static const char other_scalars[] =
    "^("
    "[-+]?(\\.[0-9]+|[0-9][0-9_]*(\\.[0-9_]*)?)([eE][-+]?[0-9]+)?|"
    "[-+]?0([xX][0-9a-fA-F_]+|[oO][0-7_]+|[bB][01_]+)|"
    "[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)|"
    "[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\\.[0-9_]*)?|"
    "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\\.[0-9]+)?"
    "(Z|[-+][0-9]{2}:[0-9]{2})?)?"
    ")$";

/* Whether a reader would take the plain text for something other than a string. */
static bool is_ambiguous(const char *text)
{
    static const char *const words[] = {"",     "~",     "null",  "Null",  "NULL", "true", "True",
                                        "TRUE", "false", "False", "FALSE", "yes",  "Yes",  "YES",
                                        "no",   "No",    "NO",    "on",    "On",   "ON",   "off",
                                        "Off",  "OFF",   "y",     "Y",     "n",    "N"};
    regex_t expression;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    if (regcomp(&expression, other_scalars, REG_EXTENDED | REG_NOSUB) != 0)
        return true; /* quotes are never wrong */
    const bool matches = regexec(&expression, text, 0, NULL, 0) == 0;
    regfree(&expression);
    return matches;
}

static bool has_controls(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == '\x7f')
            return true;
    return false;
}

/* Whether the plain text would end, or begin something other than a scalar. */
static bool needs_quotes(const char *text)
{
    const size_t length = strlen(text);
    const bool marks = strchr("-?:", text[0]) != NULL && (text[1] == ' ' || text[1] == '\0');
    return marks || strncmp(text, "---", 3) == 0 || strncmp(text, "...", 3) == 0 ||
           strchr(",[]{}#&*!|>'\"%@`", text[0]) != NULL || strstr(text, ": ") != NULL ||
           strstr(text, " #") != NULL || text[0] == ' ' || text[length - 1] == ' ' ||
           text[length - 1] == ':';
}

static void write_text(FILE *out, const char *text)
{
    if (is_ambiguous(text) || has_controls(text)) {
        json_t *value = json_string(text);
        (void)json_dumpf(value, out, JSON_ENCODE_ANY);
        json_decref(value);
    } else if (needs_quotes(text)) {
        fputc('\'', out);
        for (; *text != '\0'; text++)
            fprintf(out, *text == '\'' ? "''" : "%c", *text);
        fputc('\'', out);
    } else {
        fputs(text, out);
    }
}

static void write_value(FILE *out, json_t *value, int indent, bool in_list);

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* `on_dash`: the first member continues the line. */
static void write_object(FILE *out, json_t *object, int indent, bool on_dash)
{
    const size_t count = json_object_size(object);
    const char **keys = heap_new(count, sizeof(*keys));
    size_t i = 0;
    for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at))
        keys[i++] = json_object_iter_key(at);
    qsort(keys, count, sizeof(*keys), by_name);
    for (i = 0; i < count; i++) {
        fprintf(out, "%*s%s:", i == 0 && on_dash ? 0 : indent, "", keys[i]);
        write_value(out, json_object_get(object, keys[i]), indent, false);
    }
    free(keys);
}

static void write_value(FILE *out, json_t *value, int indent, bool in_list)
{
    size_t i;
    json_t *item;
    const bool nested = json_object_size(value) + json_array_size(value) > 0;
    if (!nested || in_list)
        fputs(in_list ? "" : " ", out);
    else
        fputc('\n', out);
    if (json_is_object(value) && nested) {
        write_object(out, value, in_list ? indent : indent + 2, in_list);
    } else if (json_is_array(value) && nested) {
        json_array_foreach(value, i, item)
        {
            fprintf(out, "%*s- ", indent, "");
            write_value(out, item, indent + 2, true);
        }
    } else if (json_is_string(value)) {
        write_text(out, json_string_value(value));
        fputc('\n', out);
    } else {
        (void)json_dumpf(value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
        fputc('\n', out);
    }
}

void written_yaml(FILE *out, json_t *object)
{
    write_object(out, object, 0, false);
}
