/* Cuts what a server sends into objects, as it comes: the items of a list one by one, the events of
 * a watch line by line. Nothing else of the stream is kept than the object in hand. */
#ifndef BERTH_LIVE_STREAM_CUT_H
#define BERTH_LIVE_STREAM_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No object of a server is larger: etcd takes 1.5 MiB by default. */
enum { STREAM_PIECE_MAX = 32 << 20 };

/* A whole item or line; borrowed. false: enough. */
typedef bool (*stream_piece_fn)(void *context, const char *text, size_t length);

/* Owner: zero it, fill `piece` and `context`; stream_cut_free in the end. */
typedef struct stream_cut {
    stream_piece_fn piece;
    void *context;
    char *bytes; /* the piece that has begun; of a list: also what is around its items, before it */
    size_t count, capacity;
    /* of a list */
    size_t item_at; /* where in `bytes` the item began; SIZE_MAX: outside of one */
    uint32_t depth;
    bool in_string, escaped, key_is_items, in_items;
    size_t string_at;
} stream_cut;

/* Take what came. false: `piece` said so, or a piece is too large, or it is no list. */
bool stream_cut_lines(stream_cut *cut, const char *bytes, size_t count);
bool stream_cut_list(stream_cut *cut, const char *bytes, size_t count);

/* Make it ready for the next stream. Before the first one, too, of lists. */
void stream_cut_reset(stream_cut *cut);

/* After the last byte of a list: it is whole, and this is it without its items; borrowed until the
 * next reset. NULL: it is not whole. */
const char *stream_cut_list_end(stream_cut *cut);

void stream_cut_free(stream_cut *cut);

#endif
