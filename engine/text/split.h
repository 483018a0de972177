/* Cuts a stream of JSON into values that are handled one at a time: the elements of a List's
 * `items` or of an array, or whole objects. Only the current value is in memory. */
#ifndef BERTH_TEXT_SPLIT_H
#define BERTH_TEXT_SPLIT_H

#include "text/input.h"

typedef enum berth__piece_kind {
    BERTH__PIECE_OBJECT,   /* a value of the top level that is not a list */
    BERTH__PIECE_LIST,     /* before a list's elements: its members so far, with items empty */
    BERTH__PIECE_ELEMENT,  /* an element of a list or of an array */
    BERTH__PIECE_LIST_END, /* after a list's elements: all its members, with items empty */
} berth__piece_kind;

/* A piece of text and its place: line and column are 1-based, `offset` counts bytes of the unpacked
 * text. */
typedef struct berth__piece {
    berth__piece_kind kind;
    berth_str text;
    uint32_t line;
    uint32_t column;
    uint64_t offset;
    size_t ahead; /* bytes of `text` that come later in the input (LIST_END) */
} berth__piece;

/* The text of a piece lives until the function returns. Any status except BERTH_OK ends the
 * splitting. */
typedef berth_status (*berth__piece_fn)(void *context, const berth__piece *piece,
                                        berth_error *error);

/* A window on the input: text that was read and is still needed. */
typedef struct berth__window {
    berth__input *input;
    const berth_allocator *allocator;
    char *data;
    size_t capacity;
    size_t start; /* the text in front is no longer needed */
    size_t at;    /* where reading continues */
    size_t end;
    bool ended;           /* the input has no more */
    uint64_t offset;      /* of data[0] in the text */
    size_t counted;       /* lines are counted up to here */
    uint32_t line;        /* of data[counted] */
    uint64_t line_offset; /* where that line begins in the text */
} berth__window;

void berth__window_init(berth__window *window, berth__input *input,
                        const berth_allocator *allocator);
void berth__window_destroy(berth__window *window);

/* Read more text after `end`, dropping the text in front of `start`, which shifts all indices. Sets
 * `ended` if there is no more text. Errors: those of berth__input_read, BERTH_E_NOMEM,
 * BERTH_E_RANGE (a value of 1 GiB). */
berth_status berth__window_fill(berth__window *window, berth_error *error);

/* Skip blanks. Sets `*c` to the byte at `at`, or to -1 at the end. */
berth_status berth__window_peek(berth__window *window, int *c, berth_error *error);

/* Cut the rest of the input. Errors: BERTH_E_PARSE with line, column and offset, and those of the
 * window and of `each`. */
berth_status berth__split(berth__window *window, berth__piece_fn each, void *context,
                          berth_error *error);

#endif
