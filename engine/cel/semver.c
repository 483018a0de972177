/* Semantic versions 2.0.0, as github.com/blang/semver/v4 reads and orders them. Build metadata is
 * dropped. */
#include "cel/value.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_number(berth_str text)
{
    for (uint32_t i = 0; i < text.len; i++) {
        if (!is_digit(text.data[i]))
            return false;
    }
    return true;
}

static bool is_identifier(berth_str text)
{
    for (uint32_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (!is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '-')
            return false;
    }
    return true;
}

/* Cut off and return the part of `*rest` before a mark, dropping the mark; all of `*rest` if there
 * is no mark. */
static berth_str cut(berth_str *rest, char mark)
{
    const char *at = rest->len > 0 ? memchr(rest->data, mark, rest->len) : NULL;
    berth_str part = *rest;
    if (at == NULL) {
        *rest = (berth_str){0};
        return part;
    }
    part.len = (uint32_t)(at - rest->data);
    *rest = (berth_str){at + 1, rest->len - part.len - 1};
    return part;
}

static berth__cel_value wrong(berth__cel_run *run, const char *what, berth_str text)
{
    return berth__cel_error(run, "%s \"%.*s\"", what, (int)text.len, text.data);
}

/* Read a number of a version; `*out` is 0 before. Returns an error if it is not a number. */
static berth__cel_value number(berth__cel_run *run, berth_str text, const char *name, uint64_t *out)
{
    enum { WHAT_MAX = 64 };
    static const char *const texts[][2] = {
        {"Invalid character(s) found in major number",
         "Major number must not contain leading zeroes"},
        {"Invalid character(s) found in minor number",
         "Minor number must not contain leading zeroes"},
        {"Invalid character(s) found in patch number",
         "Patch number must not contain leading zeroes"},
    };
    const char *const *words = texts[*name == 'M' ? 0 : *name == 'm' ? 1 : 2];
    if (!is_number(text))
        return wrong(run, words[0], text);
    if (text.len > 1 && text.data[0] == '0')
        return wrong(run, words[1], text);
    for (uint32_t i = 0; i < text.len; i++) {
        if (__builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, (uint64_t)(text.data[i] - '0'), out))
            return berth__cel_error(run, "strconv.ParseUint: parsing \"%.*s\": value out of range",
                                    (int)text.len, text.data);
    }
    if (text.len == 0)
        return berth__cel_error(run, "strconv.ParseUint: parsing \"\": invalid syntax");
    return berth__cel_bool(true);
}

/* Check the identifiers of a prerelease or a build, which dots separate. */
static berth__cel_value identifiers(berth__cel_run *run, berth_str text, bool prerelease)
{
    bool more = true;
    while (more) {
        more = text.len > 0 && memchr(text.data, '.', text.len) != NULL;
        berth_str part = cut(&text, '.');
        if (part.len == 0)
            return berth__cel_error(run, prerelease ? "Prerelease is empty"
                                                    : "Build meta data is empty");
        if (!is_identifier(part))
            return wrong(run,
                         prerelease ? "Invalid character(s) found in prerelease"
                                    : "Invalid character(s) found in build meta data",
                         part);
        if (prerelease && part.len > 1 && part.data[0] == '0' && is_number(part))
            return wrong(run, "Numeric PreRelease version must not contain leading zeroes", part);
    }
    return berth__cel_bool(true);
}

static bool has(berth_str text, char mark)
{
    return text.len > 0 && memchr(text.data, mark, text.len) != NULL;
}

berth__cel_value berth__cel_semver_parse(berth__cel_run *run, berth_str text)
{
    static const char *const names[] = {"Major", "minor", "patch"};
    berth__cel_semver out = {.pre = {0}};
    if (text.len == 0)
        return berth__cel_error(run, "Version string empty");
    berth_str rest = text, parts[3];
    for (int i = 0; i < 2; i++) {
        if (!has(rest, '.'))
            return berth__cel_error(run, "No Major.Minor.Patch elements found");
        parts[i] = cut(&rest, '.');
    }
    bool has_build = has(rest, '+');
    berth_str build = rest, head = cut(&build, '+');
    bool has_pre = has(head, '-');
    berth_str pre = head;
    parts[2] = cut(&pre, '-');
    for (int i = 0; i < 3; i++) {
        berth__cel_value fine = number(run, parts[i], names[i], &out.parts[i]);
        if (berth__cel_failed(fine))
            return fine;
    }
    berth__cel_value fine = has_pre ? identifiers(run, pre, true) : berth__cel_bool(true);
    if (!berth__cel_failed(fine) && has_build)
        fine = identifiers(run, build, false);
    if (berth__cel_failed(fine))
        return fine;
    out.pre = has_pre ? pre : (berth_str){0};
    berth__cel_semver *kept = berth__cel_alloc(run, sizeof(*kept));
    if (kept == NULL)
        return berth__cel_stopped(run);
    *kept = out;
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_SEMVER, .semver = kept};
}

static int sign(bool less, bool more)
{
    return less ? -1 : more ? 1 : 0;
}

/* Numbers come before texts, and are ordered by value. */
static int compare_identifiers(berth_str a, berth_str b)
{
    bool numeric = is_number(a);
    if (numeric != is_number(b))
        return numeric ? -1 : 1;
    if (numeric && a.len != b.len)
        return a.len < b.len ? -1 : 1;
    int order = berth__str_cmp(a, b);
    return sign(order<0, order> 0);
}

int berth__cel_semver_compare(const berth__cel_semver *a, const berth__cel_semver *b)
{
    for (int i = 0; i < 3; i++) {
        if (a->parts[i] != b->parts[i])
            return a->parts[i] < b->parts[i] ? -1 : 1;
    }
    if (a->pre.len == 0 || b->pre.len == 0)
        return sign(a->pre.len > 0, b->pre.len > 0);
    berth_str left = a->pre, right = b->pre;
    while (left.len > 0 && right.len > 0) {
        int order = compare_identifiers(cut(&left, '.'), cut(&right, '.'));
        if (order != 0)
            return order;
    }
    return sign(left.len<right.len, left.len> right.len);
}
