/* Patterns of replicas: finds the pattern that a pod's text follows. A cut says how to find the
 * gaps of a text without parsing it: which bytes come before each gap, and how often these occur
 * earlier. Most texts of an input are cut alike, so there are few cuts, and the one that served
 * last is tried first. The text between the gaps is hashed and compared with the pattern of that
 * hash. So the cut is only a guess; the comparison decides. */
#include "kube/pattern.h"

#include <stdatomic.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

enum {
    CUTS_MAX = 4,
    LEAD_MAX = 24,
    SEEN_SLOTS = 4096,
    WANT_EVERY = 16, /* every so many texts without a match, one is registered */
    TRIES = 256,     /* after so many, decide whether to go on */
    PAUSE_MIN = 256, /* texts */
    PAUSE_MAX = 4096,
    BYTES_MIN = 128 << 10,
    BYTES_SHARE = 32, /* patterns hold at most this part of the bytes looked at */
    BYTES_MAX = 4 << 20,
};

/* How to find the beginning of one gap. */
typedef struct lead {
    char text[LEAD_MAX]; /* the key, the colon, the opening quote */
    uint8_t len;
    uint8_t passed; /* occurrences to skip after the previous gap */
    uint8_t gap;
} lead;

typedef struct cut {
    uint32_t count;
    lead leads[BERTH__GAP_COUNT];
} cut;

/* A text taken apart. */
typedef struct parts {
    berth_str part[BERTH__GAP_COUNT + 1]; /* between the gaps */
    uint32_t count;
    berth__gaps gaps;
} parts;

typedef struct pattern {
    struct pattern *next; /* of the same slot */
    uint64_t serial;
    uint64_t hash;
    uint32_t place;
    uint32_t count; /* number of parts */
    uint32_t part_len[BERTH__GAP_COUNT + 1];
    uint32_t bytes; /* length of text[] */
    uint16_t cut;
    char text[]; /* the parts, one after the other */
} pattern;

struct berth__patterns {
    const berth_allocator *allocator;
    cut cuts[CUTS_MAX];
    uint16_t order[CUTS_MAX]; /* of cuts, the last that served first */
    uint32_t cut_count;
    pattern **slots; /* by hash; as many as patterns are allowed */
    uint32_t *seen;  /* hashes seen once */
    uint32_t pattern_count;
    uint64_t bytes;
    uint64_t looked_bytes;
    uint32_t tries;
    uint32_t found;
    uint32_t pause; /* texts to skip */
    uint32_t next_pause;
    uint32_t misses;
    bool serves; /* as last judged */
};

/* ---- life ---- */

berth__patterns *berth__patterns_create(const berth_allocator *allocator)
{
    berth__patterns *patterns =
        berth__alloc_zero(allocator, sizeof(*patterns), _Alignof(berth__patterns));
    if (patterns == NULL)
        return NULL;
    patterns->allocator = allocator;
    patterns->next_pause = PAUSE_MIN;
    return patterns;
}

static size_t pattern_bytes(const pattern *p)
{
    return sizeof(*p) + p->bytes;
}

static void forget_all(berth__patterns *patterns)
{
    for (uint32_t i = 0; patterns->slots != NULL && i < BERTH__PATTERNS_MAX; i++) {
        for (pattern *p = patterns->slots[i], *next; p != NULL; p = next) {
            next = p->next;
            berth__free(patterns->allocator, p, pattern_bytes(p));
        }
        patterns->slots[i] = NULL;
    }
    patterns->pattern_count = 0;
    patterns->bytes = 0;
    patterns->cut_count = 0;
}

void berth__patterns_destroy(berth__patterns *patterns)
{
    if (patterns == NULL)
        return;
    forget_all(patterns);
    berth__free(patterns->allocator, patterns->slots,
                BERTH__PATTERNS_MAX * sizeof(*patterns->slots));
    berth__free(patterns->allocator, patterns->seen, SEEN_SLOTS * sizeof(*patterns->seen));
    berth__free(patterns->allocator, patterns, sizeof(*patterns));
}

/* Allocate the tables, once they are needed. */
static bool make_tables(berth__patterns *patterns)
{
    const berth_allocator *allocator = patterns->allocator;
    if (patterns->slots == NULL)
        patterns->slots =
            berth__alloc_zero(allocator, BERTH__PATTERNS_MAX * sizeof(*patterns->slots), 64);
    if (patterns->seen == NULL)
        patterns->seen = berth__alloc_zero(allocator, SEEN_SLOTS * sizeof(*patterns->seen), 64);
    return patterns->slots != NULL && patterns->seen != NULL;
}

/* ---- cutting ---- */

/* Whether a word may be in a gap. */
static bool is_plain(berth_str word)
{
    bool plain = word.len > 0;
    for (uint32_t i = 0; i < word.len; i++)
        plain &= word.data[i] >= ' ' && word.data[i] < 0x7f && word.data[i] != '"' &&
                 word.data[i] != '\\';
    return plain;
}

