/* Objects that have to wait for the end of the input: their trees are copied, and read again at the
 * end. Only objects that need it are kept, so reading a large dump takes little memory. */
#include "kube/reader_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "text/json_copy.h"

/* ---- the list ---- */

berth_status berth__defer(berth_reader *reader, berth__deferred_what what, const berth__item *item)
{
    bool ok = true;
    berth__deferred entry = {.what = what, .item = *item};
    entry.item.object = NULL; /* it lives only during the call */
    /* While the list is worked off, items that are deferred again are kept already. */
    if (!reader->finishing) {
        berth__json *tree = berth__arena_alloc(&reader->kept, sizeof(*tree), _Alignof(berth__json));
        if (tree == NULL || !berth__json_copy(&reader->kept, item->tree, tree))
            return berth__reader_no_memory(reader);
        entry.item.tree = tree;
        entry.item.kind = berth__arena_str(&reader->kept, item->kind, &ok);
        entry.item.api_version = berth__arena_str(&reader->kept, item->api_version, &ok);
        entry.item.made_name = berth__arena_str(&reader->kept, item->made_name, &ok);
    }
    if (!ok || !berth__grow(reader->allocator, &reader->deferred, &reader->deferred_capacity,
                            reader->deferred_count + 1, sizeof(*reader->deferred)))
        return berth__reader_no_memory(reader);
    reader->deferred[reader->deferred_count++] = entry;
    return BERTH_OK;
}

static berth_status take_up(berth_reader *reader, berth__deferred *entry)
{
    switch (entry->what) {
    case BERTH__DEFERRED_OBJECT:
        return berth__reader_item(reader, &entry->item);
    case BERTH__DEFERRED_CLAIMS:
        return berth__workload_claims(reader, &entry->item);
    case BERTH__DEFERRED_REPLICAS:
        return berth__workload_replicas(reader, &entry->item);
    case BERTH__DEFERRED_DAEMON_SET:
        return berth__workload_daemons(reader, &entry->item);
    case BERTH__DEFERRED_REPLACED:
        break;
    }
    return BERTH_OK;
}

static int compare_hashes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

berth_status berth__deferred_finish(berth_reader *reader)
{
    if (reader->claim_count > 0)
        qsort(reader->claims_seen, reader->claim_count, sizeof(uint64_t), compare_hashes);
    for (uint32_t i = 0; i < reader->deferred_count; i++) {
        berth__deferred entry = reader->deferred[i]; /* the list may grow meanwhile */
        berth__arena_reset(&reader->object);
        reader->item = &entry.item;
        berth_status status = take_up(reader, &entry);
        reader->item = NULL;
        if (status != BERTH_OK)
            return status;
    }
    reader->deferred_count = 0;
    return BERTH_OK;
}

/* ---- claims of the input ---- */

static uint64_t claim_hash(berth_str namespace_name, berth_str name)
{
    uint64_t seed = berth__hash_secret(namespace_name.data, namespace_name.len, 0);
    return berth__hash_secret(name.data, name.len, seed);
}

berth_status berth__claim_note(berth_reader *reader, const berth_metadata *meta)
{
    berth_str in = berth__reader_namespace(reader, meta->namespace_name);
    if (reader->finishing)
        return BERTH_OK; /* noted when the object was deferred */
    if (!berth__grow(reader->allocator, &reader->claims_seen, &reader->claim_capacity,
                     reader->claim_count + 1, sizeof(*reader->claims_seen)))
        return berth__reader_no_memory(reader);
    reader->claims_seen[reader->claim_count++] = claim_hash(in, meta->name);
    return BERTH_OK;
}

bool berth__claim_is_known(const berth_reader *reader, berth_str namespace_name, berth_str name)
{
    uint64_t hash = claim_hash(namespace_name, name);
    return reader->claim_count > 0 && bsearch(&hash, reader->claims_seen, reader->claim_count,
                                              sizeof(hash), compare_hashes) != NULL;
}
