/* Reads the preferAvoidPods annotation. Its value is a JSON text inside a string, so the reader of
 * objects passes it on unread. This small reader checks the whole text against the few types that
 * it may hold and picks out two members. As in Go, member names match in any case, null leaves a
 * member as it was, and unknown members may hold anything. */
#include "model/avoid_pods.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

enum { DEPTH_MAX = 64, STRING_MAX = 512 };

typedef enum type { TYPE_ANY, TYPE_STRING, TYPE_BOOL, TYPE_OBJECT, TYPE_ARRAY } type;

/* What the search must do with a value. */
typedef enum role { ROLE_NONE, ROLE_LIST, ROLE_ENTRY, ROLE_KIND, ROLE_UID } role;

typedef struct shape {
    type type;
    role role;
    const char *const *names;           /* names of an object's members, ending with NULL */
    const struct shape *const *members; /* their shapes, in the same order */
    const struct shape *element;        /* shape of an array's elements */
} shape;

static const shape any = {.type = TYPE_ANY};
static const shape text = {.type = TYPE_STRING};
static const shape flag = {.type = TYPE_BOOL};
static const shape kind_text = {.type = TYPE_STRING, .role = ROLE_KIND};
static const shape uid_text = {.type = TYPE_STRING, .role = ROLE_UID};

static const shape controller = {
    .type = TYPE_OBJECT,
    .names = (const char *const[]){"apiVersion", "kind", "name", "uid", "controller",
                                   "blockOwnerDeletion", NULL},
    .members = (const shape *const[]){&text, &kind_text, &text, &uid_text, &flag, &flag},
};
static const shape signature = {
    .type = TYPE_OBJECT,
    .names = (const char *const[]){"podController", NULL},
    .members = (const shape *const[]){&controller},
};
static const shape avoid_entry = {
    .type = TYPE_OBJECT,
    .role = ROLE_ENTRY,
    .names = (const char *const[]){"podSignature", "evictionTime", "reason", "message", NULL},
    .members = (const shape *const[]){&signature, &text, &text, &text},
};
static const shape avoid_list = {.type = TYPE_ARRAY, .role = ROLE_LIST, .element = &avoid_entry};
static const shape avoid_pods = {
    .type = TYPE_OBJECT,
    .names = (const char *const[]){"preferAvoidPods", NULL},
    .members = (const shape *const[]){&avoid_list},
};

typedef struct scan {
    const char *at;
    const char *end;
    berth_str kind;
    berth_str uid;
    bool kind_equal; /* of the current entry */
    bool uid_equal;
    bool found;
    char string[STRING_MAX]; /* the last string read; longer ones are cut, and match nothing */
    size_t string_len;
} scan;

static void skip_blanks(scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
        s->at++;
}

