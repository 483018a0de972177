/* Derives traits from owners, annotations, volumes, spread constraints and deletion. */
#include "loading/pod_traits.h"

#include "cli/words.h"

static bool has_key(berth_map map, const char *key)
{
    for (uint32_t i = 0; i < map.count; i++)
        if (words_equal(map.entries[i].key, words_of(key)))
            return true;
    return false;
}

unsigned pod_traits_of(const berth_pod *pod)
{
    unsigned traits = POD_BARE;
    for (uint32_t i = 0; i < pod->meta.owner_count; i++) {
        const berth_owner *owner = &pod->meta.owners[i];
        if (!owner->controller)
            continue;
        traits &= ~(unsigned)POD_BARE;
        if (words_equal(owner->kind, words_of("DaemonSet")))
            traits |= POD_DAEMON;
        if (words_equal(owner->kind, words_of("Node")))
            traits |= POD_MIRROR;
    }
    if (has_key(pod->meta.annotations, "kubernetes.io/config.mirror"))
        traits |= POD_MIRROR;
    for (uint32_t i = 0; i < pod->volume_count; i++)
        if (pod->volumes[i].source.kind == BERTH_VOLUME_EMPTY_DIR)
            traits |= POD_EMPTY_DIR;
    for (uint32_t i = 0; i < pod->spread_count; i++)
        if (words_equal(pod->spreads[i].node_taints_policy, words_of("Honor")))
            traits |= POD_HONORS_TAINTS;
    if (pod->meta.deleting)
        traits |= POD_TERMINATING;
    return traits;
}
