/* Releases the devices of pods that leave. The engine keeps them allocated until the claim is
 * written, as a cluster does. */
#include "replay/replay_claims.h"

#include "cli/exits.h"

enum { CLAIMS_MAX = 64 }; /* of a pod */

static berth_status free_claim(replay *r, const berth_resource_claim *of_pod, bool ends,
                               berth_error *error)
{
    const berth_metadata *meta = &of_pod->meta;
    bool owned = false;
    const berth_object *kept =
        claim_book_idle(&r->claims, r->engine, meta, of_pod->allocation != NULL, &owned);
    if (kept == NULL)
        return BERTH_OK;
    TRY(berth_scheduler_remove(r->scheduler, r->now_ns, BERTH_KIND_RESOURCE_CLAIM,
                               meta->namespace_name, meta->name, error));
    if (owned && ends) {
        claim_book_drop(&r->claims, meta);
        return BERTH_OK;
    }
    berth_resource_claim claim = *kept->as.resource_claim;
    claim.allocation = NULL;
    claim.reserved_for_count = claim.device_count = 0;
    const berth_object again = {.kind = BERTH_KIND_RESOURCE_CLAIM, .as.resource_claim = &claim};
    return berth_scheduler_add(r->scheduler, r->now_ns, &again, NULL, error);
}

berth_status replay_claims_remove_pod(replay *r, berth_str namespace_name, berth_str name,
                                      bool ends, berth_error *error)
{
    berth_object *claims[CLAIMS_MAX];
    uint32_t count = 0;
    berth_pod_id id = berth_engine_find_pod(r->engine, namespace_name, name);
    while (r->claims.claim_count > 0 && count < CLAIMS_MAX &&
           berth_engine_pod_claim_object(r->engine, id, count, NULL, &claims[count], NULL) ==
               BERTH_OK)
        count++;
    berth_status status = berth_scheduler_remove(r->scheduler, r->now_ns, BERTH_KIND_POD,
                                                 namespace_name, name, error);
    for (uint32_t i = 0; i < count; i++) {
        if (status == BERTH_OK)
            status = free_claim(r, claims[i]->as.resource_claim, ends, error);
        berth_object_destroy(claims[i]);
    }
    return status;
}
