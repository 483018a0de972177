/* Insertion sort for few words, heapsort for many. */
#include "base/sort.h"

#include <stddef.h>
#include <string.h>

#include "base/assert.h"

enum { FEW = 32 };

static void insert(uint64_t *words, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint64_t word = words[i];
        uint32_t at = i;
        for (; at > 0 && words[at - 1] > word; at--)
            words[at] = words[at - 1];
        words[at] = word;
    }
}

/* Sift the word at `root` down until no child is larger. */
static void sift(uint64_t *words, size_t root, size_t count)
{
    uint64_t word = words[root];
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && words[child + 1] > words[child];
        if (words[child] <= word)
            break;
        words[root] = words[child];
        root = child;
    }
    words[root] = word;
}

void berth__sort_words(uint64_t *words, uint32_t count)
{
    if (count <= FEW) {
        insert(words, count);
        return;
    }
    for (size_t i = count / 2; i-- > 0;)
        sift(words, i, count);
    for (size_t end = count - 1; end > 0; end--) {
        uint64_t largest = words[0];
        words[0] = words[end];
        words[end] = largest;
        sift(words, 0, end);
    }
}

enum { ELEMENT_MAX = 64 };

typedef struct elements {
    char *items;
    size_t bytes;
    int (*order)(const void *a, const void *b);
} elements;

static char *at(const elements *own, size_t i)
{
    return own->items + i * own->bytes;
}

/* Sift `element` down from the free place `root`. */
static void sift_element(const elements *own, size_t root, size_t count, const char *element)
{
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && own->order(at(own, child + 1), at(own, child)) > 0;
        if (own->order(at(own, child), element) <= 0)
            break;
        memcpy(at(own, root), at(own, child), own->bytes);
        root = child;
    }
    memcpy(at(own, root), element, own->bytes);
}

static void insert_elements(const elements *own, uint32_t count)
{
    char element[ELEMENT_MAX];
    for (uint32_t i = 1; i < count; i++) {
        uint32_t to = i;
        while (to > 0 && own->order(at(own, to - 1), at(own, i)) > 0)
            to--;
        if (to == i)
            continue;
        memcpy(element, at(own, i), own->bytes);
        memmove(at(own, to + 1), at(own, to), (i - to) * own->bytes);
        memcpy(at(own, to), element, own->bytes);
    }
}

void berth__sort(void *items, uint32_t count, size_t bytes,
                 int (*order)(const void *a, const void *b))
{
    BERTH_ASSERT(bytes <= ELEMENT_MAX);
    const elements own = {items, bytes, order};
    char element[ELEMENT_MAX];
    if (count <= FEW) {
        insert_elements(&own, count);
        return;
    }
    for (size_t i = count / 2; i-- > 0;) {
        memcpy(element, at(&own, i), bytes);
        sift_element(&own, i, count, element);
    }
    for (size_t end = count - 1; end > 0; end--) {
        memcpy(element, at(&own, end), bytes);
        memcpy(at(&own, end), at(&own, 0), bytes);
        sift_element(&own, 0, end, element);
    }
}
