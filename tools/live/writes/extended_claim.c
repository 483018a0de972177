/* JSON in the form in which kube-scheduler writes it. */
#include "live/writes/extended_claim.h"

#include <stdlib.h>
#include <string.h>

static const char annotation[] = "resource.kubernetes.io/extended-resource-claim";

static json_t *owner_of(const write_pod *pod)
{
    return json_pack("{ss ss so so sb}", "apiVersion", "v1", "kind", "Pod", "name",
                     write_json_str(pod->name), "uid", write_json_str(pod->uid), "controller", 1);
}

char *extended_claim_body(const write_pod *pod, const json_t *requests)
{
    json_t *devices = json_object(), *meta, *base;
    char *prefix = write_path("%.*s-extended-resources-", WRITE_ARG(pod->name));
    base = write_json_str(write_str(prefix));
    meta = json_pack("{so so s{ss} s[o]}", "generateName", base, "namespace",
                     write_json_str(pod->namespace_name), "annotations", annotation, "true",
                     "ownerReferences", owner_of(pod));
    free(prefix);
    json_object_set_new(devices, "requests", json_deep_copy(requests));
    return write_json_text(json_pack("{ss ss so s{so}}", "apiVersion", "resource.k8s.io/v1", "kind",
                                     "ResourceClaim", "metadata", meta, "spec", "devices",
                                     devices));
}

char *extended_claim_status(const write_pod *pod, berth_str claim_name, const json_t *mappings)
{
    return write_json_text(
        json_pack("{s{so} s{s{so so}}}", "metadata", "uid", write_json_str(pod->uid), "status",
                  "extendedResourceClaimStatus", "requestMappings", json_deep_copy(mappings),
                  "resourceClaimName", write_json_str(claim_name)));
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

bool extended_claim_is_of(const json_t *claim, berth_str pod_uid)
{
    const json_t *meta = json_object_get(claim, "metadata");
    json_t *owner;
    size_t i;
    if (strcmp(text_at(json_object_get(meta, "annotations"), annotation), "true") != 0)
        return false;
    json_array_foreach(json_object_get(meta, "ownerReferences"), i, owner)
    {
        if (json_is_true(json_object_get(owner, "controller")) &&
            write_str_equal(write_str(text_at(owner, "uid")), pod_uid))
            return true;
    }
    return false;
}