static bool accept(scan *s, char c)
{
    skip_blanks(s);
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

static bool accept_word(scan *s, const char *word)
{
    size_t len = strlen(word);
    if ((size_t)(s->end - s->at) < len || memcmp(s->at, word, len) != 0)
        return false;
    s->at += len;
    return true;
}

/* ---- strings ---- */

static void put_byte(scan *s, unsigned byte)
{
    if (s->string_len < STRING_MAX)
        s->string[s->string_len] = (char)byte;
    s->string_len++;
}

static void put_code_point(scan *s, uint32_t c)
{
    if (c < 0x80) {
        put_byte(s, c);
    } else if (c < 0x800) {
        put_byte(s, 0xC0 | c >> 6);
        put_byte(s, 0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put_byte(s, 0xE0 | c >> 12);
        put_byte(s, 0x80 | (c >> 6 & 0x3F));
        put_byte(s, 0x80 | (c & 0x3F));
    } else {
        put_byte(s, 0xF0 | c >> 18);
        put_byte(s, 0x80 | (c >> 12 & 0x3F));
        put_byte(s, 0x80 | (c >> 6 & 0x3F));
        put_byte(s, 0x80 | (c & 0x3F));
    }
}

static bool read_hex(scan *s, uint32_t *out)
{
    *out = 0;
    if (s->end - s->at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        char c = *s->at++;
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                : 16;
        if (digit == 16)
            return false;
        *out = *out << 4 | digit;
    }
    return true;
}

/* The rest of \uXXXX. A surrogate without its partner reads as U+FFFD. */
static bool read_unicode(scan *s)
{
    uint32_t high, low;
    if (!read_hex(s, &high))
        return false;
    if (high >= 0xD800 && high < 0xDC00 && s->end - s->at >= 6 && memcmp(s->at, "\\u", 2) == 0) {
        const char *before = s->at;
        s->at += 2;
        if (!read_hex(s, &low))
            return false;
        if (low >= 0xDC00 && low < 0xE000) {
            put_code_point(s, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
            return true;
        }
        s->at = before;
    }
    put_code_point(s, high >= 0xD800 && high < 0xE000 ? 0xFFFD : high);
    return true;
}

static bool read_escape(scan *s)
{
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    if (s->at == s->end)
        return false;
    char c = *s->at++;
    if (c == 'u')
        return read_unicode(s);
    const char *name = c != '\0' ? strchr(names, c) : NULL;
    if (name == NULL)
        return false;
    put_byte(s, (unsigned char)bytes[name - names]);
    return true;
}

static bool read_string(scan *s)
{
    s->string_len = 0;
    if (!accept(s, '"'))
        return false;
    while (s->at < s->end) {
        unsigned char c = (unsigned char)*s->at++;
        if (c == '"')
            return true;
        if (c < 0x20 || (c == '\\' && !read_escape(s)))
            return false;
        if (c != '\\')
            put_byte(s, c);
    }
    return false;
}

static bool string_equals(const scan *s, berth_str value)
{
    return s->string_len <= STRING_MAX && s->string_len == value.len &&
           memcmp(s->string, value.len > 0 ? value.data : "", value.len) == 0;
}

/* ---- values ---- */

static bool read_digits(scan *s)
{
    const char *first = s->at;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return s->at > first;
}

static bool read_number(scan *s)
{
    if (s->at < s->end && *s->at == '-')
        s->at++;
    const char *first = s->at;
    if (!read_digits(s) || (*first == '0' && s->at - first > 1))
        return false;
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        if (!read_digits(s))
            return false;
    }
    if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
        s->at++;
        if (s->at < s->end && (*s->at == '+' || *s->at == '-'))
            s->at++;
        return read_digits(s);
    }
    return true;
}

static bool read_value(scan *s, const shape *wanted, unsigned depth);

static const shape *member_shape(const scan *s, const shape *object)
{
    for (uint32_t i = 0; object->names != NULL && object->names[i] != NULL; i++)
        if (s->string_len == strlen(object->names[i]) &&
            strncasecmp(s->string, object->names[i], s->string_len) == 0)
            return object->members[i];
    return &any;
}

static bool read_object(scan *s, const shape *wanted, unsigned depth)
{
    if (wanted->role == ROLE_ENTRY)
        s->kind_equal = s->uid_equal = false;
    if (!accept(s, '{'))
        return false;
    if (!accept(s, '}')) {
        do {
            skip_blanks(s);
            if (!read_string(s))
                return false;
            const shape *member = member_shape(s, wanted);
            if (!accept(s, ':') || !read_value(s, member, depth))
                return false;
        } while (accept(s, ','));
        if (!accept(s, '}'))
            return false;
    }
    if (wanted->role == ROLE_ENTRY)
        s->found |= s->kind_equal && s->uid_equal;
    return true;
}

static bool read_array(scan *s, const shape *wanted, unsigned depth)
{
    if (wanted->role == ROLE_LIST)
        s->found = false; /* if a list occurs twice, the last one counts */
    if (!accept(s, '['))
        return false;
    if (accept(s, ']'))
        return true;
    do {
        if (!read_value(s, wanted->element != NULL ? wanted->element : &any, depth))
            return false;
    } while (accept(s, ','));
    return accept(s, ']');
}

static bool is_type(const shape *wanted, type found)
{
    return wanted->type == TYPE_ANY || wanted->type == found;
}

static bool read_value(scan *s, const shape *wanted, unsigned depth)
{
    skip_blanks(s);
    if (s->at == s->end || depth > DEPTH_MAX)
        return false;
    switch (*s->at) {
    case '{':
        return is_type(wanted, TYPE_OBJECT) && read_object(s, wanted, depth + 1);
    case '[':
        return is_type(wanted, TYPE_ARRAY) && read_array(s, wanted, depth + 1);
    case '"':
        if (!is_type(wanted, TYPE_STRING) || !read_string(s))
            return false;
        if (wanted->role == ROLE_KIND)
            s->kind_equal = string_equals(s, s->kind);
        if (wanted->role == ROLE_UID)
            s->uid_equal = string_equals(s, s->uid);
        return true;
    case 't':
        return is_type(wanted, TYPE_BOOL) && accept_word(s, "true");
    case 'f':
        return is_type(wanted, TYPE_BOOL) && accept_word(s, "false");
    case 'n':
        return accept_word(s, "null");
    default:
        return wanted->type == TYPE_ANY && read_number(s);
    }
}

bool berth__avoid_pods_lists(berth_str annotation, berth_str kind, berth_str uid)
{
    scan s = {
        .at = annotation.data, .end = annotation.data + annotation.len, .kind = kind, .uid = uid};
    if (annotation.len == 0 || !read_value(&s, &avoid_pods, 0))
        return false;
    skip_blanks(&s);
    return s.at == s.end && s.found;
}
