/* Clears in copies of objects what these got after their creation. */
#include "loading/new_objects.h"

#include "cli/words.h"

static berth_metadata new_meta_like(const berth_metadata *meta)
{
    berth_metadata made = *meta;
    made.uid = (berth_str){0};
    made.creation_time_ns = 0;
    made.deleting = false;
    return made;
}

berth_pod new_pod_like(const berth_pod *pod)
{
    berth_pod made = *pod;
    made.meta = new_meta_like(&pod->meta);
    made.node_name = made.nominated_node_name = made.phase = (berth_str){0};
    made.start_time_ns = 0;
    made.condition_count = 0;
    made.container_status_count = made.init_container_status_count = 0;
    made.has_status_resources = false;
    made.status_requests = made.status_allocated = (berth_resources){0};
    made.template_id = 0;
    return made;
}

berth_persistent_volume_claim new_volume_claim_like(const berth_persistent_volume_claim *claim)
{
    berth_persistent_volume_claim made = *claim;
    made.meta = new_meta_like(&claim->meta);
    made.meta.annotations = (berth_map){0};
    for (uint32_t i = 0; i < claim->meta.annotations.count; i++) /* it precedes the field */
        if (words_equal(claim->meta.annotations.entries[i].key,
                        words_of("volume.beta.kubernetes.io/storage-class")))
            made.storage_class = claim->meta.annotations.entries[i].value;
    made.volume_name = (berth_str){0};
    made.phase = words_of("Pending");
    return made;
}
