/* Each step is derived from what the server shows, so a step whose outcome was lost is still done
 * only once. */
#include "live/writes/device_claim.h"

#include <stdlib.h>
#include <string.h>

static const char finalizer[] = "resource.kubernetes.io/delete-protection";

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static const json_t *at(const json_t *object, const char *first, const char *second)
{
    return json_object_get(json_object_get(object, first), second);
}

static device_claim_step fail(char **text, const device_claim_plan *plan, const char *what)
{
    *text = write_path("claim %.*s %s", WRITE_ARG(plan->name), what);
    return DEVICE_CLAIM_FAILED;
}

/* ---- configurations ---- */

/* The name of a request in results: REQUEST, or REQUEST/SUBREQUEST for the chosen alternative;
 * `*ask` is set to the request or alternative. Returns NULL if nothing was allocated for it. Owner:
 * the caller frees the name with free. */
static char *chosen_name(const json_t *request, const json_t *results, const json_t **ask)
{
    const char *name = text_of(request, "name");
    size_t at_index, length = strlen(name);
    json_t *result, *sub;
    *ask = json_object_get(request, "exactly");
    if (*ask != NULL)
        return write_path("%s", name);
    json_array_foreach(results, at_index, result)
    {
        const char *full = text_of(result, "request");
        if (strncmp(full, name, length) != 0 || full[length] != '/')
            continue;
        size_t nth;
        json_array_foreach(json_object_get(request, "firstAvailable"), nth, sub)
        {
            if (strcmp(text_of(sub, "name"), full + length + 1) == 0)
                *ask = sub;
        }
        return *ask != NULL ? write_path("%s", full) : NULL;
    }
    return NULL;
}

/* Results carry the tolerations of their request. */
static void add_tolerations(json_t *results, const char *name, const json_t *ask)
{
    json_t *tolerations = json_object_get(ask, "tolerations"), *result;
    size_t i;
    if (json_array_size(tolerations) == 0)
        return;
    json_array_foreach(results, i, result)
    {
        if (strcmp(text_of(result, "request"), name) == 0)
            json_object_set(result, "tolerations", tolerations);
    }
}

/* Groups the requests of a claim by device class, in the order of requests: [{class, requests}].
 * Also adds the requests' tolerations to the results. */
static json_t *requests_by_class(const json_t *claim, json_t *results)
{
    json_t *groups = json_array(), *request, *group;
    size_t i, g;
    json_array_foreach(json_object_get(at(claim, "spec", "devices"), "requests"), i, request)
    {
        const json_t *ask;
        char *name = chosen_name(request, results, &ask);
        if (name == NULL)
            continue;
        add_tolerations(results, name, ask);
        const char *class_name = text_of(ask, "deviceClassName");
        json_t *found = NULL;
        json_array_foreach(groups, g, group)
        {
            if (strcmp(text_of(group, "class"), class_name) == 0)
                found = group;
        }
        if (found == NULL) {
            found = json_pack("{ss s[]}", "class", class_name, "requests");
            json_array_append_new(groups, found);
        }
        json_array_append_new(json_object_get(found, "requests"), json_string(name));
        free(name);
    }
    return groups;
}

static void add_config(json_t *out, const json_t *config, const char *source, json_t *requests)
{
    json_t *copy = json_deep_copy(config);
    json_object_set_new(copy, "source", json_string(source));
    if (requests != NULL)
        json_object_set(copy, "requests", requests);
    json_array_append_new(out, copy);
}

/* Whether a configuration of the claim names a request that was allocated, by its own name or that
 * of the chosen alternative. */
static bool names(const char *named, const char *chosen)
{
    size_t length = strlen(named);
    return strcmp(named, chosen) == 0 ||
           (strncmp(named, chosen, length) == 0 && chosen[length] == '/');
}

/* Adds one of the claim's own configurations: once if it names no requests, otherwise once for each
 * request that it names. */
static void add_own_config(json_t *out, const json_t *config, const json_t *groups)
{
    json_t *requests = json_object_get(config, "requests"), *group, *served, *named;
    size_t g, s, n;
    if (json_array_size(requests) == 0) {
        add_config(out, config, "FromClaim", NULL);
        return;
    }
    json_array_foreach(groups, g, group)
    {
        json_array_foreach(json_object_get(group, "requests"), s, served)
        {
            bool is_named = false;
            json_array_foreach(requests, n, named)
            {
                is_named |= names(json_string_value(named), json_string_value(served));
            }
            if (is_named)
                add_config(out, config, "FromClaim", NULL);
        }
    }
}

static json_t *configs_of(const json_t *claim, const json_t *groups, const device_claim_plan *plan)
{
    json_t *out = json_array(), *group, *config;
    size_t g, c;
    json_array_foreach(groups, g, group)
    {
        json_array_foreach(json_object_get(plan->class_configs, text_of(group, "class")), c, config)
        {
            add_config(out, config, "FromClass", json_object_get(group, "requests"));
        }
    }
    json_array_foreach(json_object_get(at(claim, "spec", "devices"), "config"), c, config)
    {
        add_own_config(out, config, groups);
    }
    return out;
}

