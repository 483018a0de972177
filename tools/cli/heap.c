/* Memory for the program. Running out of it ends the program. */
#include "cli/heap.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"

static void *existing(void *memory)
{
    if (memory == NULL) {
        fputs("berth: out of memory\n", stderr);
        exit(EXIT_INTERNAL);
    }
    return memory;
}

void *heap_new(size_t count, size_t item_bytes)
{
    return existing(calloc(count > 0 ? count : 1, item_bytes));
}

void *heap_grow(void *memory, size_t *capacity, size_t needed, size_t item_bytes)
{
    if (needed <= *capacity)
        return memory;
    size_t wanted = *capacity < 16 ? 16 : *capacity * 2;
    if (wanted < needed)
        wanted = needed;
    if (wanted > SIZE_MAX / item_bytes)
        return existing(NULL);
    memory = existing(realloc(memory, wanted * item_bytes));
    *capacity = wanted;
    return memory;
}

char *heap_text(const char *text, size_t length)
{
    char *copy = existing(malloc(length + 1));
    if (length > 0)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

berth_object *heap_object(const berth_object *object)
{
    berth_object *copy = NULL;
    return berth_object_copy(object, NULL, &copy, NULL) == BERTH_OK ? copy : existing(NULL);
}
