/* Cuts the data from a server into objects as it arrives: the items of a list one by one, the
 * events of a watch line by line. Only the current object is kept. */
#ifndef BERTH_LIVE_STREAM_CUT_H
#define BERTH_LIVE_STREAM_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No object of a server is larger: etcd accepts 1.5 MiB by default. */
enum { STREAM_PIECE_MAX = 32 << 20 };

/* Takes a complete item or line, borrowed. Returns false to stop. */
typedef bool (*stream_piece_fn)(void *context, const char *text, size_t length);

/* Owner: zero it, set `piece` and `context`; call stream_cut_free in the end. */
typedef struct stream_cut {
    stream_piece_fn piece;
    void *context;
    char *bytes; /* the current piece; for a list, preceded by the text around its items */
    size_t count, capacity;
    /* for a list */
    size_t item_at; /* start of the item in `bytes`; SIZE_MAX: outside of an item */
    uint32_t depth;
    bool in_string, escaped, key_is_items, in_items;
    size_t string_at;
} stream_cut;

/* Take the next bytes. Returns false if `piece` did, a piece is too large, or the text is not a
 * list. */
bool stream_cut_lines(stream_cut *cut, const char *bytes, size_t count);
bool stream_cut_list(stream_cut *cut, const char *bytes, size_t count);

/* Prepare for the next stream; for lists, also before the first one. */
void stream_cut_reset(stream_cut *cut);

/* Call after the last byte of a list: returns the list without its items, borrowed until the next
 * reset, or NULL if it is incomplete. */
const char *stream_cut_list_end(stream_cut *cut);

void stream_cut_free(stream_cut *cut);

#endif
