/* Structs of callers compiled with other headers: shorter ones, followed by unrelated bytes, and
 * longer ones. */
#ifndef BERTH_TESTS_UNIT_SIZED_ROOM_H
#define BERTH_TESTS_UNIT_SIZED_ROOM_H

#include <stddef.h>
#include <string.h>

#include "berth/berth.h"

enum { MORE = 24, ELSE = 0xee };

/* The size of the struct of a caller that knows its members up to `last`. */
#define SHORT_OF(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

typedef struct room {
    _Alignas(64) unsigned char bytes[4096];
} room;

/* A caller's struct of `size` bytes that begins with the `known` bytes of `whole`, followed by
 * unrelated bytes. */
static inline void *sized(room *out, const void *whole, size_t known, size_t size)
{
    memset(out->bytes, ELSE, sizeof(out->bytes));
    if (size > known)
        memset(out->bytes + known, 0, size - known);
    memcpy(out->bytes, whole, size < known ? size : known);
    return out->bytes;
}

static inline bool holds(const room *out, size_t from, size_t to, unsigned char byte)
{
    for (size_t i = from; i < to; i++)
        if (out->bytes[i] != byte)
            return false;
    return true;
}

static inline berth_engine *new_engine(void)
{
    berth_engine_config config;
    berth_engine *engine;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.keep_objects = true;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    return engine;
}

#endif
