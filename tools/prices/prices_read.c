/* Reads prices from a table or a map. Lines are split by hand, so that a price is exactly the
 * decimal in the file and an error can name the line. */
#include "prices/prices_read.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"

typedef enum column {
    COLUMN_TYPE,
    COLUMN_PRICE,
    COLUMN_CAPACITY,
    COLUMN_ZONE,
    COLUMN_COUNT,
} column;

/* A text being read. */
typedef struct reading {
    prices *p;
    berth_str text;
    uint32_t at;
    uint32_t line;
    column columns[COLUMN_COUNT]; /* of a table */
    uint32_t column_count;
} reading;

static berth_status wrong(const reading *r, berth_error *error, berth_status code,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));
static berth_status wrong(const reading *r, berth_error *error, berth_status code,
                          const char *format, ...)
{
    char text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    error_set(error, code, r->p->path, "%s", text);
    if (error != NULL)
        error->line = r->line;
    return code;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static berth_str trim(berth_str text)
{
    while (text.len > 0 && is_blank(text.data[0])) {
        text.data++;
        text.len--;
    }
    while (text.len > 0 && is_blank(text.data[text.len - 1]))
        text.len--;
    return text;
}

/* Removes quotes around a text. */
static berth_str unquote(berth_str text)
{
    if (text.len >= 2 && (text.data[0] == '"' || text.data[0] == '\'') &&
        text.data[text.len - 1] == text.data[0])
        return trim((berth_str){text.data + 1, text.len - 2});
    return text;
}

/* ---- a row ---- */

bool prices_key(berth_str type, const char *capacity_type, berth_str zone,
                char out[PRICE_KEY_BYTES])
{
    int len = snprintf(out, PRICE_KEY_BYTES, "%.*s\n%s\n%.*s", (int)type.len, type.data,
                       capacity_type, (int)zone.len, zone.len > 0 ? zone.data : "");
    return len > 0 && len < PRICE_KEY_BYTES;
}

/* Returns "spot", "on-demand" or "", also from the spelling of EKS' labels; NULL: not a capacity
 * type. */
static const char *capacity_of(berth_str text)
{
    static const char *const names[][2] = {{"", ""},
                                           {"spot", "spot"},
                                           {"SPOT", "spot"},
                                           {"on-demand", "on-demand"},
                                           {"ON_DEMAND", "on-demand"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (words_equal(text, words_of(names[i][0])))
            return names[i][1];
    return NULL;
}

static berth_status read_price(const reading *r, const price_words *row, money *out,
                               berth_error *error)
{
    if (!money_parse(row->price, out))
        return wrong(r, error, BERTH_E_INVALID,
                     "the price of %.*s is '%.*s', not a number such as 0.096: digits, and at most "
                     "%d after the point",
                     (int)row->type.len, row->type.data, (int)row->price.len, row->price.data,
                     MONEY_DECIMALS);
    if (*out > (money)PRICES_HIGHEST * MONEY_UNIT)
        return wrong(r, error, BERTH_E_RANGE, "the price of %.*s is above %d per hour",
                     (int)row->type.len, row->type.data, PRICES_HIGHEST);
    return BERTH_OK;
}

static berth_status add_row(reading *r, const price_words *row, berth_error *error)
{
    prices *p = r->p;
    money price = 0;
    char key[PRICE_KEY_BYTES];
    const char *capacity_type = capacity_of(row->capacity_type);
    if (row->type.len == 0)
        return wrong(r, error, BERTH_E_INVALID, "there is no instance type in it");
    TRY(read_price(r, row, &price, error));
    if (capacity_type == NULL)
        return wrong(r, error, BERTH_E_INVALID,
                     "the capacity type of %.*s is '%.*s', not spot or on-demand",
                     (int)row->type.len, row->type.data, (int)row->capacity_type.len,
                     row->capacity_type.data);
    if (memchr(row->type.data, '\0', row->type.len) != NULL ||
        !prices_key(row->type, capacity_type, row->zone, key))
        return wrong(r, error, BERTH_E_INVALID, "its names are longer than labels are, or broken");
    size_t known = p->keys.count;
    uint32_t number = word_table_add(&p->keys, words_of(key));
    if (number < known)
        return wrong(r, error, BERTH_E_EXISTS, "%.*s has a price already, in line %" PRIu32,
                     (int)row->type.len, row->type.data, p->rows[number].line);
    p->rows = heap_grow(p->rows, &p->capacity, p->keys.count, sizeof(*p->rows));
    p->rows[number] = (price_row){price, r->line};
    return BERTH_OK;
}

/* ---- lines ---- */

/* Reads the next line that is neither empty nor a comment; false: there is none. */
static bool next_line(reading *r, berth_str *out)
{
    while (r->at < r->text.len) {
        const char *from = r->text.data + r->at;
        const char *end = memchr(from, '\n', r->text.len - r->at);
        uint32_t len = end != NULL ? (uint32_t)(end - from) : r->text.len - r->at;
        r->at += len + (end != NULL);
        r->line++;
        *out = trim((berth_str){from, len});
        if (out->len > 0 && out->data[0] != '#' && !words_equal(*out, words_of("---")))
            return true;
    }
    return false;
}

/* ---- tables ---- */

/* Cuts the next cell off a row; false: there is none. */
static bool next_cell(berth_str *row, bool *more, berth_str *out)
{
    if (!*more)
        return false;
    const char *comma = row->len > 0 ? memchr(row->data, ',', row->len) : NULL;
    uint32_t len = comma != NULL ? (uint32_t)(comma - row->data) : row->len;
    *out = unquote(trim((berth_str){row->data, len}));
    *more = comma != NULL;
    *row = (berth_str){row->data + len + *more, row->len - len - *more};
    return true;
}

/* Recognizes a title, ignoring blanks and case. */
static bool title_of(berth_str text, column *out)
{
    static const struct {
        const char *title;
        column column;
    } titles[] = {{"instancetype", COLUMN_TYPE},     {"type", COLUMN_TYPE},
                  {"price", COLUMN_PRICE},           {"priceperhour", COLUMN_PRICE},
                  {"capacitytype", COLUMN_CAPACITY}, {"zone", COLUMN_ZONE},
                  {"region", COLUMN_ZONE},           {"zoneorregion", COLUMN_ZONE}};
    char small[32];
    size_t len = 0;
    for (uint32_t i = 0; i < text.len && len + 1 < sizeof(small); i++) {
        char c = text.data[i];
        if (c != ' ' && c != '_' && c != '-')
            small[len++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    small[len] = '\0';
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        if (strcmp(titles[i].title, small) == 0) {
            *out = titles[i].column;
            return true;
        }
    return false;
}

static berth_status read_titles(reading *r, berth_str row, berth_error *error)
{
    bool seen[COLUMN_COUNT] = {false};
    bool more = true;
    berth_str cell;
    r->column_count = 0;
    while (next_cell(&row, &more, &cell)) {
        column which;
        if (!title_of(cell, &which))
            return wrong(r, error, BERTH_E_INVALID,
                         "'%.*s' is no title: they are instance type, price per hour, capacity "
                         "type, and zone or region",
                         (int)cell.len, cell.data);
        if (seen[which])
            return wrong(r, error, BERTH_E_INVALID, "there are two columns '%.*s'", (int)cell.len,
                         cell.data);
        seen[which] = true;
        r->columns[r->column_count++] = which;
    }
    if (!seen[COLUMN_TYPE] || !seen[COLUMN_PRICE])
        return wrong(r, error, BERTH_E_INVALID,
                     "a title is missing: a table has an instance type and a price per hour");
    return BERTH_OK;
}

static berth_status read_row(reading *r, berth_str row, berth_error *error)
{
    berth_str cells[COLUMN_COUNT] = {{0}};
    uint32_t count = 0;
    bool more = true;
    berth_str cell;
    for (; next_cell(&row, &more, &cell); count++)
        if (count < r->column_count)
            cells[r->columns[count]] = cell;
    if (count < 2 || count > r->column_count)
        return wrong(r, error, BERTH_E_PARSE,
                     "a row is INSTANCE TYPE,PRICE[,CAPACITY TYPE[,ZONE OR REGION]], but this one "
                     "has %" PRIu32 " cell%s",
                     count, count == 1 ? "" : "s");
    const price_words words = {cells[COLUMN_TYPE], cells[COLUMN_PRICE], cells[COLUMN_CAPACITY],
                               cells[COLUMN_ZONE]};
    return add_row(r, &words, error);
}

/* Whether any cell is a title. Instance types are not. */
static bool is_titles(berth_str row)
{
    bool more = true;
    berth_str cell;
    column which;
    while (next_cell(&row, &more, &cell))
        if (title_of(cell, &which))
            return true;
    return false;
}

static berth_status read_table(reading *r, berth_str first, berth_error *error)
{
    for (uint32_t i = 0; i < COLUMN_COUNT; i++)
        r->columns[i] = (column)i;
    r->column_count = COLUMN_COUNT;
    berth_str row = first;
    bool any = true;
    if (is_titles(first)) {
        TRY(read_titles(r, first, error));
        any = next_line(r, &row);
    }
    for (; any; any = next_line(r, &row))
        TRY(read_row(r, row, error));
    return BERTH_OK;
}

/* ---- maps ---- */

/* Removes a comment at the end. */
static berth_str uncomment(berth_str text)
{
    for (uint32_t i = 1; i < text.len; i++)
        if (text.data[i] == '#' && is_blank(text.data[i - 1]))
            return trim((berth_str){text.data, i});
    return text;
}

static berth_status read_pair(reading *r, berth_str pair, berth_error *error)
{
    const char *colon = pair.len > 0 ? memrchr(pair.data, ':', pair.len) : NULL;
    if (colon == NULL)
        return wrong(r, error, BERTH_E_PARSE, "'%.*s' is not INSTANCE TYPE: PRICE",
                     pair.len < 100 ? (int)pair.len : 100, pair.data);
    uint32_t len = (uint32_t)(colon - pair.data);
    const price_words words = {
        .type = unquote(trim((berth_str){pair.data, len})),
        .price = trim((berth_str){colon + 1, pair.len - len - 1}),
    };
    return add_row(r, &words, error);
}

static berth_status read_map(reading *r, berth_str first, berth_error *error)
{
    berth_str line = first;
    bool any = true;
    for (; any; any = next_line(r, &line))
        TRY(read_pair(r, uncomment(line), error));
    return BERTH_OK;
}

/* ---- objects of JSON ---- */

static void skip_blanks(reading *r)
{
    for (; r->at < r->text.len; r->at++) {
        char c = r->text.data[r->at];
        if (c != '\n' && !is_blank(c))
            return;
        r->line += c == '\n';
    }
}

static bool take(reading *r, char wanted)
{
    skip_blanks(r);
    if (r->at == r->text.len || r->text.data[r->at] != wanted)
        return false;
    r->at++;
    return true;
}

/* Reads up to one of `ends`: the rest of a string, or a number. */
static berth_str take_until(reading *r, const char *ends)
{
    berth_str out = {r->text.data + r->at, 0};
    while (r->at < r->text.len && strchr(ends, r->text.data[r->at]) == NULL)
        r->at++;
    out.len = (uint32_t)(r->text.data + r->at - out.data);
    return out;
}

static berth_status read_member(reading *r, berth_error *error)
{
    static const char expected[] = "expected \"INSTANCE TYPE\": PRICE, as in {\"m5.large\": 0.096}";
    price_words words = {.type = {0}};
    if (!take(r, '"'))
        return wrong(r, error, BERTH_E_PARSE, "%s", expected);
    words.type = take_until(r, "\"\\\n");
    if (!take(r, '"') || !take(r, ':'))
        return wrong(r, error, BERTH_E_PARSE, "%s", expected);
    skip_blanks(r);
    words.price = take_until(r, ",}\n \t\r");
    return add_row(r, &words, error);
}

static berth_status read_json(reading *r, berth_error *error)
{
    r->line = 1;
    r->at = 0;
    (void)take(r, '{');
    if (!take(r, '}')) {
        do
            TRY(read_member(r, error));
        while (take(r, ','));
        if (!take(r, '}'))
            return wrong(r, error, BERTH_E_PARSE, "expected ',' or '}'");
    }
    skip_blanks(r);
    if (r->at < r->text.len)
        return wrong(r, error, BERTH_E_PARSE, "there is something behind the closing brace");
    return BERTH_OK;
}

/* ---- the whole file ---- */

berth_status prices_read_text(prices *p, berth_str text, berth_error *error)
{
    reading r = {.p = p, .text = text};
    berth_str first = {0};
    if (text.len >= 3 &&
        memcmp(text.data, "\xef\xbb\xbf", 3) == 0) /* byte order mark of a spreadsheet */
        r.text = (berth_str){text.data + 3, text.len - 3};
    if (next_line(&r, &first)) {
        berth_status status = first.data[0] == '{' ? read_json(&r, error)
                              : memchr(first.data, ',', first.len) != NULL
                                  ? read_table(&r, first, error)
                                  : read_map(&r, first, error);
        TRY(status);
    }
    if (p->keys.count == 0)
        return error_set(error, BERTH_E_INVALID, p->path, "there are no prices in it");
    return BERTH_OK;
}