/* The first class whose configurations are not known yet, or NULL. */
static const char *unknown_class(const json_t *groups, const device_claim_plan *plan)
{
    json_t *group;
    size_t g;
    json_array_foreach(groups, g, group)
    {
        const char *name = text_of(group, "class");
        if (json_object_get(plan->class_configs, name) == NULL)
            return name;
    }
    return NULL;
}

/* ---- request bodies ---- */

static bool has_finalizer(const json_t *claim)
{
    json_t *item;
    size_t i;
    json_array_foreach(at(claim, "metadata", "finalizers"), i, item)
    {
        if (json_is_string(item) && strcmp(json_string_value(item), finalizer) == 0)
            return true;
    }
    return false;
}

static json_t *head_of(const json_t *claim)
{
    const json_t *meta = json_object_get(claim, "metadata");
    return json_pack("{ss ss}", "resourceVersion", text_of(meta, "resourceVersion"), "uid",
                     text_of(meta, "uid"));
}

static char *finalizer_body(const json_t *claim)
{
    const json_t *have = at(claim, "metadata", "finalizers");
    json_t *list = json_is_array(have) ? json_deep_copy(have) : json_array();
    json_t *meta = head_of(claim);
    json_array_append_new(list, json_string(finalizer));
    json_object_set_new(meta, "finalizers", list);
    return write_json_text(json_pack("{so}", "metadata", meta));
}

char *device_claim_unprotect(const json_t *claim)
{
    json_t *item, *rest, *meta;
    size_t i;
    if (!has_finalizer(claim))
        return NULL;
    rest = json_array();
    json_array_foreach(at(claim, "metadata", "finalizers"), i, item)
    {
        if (json_is_string(item) && strcmp(json_string_value(item), finalizer) != 0)
            json_array_append(rest, item);
    }
    meta = head_of(claim);
    json_object_set_new(meta, "finalizers", rest);
    return write_json_text(json_pack("{so}", "metadata", meta));
}

static bool is_reserved(const json_t *claim, berth_str pod_uid)
{
    json_t *item;
    size_t i;
    json_array_foreach(at(claim, "status", "reservedFor"), i, item)
    {
        if (write_str_equal(write_str(text_of(item, "uid")), pod_uid))
            return true;
    }
    return false;
}

static json_t *reserved_for(const json_t *claim, const device_claim_plan *plan)
{
    const json_t *have = at(claim, "status", "reservedFor");
    json_t *list = json_is_array(have) ? json_deep_copy(have) : json_array();
    json_array_append_new(list, json_pack("{ss so so}", "resource", "pods", "name",
                                          write_json_str(plan->pod_name), "uid",
                                          write_json_str(plan->pod_uid)));
    return list;
}

/* The allocation with its configurations and its time. Returns NULL if a class is not known yet,
 * with the class in `*text`. */
static json_t *whole_allocation(const json_t *claim, const device_claim_plan *plan, int64_t wall_ns,
                                char **text)
{
    char now[WRITE_TIME_BYTES];
    json_t *whole = json_deep_copy(plan->allocation);
    json_t *devices = json_object_get(whole, "devices");
    json_t *groups = requests_by_class(claim, json_object_get(devices, "results"));
    const char *missing = unknown_class(groups, plan);
    if (missing != NULL) {
        *text = write_path("%s", missing);
        json_decref(groups);
        json_decref(whole);
        return NULL;
    }
    json_t *configs = configs_of(claim, groups, plan);
    if (json_array_size(configs) > 0)
        json_object_set(devices, "config", configs);
    json_decref(configs);
    json_decref(groups);
    write_time(now, wall_ns);
    json_object_set_new(whole, "allocationTimestamp", json_string(now));
    return whole;
}

static device_claim_step status_step(const json_t *claim, const device_claim_plan *plan,
                                     int64_t wall_ns, bool allocates, char **text)
{
    json_t *status = json_object();
    if (allocates) {
        json_t *whole = whole_allocation(claim, plan, wall_ns, text);
        if (whole == NULL) {
            json_decref(status);
            return DEVICE_CLAIM_CLASSES;
        }
        json_object_set_new(status, "allocation", whole);
    }
    json_object_set_new(status, "reservedFor", reserved_for(claim, plan));
    *text = write_json_text(json_pack("{so so}", "metadata", head_of(claim), "status", status));
    return DEVICE_CLAIM_STATUS;
}

/* ---- conditions ---- */

/* The condition of that type with status True, for one device of status.devices; or NULL. */
static const json_t *true_condition(const json_t *device, const char *type)
{
    json_t *condition;
    size_t i;
    json_array_foreach(json_object_get(device, "conditions"), i, condition)
    {
        if (strcmp(text_of(condition, "type"), type) == 0 &&
            strcmp(text_of(condition, "status"), "True") == 0)
            return condition;
    }
    return NULL;
}

