/* Writes results as JSON or YAML, value by value. YAML is the block style that kubectl prints: two
 * blanks per level, list dashes level with their key. Text is quoted wherever a reader might take
 * it for something else, with JSON's escapes, which YAML's double quotes share. */
#include "cli/output.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "cli/exits.h"
#include "cli/table.h"
#include "cli/terminal.h"

const char *const output_wide_format_names[] = {"table", "json", "yaml", "wide", NULL};
const char *const output_table_format_names[] = {"table", "json",     "yaml", "wide",
                                                 "csv",   "markdown", NULL};
const char *const output_list_format_names[] = {"table", "json",     "yaml", "wide",
                                                "csv",   "markdown", "name", NULL};

void output_settle(output_format format)
{
    if (format == OUTPUT_WIDE)
        terminal_set_wide();
    else if (format == OUTPUT_CSV)
        table_set_form(TABLE_CSV);
    else if (format == OUTPUT_MARKDOWN)
        table_set_form(TABLE_MARKDOWN);
}

bool output_is_text(output_format format)
{
    return format == OUTPUT_TABLE || format == OUTPUT_WIDE;
}

bool output_is_flat(output_format format)
{
    return format == OUTPUT_CSV || format == OUTPUT_MARKDOWN;
}

void output_open(output *o, FILE *file, output_format format, uint32_t flat_depth)
{
    assert(format == OUTPUT_JSON || format == OUTPUT_YAML);
    *o = (output){
        .file = file, .yaml = format == OUTPUT_YAML, .flat_depth = flat_depth, .blanks = 2};
}

void output_close(output *o)
{
    assert(o->depth == 0 && !o->keyed);
    fputc('\n', o->file);
}

static void new_line(output *o, uint32_t indent)
{
    fprintf(o->file, "\n%*s", (int)indent, "");
}

static output_level *current(output *o)
{
    return o->depth > 0 ? &o->levels[o->depth - 1] : NULL;
}

/* Write the separator before an item of an array or a key of an object. */
static void separate(output *o, output_level *level)
{
    if (!o->yaml) {
        bool flat = o->depth > o->flat_depth;
        if (level->count > 0)
            fputs(flat ? ", " : ",", o->file);
        if (!flat)
            new_line(o, o->depth * o->blanks);
    } else if (level->on_dash) {
        level->on_dash = false;
    } else if (level->count > 0 || o->depth > 1) {
        new_line(o, level->indent);
    }
    level->count++;
}

/* Write the separators and line breaks that must come before a value. */
static void place(output *o, bool scalar)
{
    output_level *level = current(o);
    if (level == NULL)
        return;
    if (level->array) {
        separate(o, level);
        if (o->yaml)
            fputs("- ", o->file);
        return;
    }
    assert(o->keyed);
    o->keyed = false;
    if (scalar && o->yaml)
        fputc(' ', o->file);
}

static void begin(output *o, bool array)
{
    const output_level *outer = current(o);
    bool in_array = outer != NULL && outer->array;
    uint32_t indent = 0;
    if (outer != NULL)
        indent = outer->indent + (in_array || !array ? 2 : 0);
    place(o, false);
    assert(o->depth < OUTPUT_DEPTH_MAX);
    o->levels[o->depth++] = (output_level){.array = array, .on_dash = in_array, .indent = indent};
    if (!o->yaml)
        fputc(array ? '[' : '{', o->file);
}

static void end(output *o, bool array)
{
    assert(o->depth > 0 && !o->keyed);
    output_level level = o->levels[--o->depth];
    assert(level.array == array);
    if (o->yaml) {
        if (level.count == 0)
            fprintf(o->file, "%s%s", level.on_dash || o->depth == 0 ? "" : " ",
                    array ? "[]" : "{}");
        return;
    }
    if (level.count > 0 && o->depth < o->flat_depth)
        new_line(o, o->depth * o->blanks);
    fputc(array ? ']' : '}', o->file);
}

void output_object(output *o)
{
    begin(o, false);
}

void output_object_end(output *o)
{
    end(o, false);
}

void output_array(output *o)
{
    begin(o, true);
}

void output_array_end(output *o)
{
    end(o, true);
}

/* Whether a two-byte character that begins at `c` is a control character (C1). */
static bool is_c1(const char *c, const char *stop)
{
    return (unsigned char)*c == 0xc2 && c + 1 < stop && (unsigned char)c[1] < 0xa0;
}

