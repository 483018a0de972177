/* Finds the end of a JSON value by its quotes and brackets. Blocks of 64 bytes become bit masks (by
 * SSE2, which every x86-64 has, or by plain loops). From the quotes that no backslash escapes, a
 * running exclusive or computes a mask of the bytes inside strings. The brackets outside strings
 * are counted. Only a block in which the value may end is walked bit by bit. */
#include "text/bracket_scan.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { BLOCK = 64, DEPTH_MAX = 1024 };

typedef struct masks {
    uint64_t quote;
    uint64_t backslash;
    uint64_t open;  /* [ and { */
    uint64_t close; /* ] and } */
} masks;

#if defined(__SSE2__)

static inline uint64_t equal16(__m128i bytes, char c)
{
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
}

static inline masks find_masks(const char *text)
{
    masks m = {0};
    for (int i = 0; i < BLOCK; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + i));
        /* A bracket and a brace differ in this one bit. */
        __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
        m.quote |= equal16(bytes, '"') << i;
        m.backslash |= equal16(bytes, '\\') << i;
        m.open |= equal16(folded, '{') << i;
        m.close |= equal16(folded, '}') << i;
    }
    return m;
}

#else

static inline masks find_masks(const char *text)
{
    masks m = {0};
    for (int i = 0; i < BLOCK; i++) {
        char c = text[i];
        m.quote |= (uint64_t)(c == '"') << i;
        m.backslash |= (uint64_t)(c == '\\') << i;
        m.open |= (uint64_t)((c | 0x20) == '{') << i;
        m.close |= (uint64_t)((c | 0x20) == '}') << i;
    }
    return m;
}

#endif

/* The bytes that a backslash escapes. `*carry` on entry: the first byte of this block is escaped;
 * on return: the first byte after it is. */
static uint64_t find_escaped(uint64_t backslash, bool *carry)
{
    uint64_t escaped = *carry ? 1 : 0;
    backslash &= ~escaped;
    *carry = false;
    while (backslash != 0) {
        int at = __builtin_ctzll(backslash);
        if (at == BLOCK - 1) {
            *carry = true;
            break;
        }
        escaped |= UINT64_C(2) << at;
        backslash &= ~(UINT64_C(3) << at);
    }
    return escaped;
}

/* Each bit becomes the exclusive or of itself and all bits below. */
static inline uint64_t running_xor(uint64_t bits)
{
    for (int shift = 1; shift < BLOCK; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

/* Walk the brackets of a block in which the value may end, and the quotes if no bracket is open.
 * Returns how many bytes belong to the value. */
static size_t walk(berth__bracket_scan *scan, uint64_t open, uint64_t close, uint64_t end_quote)
{
    for (uint64_t bits = open | close | end_quote; bits != 0; bits &= bits - 1) {
        uint64_t bit = bits & (0 - bits);
        if (open & bit)
            scan->depth++;
        else if (close & bit)
            scan->depth -= scan->depth > 0;
        scan->too_deep = scan->depth > DEPTH_MAX;
        scan->ended = scan->depth == 0;
        if (scan->ended || scan->too_deep)
            return (size_t)__builtin_ctzll(bit) + 1;
    }
    return BLOCK;
}

static size_t scan_block(berth__bracket_scan *scan, const char *text)
{
    masks m = find_masks(text);
    if (m.backslash != 0 || scan->escaped) {
        uint64_t escaped = find_escaped(m.backslash, &scan->escaped);
        m.quote &= ~escaped;
        m.open &= ~escaped;
        m.close &= ~escaped;
    }
    uint64_t inside = running_xor(m.quote) ^ (scan->in_string ? ~UINT64_C(0) : 0);
    uint64_t open = m.open & ~inside;
    uint64_t close = m.close & ~inside;
    scan->in_string = inside >> (BLOCK - 1) != 0;
    if ((open | close) == 0 && scan->depth > 0)
        return BLOCK;
    uint32_t opened = (uint32_t)__builtin_popcountll(open);
    uint32_t closed = (uint32_t)__builtin_popcountll(close);
    if (closed < scan->depth && scan->depth + opened <= DEPTH_MAX) {
        scan->depth += opened - closed;
        return BLOCK;
    }
    /* If no bracket is open, the value is a string, and its closing quote ends it. */
    return walk(scan, open, close, scan->depth == 0 ? m.quote & ~inside : 0);
}

/* The same, byte by byte, for the rest at the end of a buffer. */
static size_t scan_bytes(berth__bracket_scan *scan, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (scan->escaped || c == '\\') {
            scan->escaped = !scan->escaped;
            continue;
        }
        bool quote = c == '"';
        bool open = !scan->in_string && (c == '{' || c == '[');
        bool close = !scan->in_string && (c == '}' || c == ']');
        if (!quote && !open && !close)
            continue;
        scan->in_string ^= quote;
        scan->depth += open;
        scan->depth -= close && scan->depth > 0;
        scan->too_deep = scan->depth > DEPTH_MAX;
        scan->ended = scan->depth == 0 && !scan->in_string;
        if (scan->ended || scan->too_deep)
            return i + 1;
    }
    return len;
}

size_t berth__bracket_scan_run(berth__bracket_scan *scan, const char *text, size_t len)
{
    size_t at = 0;
    while (len - at >= BLOCK && !scan->ended && !scan->too_deep)
        at += scan_block(scan, text + at);
    if (!scan->ended && !scan->too_deep)
        at += scan_bytes(scan, text + at, len - at);
    return at;
}