static const json_t *told_of(const json_t *claim, const json_t *result)
{
    json_t *device;
    size_t i;
    json_array_foreach(at(claim, "status", "devices"), i, device)
    {
        if (strcmp(text_of(device, "driver"), text_of(result, "driver")) == 0 &&
            strcmp(text_of(device, "pool"), text_of(result, "pool")) == 0 &&
            strcmp(text_of(device, "device"), text_of(result, "device")) == 0)
            return device;
    }
    return NULL;
}

static device_claim_step device_step(const json_t *device, const json_t *result,
                                     const device_claim_plan *plan, char **text)
{
    json_t *type;
    size_t i;
    json_array_foreach(json_object_get(result, "bindingFailureConditions"), i, type)
    {
        const json_t *failed = true_condition(device, json_string_value(type));
        if (failed == NULL)
            continue;
        *text = write_path("device binding failed: claim=%.*s, reason=%s, message=\"%s\"",
                           WRITE_ARG(plan->name), text_of(failed, "reason"),
                           text_of(failed, "message"));
        return DEVICE_CLAIM_FAILED;
    }
    json_array_foreach(json_object_get(result, "bindingConditions"), i, type)
    {
        if (true_condition(device, json_string_value(type)) == NULL)
            return DEVICE_CLAIM_WAITS;
    }
    return DEVICE_CLAIM_READY;
}

static device_claim_step conditions_step(const json_t *claim, const device_claim_plan *plan,
                                         char **text)
{
    const json_t *devices = json_object_get(at(claim, "status", "allocation"), "devices");
    device_claim_step all = DEVICE_CLAIM_READY;
    json_t *result;
    size_t i;
    json_array_foreach(json_object_get(devices, "results"), i, result)
    {
        device_claim_step step = device_step(told_of(claim, result), result, plan, text);
        if (step == DEVICE_CLAIM_FAILED)
            return step;
        if (step == DEVICE_CLAIM_WAITS)
            all = step;
    }
    return all;
}

/* ---- steps ---- */

static bool is_same(const json_t *one, const json_t *other, const char *key)
{
    return strcmp(text_of(one, key), text_of(other, key)) == 0;
}

/* Whether an earlier attempt of ours has already written this allocation. */
static bool has_ours(const json_t *have, const json_t *ours)
{
    const json_t *there = at(have, "devices", "results"), *chosen = at(ours, "devices", "results");
    json_t *result;
    size_t i;
    json_array_foreach(chosen, i, result)
    {
        const json_t *other = json_array_get(there, i);
        if (!is_same(result, other, "request") || !is_same(result, other, "driver") ||
            !is_same(result, other, "pool") || !is_same(result, other, "device") ||
            !is_same(result, other, "shareID"))
            return false;
    }
    return json_array_size(there) == json_array_size(chosen);
}

device_claim_step device_claim_next(const json_t *claim, const device_claim_plan *plan,
                                    int64_t wall_ns, char **text)
{
    const json_t *meta = json_object_get(claim, "metadata");
    const json_t *allocation = at(claim, "status", "allocation");
    bool is_allocated = json_is_object(allocation);
    *text = NULL;
    if (!write_str_equal(write_str(text_of(meta, "uid")), plan->uid) ||
        text_of(meta, "deletionTimestamp")[0] != '\0')
        return fail(text, plan, "got deleted in the meantime");
    if (plan->allocation == NULL && !is_allocated)
        return fail(text, plan, "got deallocated elsewhere in the meantime");
    if (plan->allocation != NULL && is_allocated && !has_ours(allocation, plan->allocation))
        return fail(text, plan, "got allocated elsewhere in the meantime");
    if (is_allocated && is_reserved(claim, plan->pod_uid))
        return conditions_step(claim, plan, text);
    if (!is_allocated && !has_finalizer(claim)) {
        *text = finalizer_body(claim);
        return DEVICE_CLAIM_FINALIZER;
    }
    return status_step(claim, plan, wall_ns, !is_allocated, text);
}

bool device_claim_is_spare(const json_t *claim, berth_str pod_uid)
{
    size_t count = json_array_size(at(claim, "status", "reservedFor"));
    return count == 0 || (count == 1 && is_reserved(claim, pod_uid));
}

char *device_claim_free(berth_str claim_uid, berth_str version)
{
    return write_json_text(json_pack(
        "{s{so so} s{sn sn sn}}", "metadata", "uid", write_json_str(claim_uid), "resourceVersion",
        write_json_str(version), "status", "allocation", "reservedFor", "devices"));
}

char *device_claim_release(berth_str claim_uid, berth_str pod_uid)
{
    return write_json_text(json_pack("{s{so} s{s[{ss so}]}}", "metadata", "uid",
                                     write_json_str(claim_uid), "status", "reservedFor", "$patch",
                                     "delete", "uid", write_json_str(pod_uid)));
}
