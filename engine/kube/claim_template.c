/* ResourceClaimTemplates: makes the claims that the resourceclaim controller makes from them, for
 * pods that no API server has seen. A claim's name ends in digits computed from the pod's and the
 * entry's names, so that every run gives it the same name.
 * Source: kubernetes v1.36 pkg/controller/resourceclaim, handleClaim. */
#include "kube/claim_template.h"

#include <stdio.h>

#include "base/text.h"
#include "kube/workload.h"
#include "objects/object_copy.h"

enum {
    BASE_MAX_BYTES = 57, /* of a name; with the hyphen and five digits it has 63 */
    SUFFIX_BITS = 20,
};

/* ---- the templates ---- */

typedef struct template_object {
    berth_metadata meta;
    berth_resource_claim claim;
} template_object;

static const berth__field template_spec_fields[] = {
    BERTH__FIELD_IN("metadata", template_object, claim.meta, berth__fields_metadata),
    BERTH__FIELD_IN("spec", template_object, claim, berth__fields_claim_spec),
    BERTH__FIELD_LAST,
};

const berth__field berth__claim_template_fields[] = {
    BERTH__FIELD_IN("metadata", template_object, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", template_spec_fields),
    BERTH__FIELD_LAST_OF_OBJECT,
};

/* The key of a template: "NAMESPACE/NAME". Absent when out of memory. */
static berth_str key_of(const berth_reader *reader, berth__arena *arena, berth_str namespace_name,
                        berth_str name)
{
    bool ok = true;
    namespace_name = berth__reader_namespace(reader, namespace_name);
    berth_str key =
        berth__arena_print(arena, &ok, "%.*s/%.*s", (int)namespace_name.len, namespace_name.data,
                           (int)name.len, name.data != NULL ? name.data : "");
    return ok ? key : (berth_str){0};
}

static berth__claim_template *find(const berth_reader *reader, berth_str key)
{
    for (; reader != NULL; reader = reader->options.known) {
        berth__keymap_entry *found = berth__keymap_find(&reader->templates, key.data, key.len);
        if (found != NULL)
            return (berth__claim_template *)found;
    }
    return NULL;
}

/* A place for this reader's template with that key; NULL when out of memory. */
static berth__claim_template *place_of(berth_reader *reader, berth_str key)
{
    bool ok = true;
    berth__keymap_entry *found = berth__keymap_find(&reader->templates, key.data, key.len);
    if (found != NULL)
        return (berth__claim_template *)found;
    berth__claim_template *made = berth__arena_alloc_zero(&reader->kept, sizeof(*made), 8);
    berth_str kept = berth__arena_str(&reader->kept, key, &ok);
    if (made == NULL || !ok)
        return NULL;
    made->entry.key = kept.data;
    made->entry.key_bytes = kept.len;
    berth__keymap_add(&reader->templates, &made->entry);
    return made;
}

berth_status berth__register_claim_template(berth_reader *reader, const berth__item *item)
{
    template_object source = {.meta = {.name = {0}}};
    berth_object copy;
    const berth_object object = {.kind = BERTH_KIND_RESOURCE_CLAIM,
                                 .as.resource_claim = &source.claim};
    berth__decoder decoder = {&reader->object, reader->error};
    berth_status status =
        berth__decode_fields(&decoder, NULL, item->tree, berth__claim_template_fields, &source);
    if (status == BERTH_OK)
        status = berth__reader_name(reader, item, &source.meta);
    if (status != BERTH_OK)
        return berth__reader_fault(reader, item, status);
    reader->classes_learnt++;
    berth_str key = key_of(reader, &reader->object, source.meta.namespace_name, source.meta.name);
    /* The controller copies only these. */
    source.claim.meta = (berth_metadata){.labels = source.claim.meta.labels,
                                         .annotations = source.claim.meta.annotations};
    if (key.data == NULL || berth__object_copy_into(&reader->kept, &object, &copy) != BERTH_OK)
        return berth__reader_no_memory(reader);
    berth__claim_template *place = place_of(reader, key);
    if (place == NULL)
        return berth__reader_no_memory(reader);
    place->claim = copy.as.resource_claim;
    return BERTH_OK;
}

bool berth__claim_template_is_awaited(berth_reader *reader, const berth__item *item,
                                      const berth__json *spec)
{
    const berth__json *entries = berth__json_get(spec, "resourceClaims");
    if (!reader->options.apply_defaults || reader->finishing || entries == NULL ||
        entries->type != BERTH__JSON_ARRAY)
        return false;
    const berth__json *meta = berth__json_get(item->tree, "metadata");
    berth_str in = berth__json_text(berth__json_get(meta, "namespace"));
    for (uint32_t i = 0; i < entries->count; i++) {
        berth_str name =
            berth__json_text(berth__json_get(&entries->as.items[i], "resourceClaimTemplateName"));
        if (!berth__str_empty(name) &&
            find(reader, key_of(reader, &reader->object, in, name)) == NULL)
            return true;
    }
    return false;
}

/* ---- claims ---- */

/* As long as the controller's name, but with our own digits at the end. */
static berth_str name_claim(berth__arena *arena, bool *ok, const berth_pod *pod, berth_str entry)
{
    berth_str name = pod->meta.name;
    uint64_t pod_len = name.len, entry_len = entry.len, whole = pod_len + 1 + entry_len;
    if (whole > BASE_MAX_BYTES) { /* shorten both in proportion */
        pod_len = pod_len * BASE_MAX_BYTES / whole;
        entry_len = entry_len * BASE_MAX_BYTES / whole;
    }
    uint32_t hash = berth__name_hash(berth__name_hash(BERTH__NAME_HASH_SEED, name), entry);
    return berth__arena_print(arena, ok, "%.*s-%.*s-%05x", (int)pod_len, name.data, (int)entry_len,
                              entry.data, hash >> (32 - SUFFIX_BITS));
}

/* The template's annotations, and the one that names the entry. */
static berth_map annotate(berth__arena *arena, bool *ok, berth_map given, berth_str entry)
{
    berth_key_value *entries = berth__arena_alloc(arena, (given.count + 1u) * sizeof(*entries), 8);
    if (entries == NULL) {
        *ok = false;
        return (berth_map){0};
    }
    uint32_t count = 0;
    static const berth_str key = {"resource.kubernetes.io/pod-claim-name", 37};
    for (uint32_t i = 0; i < given.count; i++)
        if (!berth__str_eq(given.entries[i].key, key))
            entries[count++] = given.entries[i];
    entries[count++] = (berth_key_value){key, entry};
    return (berth_map){entries, count};
}

static berth_status emit_claim(berth_reader *reader, const berth__item *item, berth__arena *arena,
                               const berth_pod *pod, const berth__claim_template *template,
                               berth_pod_claim *out)
{
    bool ok = true;
    const berth_owner owner = {.api_version = BERTH_STR("v1"),
                               .kind = BERTH_STR("Pod"),
                               .name = pod->meta.name,
                               .uid = pod->meta.uid,
                               .controller = true};
    berth_resource_claim claim = *template->claim;
    out->claim = claim.meta.name = name_claim(arena, &ok, pod, out->name);
    claim.meta.namespace_name = berth__reader_namespace(reader, pod->meta.namespace_name);
    claim.meta.uid = berth__arena_print(arena, &ok, "%.*s/%.*s", (int)pod->meta.uid.len,
                                        pod->meta.uid.data, (int)out->name.len, out->name.data);
    claim.meta.annotations = annotate(arena, &ok, claim.meta.annotations, out->name);
    claim.meta.owners = &owner;
    claim.meta.owner_count = 1;
    return ok ? berth__reader_emit(reader, item, BERTH_KIND_RESOURCE_CLAIM, &claim)
              : berth__reader_no_memory(reader);
}

static bool has_status(const berth_pod *pod, berth_str entry)
{
    for (uint32_t i = 0; i < pod->resource_claim_status_count; i++)
        if (berth__str_eq(pod->resource_claim_statuses[i].name, entry))
            return true;
    return false;
}

static bool is_over(const berth_pod *pod)
{
    return berth__str_is(pod->phase, "Succeeded") || berth__str_is(pod->phase, "Failed");
}

/* A copy of the status's claims with room for one for each entry; NULL when out of memory. */
static berth_pod_claim *copy_statuses(berth__arena *arena, const berth_pod *pod)
{
    size_t most = (size_t)pod->resource_claim_status_count + pod->resource_claim_count;
    berth_pod_claim *statuses = berth__arena_alloc_zero(arena, most * sizeof(*statuses), 8);
    for (uint32_t i = 0; statuses != NULL && i < pod->resource_claim_status_count; i++)
        statuses[i] = pod->resource_claim_statuses[i];
    return statuses;
}

/* Ownership is recorded by uid, so the pod needs one. */
static bool give_uid(const berth_reader *reader, berth__arena *arena, berth_pod *pod)
{
    bool ok = true;
    berth_str in = berth__reader_namespace(reader, pod->meta.namespace_name);
    if (berth__str_empty(pod->meta.uid))
        pod->meta.uid = berth__arena_print(arena, &ok, "berth-%.*s/%.*s", (int)in.len, in.data,
                                           (int)pod->meta.name.len, pod->meta.name.data);
    return ok;
}

berth_status berth__make_claims(berth_reader *reader, const berth__item *item, berth__arena *arena,
                                berth_pod *pod)
{
    berth_pod_claim *statuses = NULL;
    if (reader->options.templates) /* they belong to an existing pod, not to one made like it */
        pod->resource_claim_status_count = 0;
    for (uint32_t i = 0; i < pod->resource_claim_count && !is_over(pod); i++) {
        const berth_pod_claim *entry = &pod->resource_claims[i];
        if (berth__str_empty(entry->claim_template) || has_status(pod, entry->name))
            continue;
        berth_str key = key_of(reader, arena, pod->meta.namespace_name, entry->claim_template);
        if (key.data == NULL)
            return berth__reader_no_memory(reader);
        const berth__claim_template *template = find(reader, key);
        if (template == NULL) {
            berth__note(reader, item, BERTH_NOTE_CLAIM_TEMPLATE_MISSING, entry->claim_template,
                        (berth_str){0});
            continue;
        }
        if (statuses == NULL)
            statuses = copy_statuses(arena, pod);
        if (statuses == NULL || !give_uid(reader, arena, pod))
            return berth__reader_no_memory(reader);
        berth_pod_claim *made = &statuses[pod->resource_claim_status_count];
        made->name = entry->name;
        BERTH_TRY(emit_claim(reader, item, arena, pod, template, made));
        pod->resource_claim_statuses = statuses;
        pod->resource_claim_status_count++;
    }
    return BERTH_OK;
}
