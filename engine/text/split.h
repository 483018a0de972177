/* Cutting a stream of JSON into the values that are worth a look of their own: the elements of a
 * List's `items` or of an array, or whole objects. Only the value at hand is in memory. */
#ifndef BERTH_TEXT_SPLIT_H
#define BERTH_TEXT_SPLIT_H

#include "text/input.h"

typedef enum berth__piece_kind {
    BERTH__PIECE_OBJECT,   /* a value of the top level that is no list */
    BERTH__PIECE_LIST,     /* in front of a list's elements: its members so far, items left empty */
    BERTH__PIECE_ELEMENT,  /* an element of a list or of an array */
    BERTH__PIECE_LIST_END, /* behind a list's elements: all its members, items left empty */
} berth__piece_kind;

/* A piece of text and where it begins: line and column are 1-based, `offset` counts bytes of the
 * unpacked text. */
typedef struct berth__piece {
    berth__piece_kind kind;
    berth_str text;
    uint32_t line;
    uint32_t column;
    uint64_t offset;
    size_t ahead; /* bytes of `text` that stand further ahead in the input (LIST_END) */
} berth__piece;

/* The text of a piece lives until the function returns; another status than BERTH_OK ends it
 * all. */
typedef berth_status (*berth__piece_fn)(void *context, const berth__piece *piece,
                                        berth_error *error);

/* A window on the input: what is read and not yet done with. */
typedef struct berth__window {
    berth__input *input;
    const berth_allocator *allocator;
    char *data;
    size_t capacity;
    size_t start; /* everything in front is done with */
    size_t at;    /* where reading goes on */
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

/* Read more text behind `end`, dropping what lies in front of `start`, whereupon all indices
 * shift. Sets `ended` if there is none. Errors: those of berth__input_read, E_NOMEM, E_RANGE (a
 * value of 1 GiB). */
berth_status berth__window_fill(berth__window *window, berth_error *error);

/* Skip blanks; `*c` is the byte at `at` then, or -1 at the end. */
berth_status berth__window_peek(berth__window *window, int *c, berth_error *error);

/* Cut the rest of the input. Errors: E_PARSE with line, column and offset, the window's,
 * `each`'s. */
berth_status berth__split(berth__window *window, berth__piece_fn each, void *context,
                          berth_error *error);

#endif
