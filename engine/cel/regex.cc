/* Regular expressions by RE2. No exception leaves this file: a failed C++ allocation becomes an
 * error. */
#include <re2/re2.h>

#include <cstdio>
#include <new>

extern "C" {
#include "cel/regex.h"
}

struct berth__cel_pattern {
    RE2 re;
    berth__cel_pattern(const re2::StringPiece &text, const RE2::Options &options)
        : re(text, options)
    {
    }
};

namespace
{

constexpr int64_t MEMORY_MAX = 1 << 20; /* for the program and its automata */

const char *words_of(RE2::ErrorCode code)
{
    switch (code) {
    case RE2::ErrorBadEscape:
        return "invalid escape sequence";
    case RE2::ErrorBadCharClass:
        return "invalid character class";
    case RE2::ErrorBadCharRange:
        return "invalid character class range";
    case RE2::ErrorMissingBracket:
        return "missing closing ]";
    case RE2::ErrorMissingParen:
        return "missing closing )";
    case RE2::ErrorUnexpectedParen:
        return "unexpected )";
    case RE2::ErrorTrailingBackslash:
        return "trailing backslash at end of expression";
    case RE2::ErrorRepeatArgument:
        return "missing argument to repetition operator";
    case RE2::ErrorRepeatSize:
        return "invalid repeat count";
    case RE2::ErrorRepeatOp:
        return "invalid nested repetition operator";
    case RE2::ErrorBadPerlOp:
        return "invalid or unsupported Perl syntax";
    case RE2::ErrorBadUTF8:
        return "invalid UTF-8";
    case RE2::ErrorBadNamedCapture:
        return "invalid named capture";
    case RE2::ErrorPatternTooLarge:
        return "expression too large";
    default:
        return "internal error";
    }
}

void explain(const RE2 &re, berth__cel_pattern_problem *problem)
{
    snprintf(problem->text, sizeof(problem->text), "error parsing regexp: %s: `%s`",
             words_of(re.error_code()), re.error_arg().c_str());
}

/* Whether a pattern has \C, any byte, which RE2 knows and Go does not. Escapes between \Q and \E
 * are plain text. */
bool has_any_byte(re2::StringPiece text)
{
    bool plain = false;
    for (size_t i = 0; i + 1 < text.size(); i++) {
        if (text[i] != '\\')
            continue;
        char c = text[i + 1];
        if (plain ? c == 'E' : c == 'Q')
            plain = !plain;
        else if (plain)
            continue; /* the next character may begin \E */
        else if (c == 'C')
            return true;
        i++;
    }
    return false;
}

} // namespace

extern "C" bool berth__cel_pattern_known(void)
{
    return true;
}

extern "C" berth_status berth__cel_pattern_compile(berth_str text, berth__cel_pattern **out,
                                                   berth__cel_pattern_problem *problem)
try {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(MEMORY_MAX);
    if (has_any_byte(re2::StringPiece(text.data, text.len))) {
        snprintf(problem->text, sizeof(problem->text),
                 "error parsing regexp: invalid escape sequence: `\\C`");
        return BERTH_E_PARSE;
    }
    auto *pattern = new berth__cel_pattern(re2::StringPiece(text.data, text.len), options);
    if (!pattern->re.ok()) {
        explain(pattern->re, problem);
        delete pattern;
        return BERTH_E_PARSE;
    }
    *out = pattern;
    return BERTH_OK;
} catch (const std::exception &) {
    return BERTH_E_NOMEM;
}

extern "C" void berth__cel_pattern_destroy(berth__cel_pattern *pattern)
{
    delete pattern;
}

extern "C" berth_status berth__cel_pattern_find(const berth__cel_pattern *pattern, berth_str text,
                                                uint32_t from, berth_str *match)
try {
    re2::StringPiece whole(text.data != nullptr ? text.data : "", text.len), found;
    if (!pattern->re.Match(whole, from, text.len, RE2::UNANCHORED, &found, 1))
        return BERTH_E_NOT_FOUND;
    *match = berth_str{found.data(), static_cast<uint32_t>(found.size())};
    return BERTH_OK;
} catch (const std::exception &) {
    return BERTH_E_NOMEM;
}