/* The position after the lead that opens the gap; NULL if the lead is missing. */
static const char *pass_lead(const lead *l, const char *at, const char *end)
{
    for (uint32_t i = 0; at != NULL && i <= l->passed; i++) {
        at = memmem(at, (size_t)(end - at), l->text, l->len);
        if (at != NULL)
            at += l->len;
    }
    return at;
}

static bool take_apart(const cut *c, berth_str text, parts *out)
{
    const char *from = text.data;
    const char *end = text.data + text.len;
    *out = (parts){.count = c->count + 1};
    for (uint32_t i = 0; i < c->count; i++) {
        const char *word = pass_lead(&c->leads[i], from, end);
        const char *quote = word != NULL ? memchr(word, '"', (size_t)(end - word)) : NULL;
        if (quote == NULL)
            return false;
        berth_str gap = {word, (uint32_t)(quote - word)};
        if (!is_plain(gap))
            return false;
        out->part[i] = (berth_str){from, (uint32_t)(word - from)};
        out->gaps.word[c->leads[i].gap] = gap;
        from = quote;
    }
    out->part[c->count] = (berth_str){from, (uint32_t)(end - from)};
    return true;
}

static uint64_t hash_of(const parts *p)
{
    uint64_t hash = p->count;
    for (uint32_t i = 0; i < p->count; i++)
        hash = berth__hash_secret(p->part[i].data, p->part[i].len, hash);
    return hash;
}

/* ---- finding ---- */

static pattern **slot_of(const berth__patterns *patterns, uint64_t hash)
{
    return &patterns->slots[hash % BERTH__PATTERNS_MAX];
}

static bool is_same(const pattern *p, const parts *apart)
{
    const char *at = p->text;
    if (p->count != apart->count)
        return false;
    for (uint32_t i = 0; i < apart->count; i++) {
        if (p->part_len[i] != apart->part[i].len ||
            memcmp(at, apart->part[i].data, apart->part[i].len) != 0)
            return false;
        at += p->part_len[i];
    }
    return true;
}

static const pattern *find(const berth__patterns *patterns, uint16_t cut_at, const parts *apart,
                           uint64_t hash)
{
    for (const pattern *p = *slot_of(patterns, hash); p != NULL; p = p->next)
        if (p->hash == hash && p->cut == cut_at && is_same(p, apart))
            return p;
    return NULL;
}

static bool note_seen(berth__patterns *patterns, uint64_t hash)
{
    uint32_t *slot = &patterns->seen[hash % SEEN_SLOTS];
    uint32_t tag = (uint32_t)(hash >> 32) | 1;
    bool again = *slot == tag;
    *slot = tag;
    return again;
}

static void move_to_front(berth__patterns *patterns, uint32_t at)
{
    uint16_t served = patterns->order[at];
    for (; at > 0; at--)
        patterns->order[at] = patterns->order[at - 1];
    patterns->order[0] = served;
}

/* At the end of a stretch: go on, or pause. */
static void judge(berth__patterns *patterns)
{
    if (patterns->tries < TRIES)
        return;
    patterns->serves = patterns->found > TRIES / 2;
    if (patterns->found >= TRIES / 8) {
        patterns->next_pause = PAUSE_MIN;
    } else {
        patterns->pause = patterns->next_pause;
        if (patterns->next_pause < PAUSE_MAX)
            patterns->next_pause *= 2;
    }
    patterns->tries = patterns->found = 0;
}

static bool is_left_alone(berth__patterns *patterns, berth_str text)
{
    patterns->looked_bytes += text.len;
    if (text.len > BERTH__PATTERN_BYTES_MAX)
        return true;
    if (patterns->pause > 0) {
        patterns->pause--;
        return true;
    }
    return false;
}

berth__pattern_verdict berth__patterns_find(berth__patterns *patterns, berth_str text,
                                            berth__pattern_id *id, berth__gaps *gaps)
{
    parts apart;
    bool again = false;
    if (is_left_alone(patterns, text))
        return BERTH__PATTERN_NONE;
    patterns->tries++;
    judge(patterns);
    for (uint32_t i = 0; i < patterns->cut_count; i++) {
        uint16_t cut_at = patterns->order[i];
        if (!take_apart(&patterns->cuts[cut_at], text, &apart))
            continue;
        uint64_t hash = hash_of(&apart);
        const pattern *p = find(patterns, cut_at, &apart, hash);
        if (p != NULL) {
            move_to_front(patterns, i);
            patterns->found++;
            *id = (berth__pattern_id){p->serial, p->place};
            *gaps = apart.gaps;
            return BERTH__PATTERN_FOUND;
        }
        again |= note_seen(patterns, hash);
    }
    return again || patterns->misses++ % WANT_EVERY == 0 ? BERTH__PATTERN_WANTED
                                                         : BERTH__PATTERN_NONE;
}

/* ---- registering ---- */

/* The lead of a word: from the opening quote of its key to its own opening quote. Returns false if
 * the text between is not that simple. */
