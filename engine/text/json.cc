/* JSON text to a tree, with simdjson. Its first stage finds the structure of a whole text with the
 * widest vectors of the machine. Its on-demand iterator returns every token as written, so numbers
 * keep their digits. If simdjson refuses a text, json_fault.c finds where and why. */
#include <simdjson.h>

#include <endian.h>

#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
#include "base/error.h"
#include "base/memory.h"
#include "text/json.h"
#include "text/json_fault.h"
}

namespace ondemand = simdjson::ondemand;

struct berth__json_parser {
    const berth_allocator *allocator;
    ondemand::parser parser;
    size_t capacity;           /* bytes of text that `parser` is ready for */
    berth__json_member *stack; /* members and elements of the open containers */
    uint32_t stack_count;
    uint32_t stack_capacity;
};

namespace
{

constexpr uint32_t DEPTH_MAX = 1024;
constexpr size_t CAPACITY_MIN = 64 << 10;

enum class outcome { ok, malformed, no_memory };

struct builder {
    berth__json_parser *parser;
    berth__arena *arena;

    outcome value(ondemand::value source, uint32_t slot, uint32_t depth);
    outcome object(ondemand::value source, uint32_t slot, uint32_t depth);
    outcome array(ondemand::value source, uint32_t slot, uint32_t depth);
    outcome scalar(std::string_view token, berth__json *out);
    outcome quoted(const char *first, berth_str *out);
    outcome string(const char *first, const char *last, berth_str *out);
    bool push(uint32_t *slot);
    berth__json_member *at(uint32_t slot)
    {
        return &parser->stack[slot];
    }
};

std::string_view trim(std::string_view token)
{
    auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
    while (!token.empty() && is_blank(token.back()))
        token.remove_suffix(1);
    return token;
}

/* The JSON grammar of a number. simdjson does not check tokens that are requested raw. */
bool is_number(std::string_view token)
{
    const char *at = token.data();
    const char *end = at + token.size();
    auto digits = [&] {
        const char *from = at;
        while (at < end && *at >= '0' && *at <= '9')
            at++;
        return at > from;
    };
    if (at < end && *at == '-')
        at++;
    if (at < end && *at == '0')
        at++;
    else if (!digits())
        return false;
    if (at < end && *at == '.') {
        at++;
        if (!digits())
            return false;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-'))
            at++;
        if (!digits())
            return false;
    }
    return at == end;
}

/* The code unit of four hexadecimal digits, or -1. */
int code_unit(const char *at, const char *last)
{
    if (last - at < 4)
        return -1;
    int unit = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

char *put_utf8(char *out, uint32_t point)
{
    if (point < 0x80) {
        *out++ = static_cast<char>(point);
    } else if (point < 0x800) {
        *out++ = static_cast<char>(0xc0 | point >> 6);
        *out++ = static_cast<char>(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
        *out++ = static_cast<char>(0xe0 | point >> 12);
        *out++ = static_cast<char>(0x80 | (point >> 6 & 0x3f));
        *out++ = static_cast<char>(0x80 | (point & 0x3f));
    } else {
        *out++ = static_cast<char>(0xf0 | point >> 18);
        *out++ = static_cast<char>(0x80 | (point >> 12 & 0x3f));
        *out++ = static_cast<char>(0x80 | (point >> 6 & 0x3f));
        *out++ = static_cast<char>(0x80 | (point & 0x3f));
    }
    return out;
}

/* Read the escape after a backslash at `at` and write the character. Returns NULL if the escape is
 * malformed. A lone half of a surrogate pair reads as U+FFFD, as in Go's decoder. */
const char *unescape(const char *at, const char *last, char **out)
{
    static const char plain[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    if (at >= last)
        return nullptr;
    char kind = *at++;
    if (kind != 'u') {
        for (const char *pair = plain; *pair != '\0'; pair += 2) {
            if (*pair == kind) {
                *(*out)++ = pair[1];
                return at;
            }
        }
        return nullptr;
    }
    int unit = code_unit(at, last);
    if (unit < 0)
        return nullptr;
    at += 4;
    uint32_t point = static_cast<uint32_t>(unit);
    if (point >= 0xd800 && point < 0xe000) {
        int low = point < 0xdc00 && last - at >= 6 && at[0] == '\\' && at[1] == 'u'
                      ? code_unit(at + 2, last)
                      : -1;
        if (low >= 0xdc00 && low < 0xe000) {
            point = 0x10000 + ((point - 0xd800) << 10) + (static_cast<uint32_t>(low) - 0xdc00);
            at += 6;
        } else {
            point = 0xfffd;
        }
    }
    *out = put_utf8(*out, point);
    return at;
}

/* The text between two quotes. Escapes, which only ever shorten it, are resolved in a copy. */
outcome builder::string(const char *first, const char *last, berth_str *out)
{
    size_t len = static_cast<size_t>(last - first);
    const char *escape = static_cast<const char *>(memchr(first, '\\', len));
    if (escape == nullptr) {
        *out = {first, static_cast<uint32_t>(len)};
        return outcome::ok;
    }
    char *copy = static_cast<char *>(berth__arena_alloc(arena, len, 1));
    if (copy == nullptr)
        return outcome::no_memory;
    char *to = copy;
    while (escape != nullptr) {
        size_t plain = static_cast<size_t>(escape - first);
        memcpy(to, first, plain);
        to += plain;
        first = unescape(escape + 1, last, &to);
        if (first == nullptr)
            return outcome::malformed;
        escape = static_cast<const char *>(memchr(first, '\\', static_cast<size_t>(last - first)));
    }
    memcpy(to, first, static_cast<size_t>(last - first));
    to += last - first;
    *out = {copy, static_cast<uint32_t>(to - copy)};
    return outcome::ok;
}

/* The closing quote of the text that begins at `first`. simdjson has checked that there is one. */
const char *closing_quote(const char *first)
{
    const char *quote = first;
    for (;;) {
        quote = static_cast<const char *>(rawmemchr(quote, '"'));
        const char *slash = quote;
        while (slash > first && slash[-1] == '\\')
            slash--;
        if ((quote - slash) % 2 == 0)
            return quote;
        quote++;
    }
}

/* Finds byte `c` among eight bytes, the lowest first: the lowest set bit lies in the first such
 * byte; no bit is set if there is none. Higher bits may be wrong. */
uint64_t bytes_that_are(uint64_t word, char c)
{
    uint64_t other = word ^ (UINT64_C(0x0101010101010101) * static_cast<unsigned char>(c));
    return (other - UINT64_C(0x0101010101010101)) & ~other & UINT64_C(0x8080808080808080);
}

/* The text after an opening quote, up to the closing quote. Most texts are short and have no
 * escapes. Reads eight bytes at a time, which the padding after the whole text allows. */
outcome builder::quoted(const char *first, berth_str *out)
{
    for (const char *from = first;; from += 8) {
        uint64_t word;
        memcpy(&word, from, sizeof(word));
        word = le64toh(word);
        uint64_t quotes = bytes_that_are(word, '"');
        uint64_t slashes = bytes_that_are(word, '\\');
        if ((quotes | slashes) == 0)
            continue;
        if (slashes != 0 && (quotes == 0 || (slashes & (~slashes + 1)) < (quotes & (~quotes + 1))))
            return string(first, closing_quote(first), out);
        const char *quote = from + __builtin_ctzll(quotes) / 8;
        *out = {first, static_cast<uint32_t>(quote - first)};
        return outcome::ok;
    }
}

outcome builder::scalar(std::string_view token, berth__json *out)
{
    *out = {};
    if (!token.empty() && token.front() == '"') {
        out->type = BERTH__JSON_STRING;
        return quoted(token.data() + 1, &out->as.text);
    }
    token = trim(token);
    if (token.empty())
        return outcome::malformed;
    if (token == "true" || token == "false") {
        out->type = BERTH__JSON_BOOL;
        out->count = token.front() == 't';
        return outcome::ok;
    }
    if (token == "null")
        return outcome::ok;
    out->type = BERTH__JSON_NUMBER;
    out->as.text = {token.data(), static_cast<uint32_t>(token.size())};
    return is_number(token) ? outcome::ok : outcome::malformed;
}

/* A slot on top of the stack. Its address changes as the stack grows, its number does not. Values
 * are written to their final place on the stack until their container is closed: copying a value
 * that was just written, with loads wider than the stores, costs more than making it. */
inline bool builder::push(uint32_t *slot)
{
    if (parser->stack_count == parser->stack_capacity &&
        !berth__grow(parser->allocator, &parser->stack, &parser->stack_capacity,
                     parser->stack_count + 1, sizeof(*parser->stack)))
        return false;
    *slot = parser->stack_count++;
    return true;
}

outcome builder::object(ondemand::value source, uint32_t slot, uint32_t depth)
{
    uint32_t base = parser->stack_count;
    ondemand::object members;
    if (source.get_object().get(members) != simdjson::SUCCESS)
        return outcome::malformed;
    for (auto field : members) {
        ondemand::value child;
        ondemand::raw_json_string raw;
        uint32_t member;
        if (field.key().get(raw) != simdjson::SUCCESS)
            return outcome::malformed;
        if (!push(&member))
            return outcome::no_memory;
        outcome done = quoted(raw.raw(), &at(member)->key);
        if (done != outcome::ok)
            return done;
        if (field.value().get(child) != simdjson::SUCCESS)
            return outcome::malformed;
        done = value(child, member, depth);
        if (done != outcome::ok)
            return done;
    }
    uint32_t count = parser->stack_count - base;
    size_t bytes = count * sizeof(berth__json_member);
    void *kept = berth__arena_alloc(arena, bytes, alignof(berth__json_member));
    if (kept == nullptr)
        return outcome::no_memory;
    if (count > 0)
        memcpy(kept, parser->stack + base, bytes);
    parser->stack_count = base;
    berth__json *out = &at(slot)->value;
    out->type = BERTH__JSON_OBJECT;
    out->line = 0;
    out->count = count;
    out->as.members = static_cast<berth__json_member *>(kept);
    return outcome::ok;
}

outcome builder::array(ondemand::value source, uint32_t slot, uint32_t depth)
{
    uint32_t base = parser->stack_count;
    ondemand::array elements;
    if (source.get_array().get(elements) != simdjson::SUCCESS)
        return outcome::malformed;
    for (auto element : elements) {
        ondemand::value child;
        uint32_t item;
        if (element.get(child) != simdjson::SUCCESS)
            return outcome::malformed;
        if (!push(&item))
            return outcome::no_memory;
        outcome done = value(child, item, depth);
        if (done != outcome::ok)
            return done;
    }
    uint32_t count = parser->stack_count - base;
    berth__json *kept = static_cast<berth__json *>(
        berth__arena_alloc(arena, count * sizeof(berth__json), alignof(berth__json)));
    if (kept == nullptr)
        return outcome::no_memory;
    for (uint32_t i = 0; i < count; i++)
        kept[i] = parser->stack[base + i].value;
    parser->stack_count = base;
    berth__json *out = &at(slot)->value;
    out->type = BERTH__JSON_ARRAY;
    out->line = 0;
    out->count = count;
    out->as.items = kept;
    return outcome::ok;
}

outcome builder::value(ondemand::value source, uint32_t slot, uint32_t depth)
{
    ondemand::json_type type;
    if (source.type().get(type) != simdjson::SUCCESS || depth >= DEPTH_MAX)
        return outcome::malformed;
    switch (type) {
    case ondemand::json_type::object:
        return object(source, slot, depth + 1);
    case ondemand::json_type::array:
        return array(source, slot, depth + 1);
    default: {
        berth__json *out = &at(slot)->value;
        outcome done = scalar(source.raw_json_token(), out);
        /* Looking at a raw token does not consume it, and skipping would take a string in front of
         * a colon for a key. */
        if (done == outcome::ok && out->type == BERTH__JSON_STRING &&
            source.get_raw_json_string().error() != simdjson::SUCCESS)
            return outcome::malformed;
        return done;
    }
    }
}

outcome build_document(berth__json_parser *parser, berth__arena *arena, const char *text,
                       size_t len, size_t allocated, berth__json *out)
{
    builder build = {parser, arena};
    ondemand::document document;
    ondemand::json_type type;
    simdjson::error_code failed = parser->parser.iterate(text, len, allocated).get(document);
    if (failed == simdjson::MEMALLOC)
        return outcome::no_memory;
    if (failed != simdjson::SUCCESS || document.type().get(type) != simdjson::SUCCESS)
        return outcome::malformed;
    if (type != ondemand::json_type::object && type != ondemand::json_type::array) {
        std::string_view token;
        if (document.raw_json_token().get(token) != simdjson::SUCCESS ||
            token.data() + token.size() != text + len)
            return outcome::malformed;
        return build.scalar(token, out);
    }
    ondemand::value root;
    uint32_t slot;
    if (document.get_value().get(root) != simdjson::SUCCESS)
        return outcome::malformed;
    if (!build.push(&slot))
        return outcome::no_memory;
    outcome done = build.value(root, slot, 0);
    *out = build.at(slot)->value;
    if (done == outcome::ok && document.current_location().error() != simdjson::OUT_OF_BOUNDS)
        return outcome::malformed;
    return done;
}

/* Make simdjson's buffers large enough. They only grow, so items of one size cost nothing. */
bool reserve(berth__json_parser *parser, size_t len)
{
    if (len <= parser->capacity)
        return true;
    size_t capacity = parser->capacity == 0 ? CAPACITY_MIN : parser->capacity;
    while (capacity < len)
        capacity *= 2;
    if (parser->parser.allocate(capacity, DEPTH_MAX + 1) != simdjson::SUCCESS) {
        parser->capacity = 0;
        return false;
    }
    parser->capacity = capacity;
    return true;
}

/* Let simdjson choose its implementation. It would do so at the first text, in functions that may
 * not throw, but its names are strings of the heap: without memory the process would end. Memory
 * that was there a moment ago is enough for them. Returns false if there is none. */
bool choose_implementation()
{
    constexpr size_t NAMES_BYTES = 16 << 10;
    void *volatile probe = std::malloc(NAMES_BYTES); /* volatile: compilers leave out unused ones */
    std::free(probe);
    if (probe == nullptr)
        return false;
    try {
        return !simdjson::get_active_implementation()->name().empty();
    } catch (const std::bad_alloc &) {
        return false;
    }
}

} // namespace

extern "C" berth_status berth__json_parser_create(const berth_allocator *allocator,
                                                  berth__json_parser **out)
{
    if (!choose_implementation())
        return BERTH_E_NOMEM;
    void *memory = berth__alloc(allocator, sizeof(berth__json_parser), alignof(berth__json_parser));
    if (memory == nullptr)
        return BERTH_E_NOMEM;
    berth__json_parser *parser = new (memory) berth__json_parser();
    parser->allocator = allocator;
    *out = parser;
    return BERTH_OK;
}

extern "C" void berth__json_parser_destroy(berth__json_parser *parser)
{
    if (parser == nullptr)
        return;
    const berth_allocator *allocator = parser->allocator;
    berth__free(allocator, parser->stack, parser->stack_capacity * sizeof(*parser->stack));
    parser->~berth__json_parser();
    berth__free(allocator, parser, sizeof(*parser));
}

static_assert(BERTH__JSON_PADDING >= simdjson::SIMDJSON_PADDING, "what simdjson may read");

extern "C" berth_status berth__json_parse_padded(berth__json_parser *parser, berth__arena *arena,
                                                 berth_str text, const berth__json **out,
                                                 berth_error *error)
{
    berth__json *root =
        static_cast<berth__json *>(berth__arena_alloc(arena, sizeof(*root), alignof(berth__json)));
    outcome done = outcome::no_memory;
    if (root != nullptr && reserve(parser, text.len))
        done = build_document(parser, arena, text.data, text.len,
                              static_cast<size_t>(text.len) + BERTH__JSON_PADDING, root);
    parser->stack_count = 0;
    if (done == outcome::no_memory)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory while reading JSON");
    if (done == outcome::malformed)
        return berth__json_fault(text, error);
    *out = root;
    return BERTH_OK;
}

extern "C" berth_status berth__json_parse(berth__json_parser *parser, berth__arena *arena,
                                          berth_str text, const berth__json **out,
                                          berth_error *error)
{
    size_t len = text.len;
    char *padded = static_cast<char *>(berth__arena_alloc(arena, len + BERTH__JSON_PADDING, 64));
    if (padded == nullptr)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory while reading JSON");
    if (len > 0)
        memcpy(padded, text.data, len);
    memset(padded + len, 0, BERTH__JSON_PADDING);
    return berth__json_parse_padded(parser, arena, {padded, text.len}, out, error);
}

extern "C" const berth__json *berth__json_member_of(const berth__json *value, const char *key,
                                                    size_t len)
{
    if (value == nullptr || value->type != BERTH__JSON_OBJECT)
        return nullptr;
    for (uint32_t i = value->count; i-- > 0;) {
        const berth__json_member *member = &value->as.members[i];
        if (berth__json_key_is(member->key, key, len))
            return member->value.type == BERTH__JSON_NULL ? nullptr : &member->value;
    }
    return nullptr;
}
