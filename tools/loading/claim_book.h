/* ResourceClaims as the input has them, for what is done to them while pods come and go: a
 * placement's devices are written into claims that other pods use too, and given back when the last
 * of them is gone, as scheduler and resourceclaim controller do it. */
#ifndef BERTH_TOOLS_CLAIM_BOOK_H
#define BERTH_TOOLS_CLAIM_BOOK_H

#include "berth/berth.h"
#include "cli/words.h"

/* One claim: it may be named before it is seen. */
typedef struct booked_claim {
    berth_object *object; /* NULL: not seen, or of one pod alone that has no devices yet */
    berth_object *now;    /* as it was changed since; NULL: it was not */
    uint32_t users;       /* pods that name it outright */
} booked_claim;

/* Zeroed: empty. */
typedef struct claim_book {
    bool keep_all;    /* the caller's: claims of one pod alone, too */
    word_table names; /* "NAMESPACE/NAME", numbered as `items` */
    booked_claim *items;
    size_t capacity;
    uint64_t claim_count;
    uint32_t *changed; /* numbers of those with `now` */
    size_t changed_count, changed_capacity;
} claim_book;

/* Take note of an object that is added to the engine. */
void claim_book_see(claim_book *book, const berth_object *object);

/* A pod has been placed: what it was given of claims that others use is theirs, too. Errors: the
 * engine's. */
berth_status claim_book_placed(claim_book *book, berth_engine *engine, berth_pod_id pod,
                               berth_error *error);

/* A pod has been taken off its node: claims that no pod on a node uses give their devices back.
 * Errors: the engine's. */
berth_status claim_book_left(claim_book *book, berth_engine *engine, berth_pod_id pod,
                             berth_error *error);

/* The engine was rolled back to what it was as the objects were seen. */
void claim_book_restore(claim_book *book);

/* The claim as a placement wrote it, or NULL. */
const berth_resource_claim *claim_book_written(const claim_book *book, const berth_metadata *claim);

/* The object of a claim that no pod on a node uses any more, or NULL; `chosen`: the pod that left
 * had its devices from its placement, and shared them with nobody. `*owned`: it was made for that
 * pod. */
const berth_object *claim_book_idle(const claim_book *book, const berth_engine *engine,
                                    const berth_metadata *claim, bool chosen, bool *owned);

/* The claim is gone. */
void claim_book_drop(claim_book *book, const berth_metadata *claim);

void claim_book_free(claim_book *book);

#endif