static bool read_lead(const char *from, const char *word, lead *out)
{
    const char *at = word;
    uint32_t quotes = 0;
    while (at > from && quotes < 3)
        quotes += *--at == '"';
    size_t len = (size_t)(word - at);
    if (quotes < 3 || len > LEAD_MAX)
        return false;
    memcpy(out->text, at, len);
    out->len = (uint8_t)len;
    return true;
}

/* Make a cut that finds the words in texts like this one. */
static bool make_cut(berth_str text, const berth__gaps *gaps, cut *out)
{
    const char *from = text.data;
    const char *end = text.data + text.len;
    *out = (cut){.count = 0};
    for (;;) {
        int next = -1;
        for (int g = 0; g < BERTH__GAP_COUNT; g++)
            if (gaps->word[g].len > 0 && gaps->word[g].data >= from &&
                (next < 0 || gaps->word[g].data < gaps->word[next].data))
                next = g;
        if (next < 0)
            return out->count > 0;
        lead *l = &out->leads[out->count++];
        const char *word = gaps->word[next].data;
        if (!read_lead(from, word, l))
            return false;
        l->gap = (uint8_t)next;
        for (const char *at; (at = pass_lead(l, from, end)) != word; l->passed++)
            if (at == NULL || at > word || l->passed == UINT8_MAX)
                return false;
        from = word + gaps->word[next].len;
    }
}

static bool is_same_cut(const cut *a, const cut *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++) {
        const lead *x = &a->leads[i], *y = &b->leads[i];
        same = x->gap == y->gap && x->passed == y->passed && x->len == y->len &&
               memcmp(x->text, y->text, x->len) == 0;
    }
    return same;
}

/* The number of an equal cut, added if it is new; CUTS_MAX if there is no room. */
static uint32_t keep_cut(berth__patterns *patterns, const cut *c)
{
    uint32_t at = 0;
    while (at < patterns->cut_count && !is_same_cut(&patterns->cuts[at], c))
        at++;
    if (at == patterns->cut_count && at < CUTS_MAX) {
        patterns->cuts[at] = *c;
        patterns->order[at] = (uint16_t)at;
        patterns->cut_count++;
    }
    return at;
}

static bool have_same_words(const berth__gaps *a, const berth__gaps *b)
{
    for (int g = 0; g < BERTH__GAP_COUNT; g++)
        if (a->word[g].len != b->word[g].len ||
            (a->word[g].len > 0 && a->word[g].data != b->word[g].data))
            return false;
    return true;
}

/* Make room for another pattern, even if all present ones must be dropped. */
static bool make_room(berth__patterns *patterns, size_t bytes)
{
    uint64_t most = BYTES_MIN + patterns->looked_bytes / BYTES_SHARE;
    if (most > BYTES_MAX)
        most = BYTES_MAX;
    if (patterns->pattern_count < BERTH__PATTERNS_MAX && patterns->bytes + bytes <= most)
        return true;
    if (patterns->serves)
        return false;
    forget_all(patterns);
    return true;
}

static pattern *make_pattern(const berth__patterns *patterns, const parts *apart, uint32_t text_len)
{
    static atomic_uint_least64_t last_serial; /* sync: atomic, relaxed */
    uint32_t bytes = text_len;
    for (int g = 0; g < BERTH__GAP_COUNT; g++)
        bytes -= apart->gaps.word[g].len;
    pattern *p = berth__alloc(patterns->allocator, sizeof(*p) + bytes, _Alignof(pattern));
    if (p == NULL)
        return NULL;
    /* relaxed: callers need different numbers, and no order */
    *p = (pattern){.serial = atomic_fetch_add_explicit(&last_serial, 1, memory_order_relaxed) + 1,
                   .hash = hash_of(apart),
                   .place = patterns->pattern_count,
                   .count = apart->count,
                   .bytes = bytes};
    char *to = p->text;
    for (uint32_t i = 0; i < apart->count; i++) {
        p->part_len[i] = apart->part[i].len;
        memcpy(to, apart->part[i].data, apart->part[i].len);
        to += apart->part[i].len;
    }
    return p;
}

berth__pattern_id berth__patterns_register(berth__patterns *patterns, berth_str text,
                                           const berth__gaps *gaps)
{
    const berth__pattern_id none = {0};
    cut c;
    parts apart;
    if (!make_cut(text, gaps, &c) || !take_apart(&c, text, &apart) ||
        !have_same_words(gaps, &apart.gaps) || !make_tables(patterns) ||
        !make_room(patterns, sizeof(pattern) + text.len))
        return none;
    uint32_t cut_at = keep_cut(patterns, &c);
    pattern *p = cut_at < CUTS_MAX ? make_pattern(patterns, &apart, text.len) : NULL;
    if (p == NULL)
        return none;
    p->cut = (uint16_t)cut_at;
    pattern **slot = slot_of(patterns, p->hash);
    p->next = *slot;
    *slot = p;
    patterns->pattern_count++;
    patterns->bytes += pattern_bytes(p);
    return (berth__pattern_id){p->serial, p->place};
}
