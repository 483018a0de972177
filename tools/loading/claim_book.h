/* Keeps the ResourceClaims of the input up to date while pods come and go, as scheduler and
 * resourceclaim controller do. The devices of a placement are written into claims that other pods
 * use, too, and released when the last user is gone. */
#ifndef BERTH_TOOLS_CLAIM_BOOK_H
#define BERTH_TOOLS_CLAIM_BOOK_H

#include "berth/berth.h"
#include "cli/words.h"

/* One claim. A pod may name it before the claim itself was read. */
typedef struct booked_claim {
    berth_object
        *object;       /* NULL: not read yet, or owned by a single pod and still without devices */
    berth_object *now; /* its changed version; NULL: unchanged */
    uint32_t users;    /* pods that name the claim itself, not a template */
} booked_claim;

/* Zeroed: empty. */
typedef struct claim_book {
    bool keep_all;    /* set by the caller: also keep claims of a single pod */
    word_table names; /* "NAMESPACE/NAME", numbered as `items` */
    booked_claim *items;
    size_t capacity;
    uint64_t claim_count;
    uint32_t *changed; /* numbers of claims with `now` */
    size_t changed_count, changed_capacity;
} claim_book;

/* Record an object that is added to the engine. */
void claim_book_see(claim_book *book, const berth_object *object);

/* Call after a pod was placed: records the devices that it got from shared claims. Errors: the
 * engine's. */
berth_status claim_book_placed(claim_book *book, berth_engine *engine, berth_pod_id pod,
                               berth_error *error);

/* Call after a pod was taken off its node: claims without a user on any node give their devices
 * back. Errors: the engine's. */
berth_status claim_book_left(claim_book *book, berth_engine *engine, berth_pod_id pod,
                             berth_error *error);

/* Call after the engine was rolled back to the state of the input. */
void claim_book_restore(claim_book *book);

/* The claim as a placement has written it, or NULL. */
const berth_resource_claim *claim_book_written(const claim_book *book, const berth_metadata *claim);

/* The object of a claim that no pod on a node uses any more, or NULL. `chosen`: the pod that left
 * got its devices from its placement and did not share them. `*owned`: the claim was made for that
 * pod. */
const berth_object *claim_book_idle(const claim_book *book, const berth_engine *engine,
                                    const berth_metadata *claim, bool chosen, bool *owned);

/* Forget a claim that was deleted. */
void claim_book_drop(claim_book *book, const berth_metadata *claim);

void claim_book_free(claim_book *book);

#endif