/* Writes text in double quotes. Bytes from 128 up are UTF-8 and are written unchanged. */
static void write_quoted(FILE *file, berth_str text)
{
    fputc('"', file);
    const char *from = text.data;
    const char *stop = text.data + text.len;
    for (const char *c = from; c < stop; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7f && !is_c1(c, stop))
            continue;
        fwrite(from, 1, (size_t)(c - from), file);
        if (byte == 0xc2)
            byte = (unsigned char)*++c;
        from = c + 1;
        if (byte == '"' || byte == '\\')
            fprintf(file, "\\%c", byte);
        else if (byte == '\n')
            fputs("\\n", file);
        else if (byte == '\t')
            fputs("\\t", file);
        else
            fprintf(file, "\\u%04x", byte);
    }
    if (from < stop)
        fwrite(from, 1, (size_t)(stop - from), file);
    fputc('"', file);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether YAML 1.1 and 1.2 both read the unquoted text as this text. */
static bool is_plain(berth_str text)
{
    static const char *const words[] = {"true", "false", "null", "yes", "no",
                                        "on",   "off",   "y",    "n"};
    if (text.len == 0 || !is_letter(text.data[0]))
        return false;
    for (uint32_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool digit = c >= '0' && c <= '9';
        if (!is_letter(c) && !digit && c != '-' && c != '_' && c != '.' && c != '/')
            return false;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (text.len == strlen(words[i]) && strncasecmp(text.data, words[i], text.len) == 0)
            return false;
    return true;
}

static void write_text(output *o, berth_str text)
{
    if (o->yaml && is_plain(text))
        fwrite(text.data, 1, text.len, o->file);
    else
        write_quoted(o->file, text);
}

void output_key_str(output *o, berth_str key)
{
    output_level *level = current(o);
    assert(level != NULL && !level->array && !o->keyed);
    separate(o, level);
    write_text(o, key);
    fputs(o->yaml ? ":" : ": ", o->file);
    o->keyed = true;
}

void output_key(output *o, const char *key)
{
    output_key_str(o, (berth_str){key, (uint32_t)strlen(key)});
}

void output_str(output *o, berth_str value)
{
    place(o, true);
    write_text(o, value);
}

void output_text(output *o, const char *value)
{
    output_str(o, (berth_str){value, (uint32_t)strlen(value)});
}

void output_int(output *o, int64_t value)
{
    place(o, true);
    fprintf(o->file, "%" PRId64, value);
}

void output_bool(output *o, bool value)
{
    place(o, true);
    fputs(value ? "true" : "false", o->file);
}

void output_real(output *o, double value, int decimals)
{
    place(o, true);
    fprintf(o->file, "%.*f", decimals, value);
}

void output_number(output *o, const char *text)
{
    place(o, true);
    fputs(text, o->file);
}

/* Why a long value was not written: stdio drops such bytes, so closing the file succeeds. */
static int lost_errno;

bool output_is_one_line(const output *o)
{
    return !o->yaml && o->depth >= o->flat_depth;
}

void output_json(output *o, berth_str text)
{
    assert(output_is_one_line(o));
    place(o, false);
    errno = 0;
    if (fwrite(text.data, 1, text.len, o->file) < text.len && lost_errno == 0)
        lost_errno = errno;
}

void output_schema(output *o, const char *name)
{
    char text[64];
    snprintf(text, sizeof(text), "berth.%s/v1", name);
    output_pair_text(o, "schema", text);
}

void output_pair_str(output *o, const char *key, berth_str value)
{
    output_key(o, key);
    output_str(o, value);
}

void output_pair_text(output *o, const char *key, const char *value)
{
    output_key(o, key);
    output_text(o, value);
}

void output_pair_int(output *o, const char *key, int64_t value)
{
    output_key(o, key);
    output_int(o, value);
}

void output_pair_real(output *o, const char *key, double value, int decimals)
{
    output_key(o, key);
    output_real(o, value, decimals);
}

int output_finish(int code)
{
    bool lost = ferror(stdout) != 0;
    errno = 0;
    if (fclose(stdout) == 0 && !lost)
        return code;
    if (errno == 0)
        errno = lost_errno;
    fprintf(stderr, "berth: standard output: %s\n",
            errno != 0 ? strerror(errno) : "some of it could not be written");
    return EXIT_INTERNAL;
}
