/* The extenders of a KubeSchedulerConfiguration, and what they change in its profiles.
 * Source: kube-scheduler v1.37, apis/config/types.go (Extender), validation/validation.go
 * (validateExtenders), scheduler.go (buildExtenders). */
#include <inttypes.h>

#include "base/names.h"
#include "base/text.h"
#include "config/config.h"
#include "model/model.h"

static const int64_t TIMEOUT_NS = INT64_C(5000000000); /* DefaultExtenderTimeout */

/* ---- one extender ---- */

static berth_status read_tls(berth__config_tree *tree, const berth__json *json,
                             berth_extender_config *out)
{
    static const char *const fields[] = {"insecure", "serverName", "certFile", "keyFile", "caFile",
                                         "certData", "keyData",    "caData",   NULL};
    const berth__json *tls = berth__config_member(json, "tlsConfig");
    if (tls == NULL)
        return BERTH_OK;
    const size_t before = berth__config_enter(tree, "tlsConfig");
    BERTH_TRY(berth__config_object(tree, tls, fields));
    BERTH_TRY(berth__config_bool(tree, tls, "insecure", &out->tls.insecure));
    BERTH_TRY(berth__config_string(tree, tls, "serverName", &out->tls.server_name));
    BERTH_TRY(berth__config_string(tree, tls, "certFile", &out->tls.certificate_file));
    BERTH_TRY(berth__config_string(tree, tls, "keyFile", &out->tls.key_file));
    BERTH_TRY(berth__config_string(tree, tls, "caFile", &out->tls.ca_file));
    BERTH_TRY(berth__config_string(tree, tls, "certData", &out->tls.certificate_base64));
    BERTH_TRY(berth__config_string(tree, tls, "keyData", &out->tls.key_base64));
    BERTH_TRY(berth__config_string(tree, tls, "caData", &out->tls.ca_base64));
    berth__config_leave(tree, before);
    return BERTH_OK;
}

/* The resources that the extenders read so far manage; a resource has one extender. */
typedef struct managed {
    berth_str *names;
    berth__names index;
} managed;

/* How many resources an extender lists, whether or not it is well-formed. */
static uint32_t count_managed(const berth__json *extender)
{
    const berth__json *resources = extender->type == BERTH__JSON_OBJECT
                                       ? berth__config_member(extender, "managedResources")
                                       : NULL;
    return resources != NULL && resources->type == BERTH__JSON_ARRAY ? resources->count : 0;
}

/* Make room for the resources of a list of extenders. */
static berth_status make_managed(berth__config_tree *tree, const berth__json *list, managed *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; list != NULL && i < list->count; i++)
        count += count_managed(&list->as.items[i]);
    out->names = berth__config_array(tree, count, sizeof(*out->names));
    if (out->names == NULL)
        return BERTH_E_NOMEM;
    if (!berth__names_make(tree->arena, out->names, sizeof(*out->names), 0, count, &out->index))
        return berth__config_nomem(tree);
    return BERTH_OK;
}

/* Note a resource. False: another extender manages it, or this one twice. */
static bool note_managed(managed *all, berth_str name)
{
    if (berth__names_find(&all->index, name) != BERTH__NAMES_NONE)
        return false;
    all->names[all->index.count] = name;
    berth__names_put(&all->index);
    return true;
}

/* Read the names of managed resources; those that the scheduler ignores come first in `names`. */
static berth_status read_resources(berth__config_tree *tree, const berth__json *json, managed *all,
                                   berth_extender_config *out)
{
    static const char *const fields[] = {"name", "ignoredByScheduler", NULL};
    const berth__json *list;
    BERTH_TRY(berth__config_short_list(tree, json, "managedResources", &list));
    const uint32_t count = list != NULL ? list->count : 0;
    berth_str *names = berth__config_array(tree, count, sizeof(*names));
    if (names == NULL)
        return BERTH_E_NOMEM;
    const size_t outer = berth__config_enter(tree, "managedResources");
    for (uint32_t i = 0; i < count; i++) {
        const berth__json *item = &list->as.items[i];
        const size_t before = berth__config_enter_at(tree, i);
        bool ignored = false;
        berth_str name = {0};
        BERTH_TRY(berth__config_object(tree, item, fields));
        BERTH_TRY(berth__config_name(tree, item, "name", &name));
        BERTH_TRY(berth__config_bool(tree, item, "ignoredByScheduler", &ignored));
        berth__config_enter(tree, "name");
        if (!berth__resource_is_extended(name))
            return berth__config_fail(tree, BERTH_E_INVALID,
                                      "\"%.*s\" is not the name of an extended resource",
                                      (int)name.len, name.data);
        if (!note_managed(all, name))
            return berth__config_fail(tree, BERTH_E_INVALID, "\"%.*s\" is there twice",
                                      (int)name.len, name.data);
        names[i] = name;
        if (ignored) {
            names[i] = names[out->ignored_count];
            names[out->ignored_count++] = name;
        }
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    out->managed_resources = (berth_strs){names, count};
    return BERTH_OK;
}

static berth_status check_weight(berth__config_tree *tree, const berth_extender_config *extender)
{
    if (extender->prioritize_verb.len == 0 || extender->weight > 0)
        return BERTH_OK;
    berth__config_enter(tree, "weight");
    return berth__config_fail(tree, BERTH_E_INVALID,
                              "must be above 0 for an extender with a prioritizeVerb");
}

static berth_status read_extender(berth__config_tree *tree, const berth__json *json, managed *all,
                                  berth_extender_config *out)
{
    static const char *const fields[] = {
        "urlPrefix", "filterVerb",       "preemptVerb", "prioritizeVerb", "weight",
        "bindVerb",  "enableHTTPS",      "tlsConfig",   "httpTimeout",    "nodeCacheCapable",
        "ignorable", "managedResources", NULL};
    BERTH_TRY(berth__config_object(tree, json, fields));
    BERTH_TRY(berth__config_name(tree, json, "urlPrefix", &out->url_prefix));
    BERTH_TRY(berth__config_string(tree, json, "filterVerb", &out->filter_verb));
    BERTH_TRY(berth__config_string(tree, json, "preemptVerb", &out->preempt_verb));
    BERTH_TRY(berth__config_string(tree, json, "prioritizeVerb", &out->prioritize_verb));
    BERTH_TRY(berth__config_string(tree, json, "bindVerb", &out->bind_verb));
    BERTH_TRY(berth__config_int(tree, json, "weight", (berth__config_range){INT64_MIN, INT64_MAX},
                                &out->weight));
    BERTH_TRY(berth__config_bool(tree, json, "enableHTTPS", &out->enable_https));
    BERTH_TRY(berth__config_bool(tree, json, "nodeCacheCapable", &out->node_cache_capable));
    BERTH_TRY(berth__config_bool(tree, json, "ignorable", &out->ignorable));
    BERTH_TRY(berth__config_duration(tree, json, "httpTimeout", 0, &out->timeout_ns));
    if (out->timeout_ns == 0)
        out->timeout_ns = TIMEOUT_NS;
    BERTH_TRY(read_tls(tree, json, out));
    BERTH_TRY(read_resources(tree, json, all, out));
    return check_weight(tree, out);
}

/* ---- ignored resources ---- */

/* All resources that some extender manages and the scheduler ignores. */
static berth_status list_ignored(berth__config_tree *tree, const berth_extender_config *extenders,
                                 uint32_t count, berth_strs *out)
{
    uint32_t most = 0, filled = 0;
    for (uint32_t i = 0; i < count; i++)
        most += extenders[i].ignored_count;
    berth_str *names = berth__config_array(tree, most, sizeof(*names));
    if (names == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < extenders[i].ignored_count; k++)
            names[filled++] = extenders[i].managed_resources.items[k];
    *out = (berth_strs){names, filled};
    return BERTH_OK;
}

/* Replace the ignored resources of NodeResourcesFit at one point of a profile. */
static berth_status ignore_at(berth__config_tree *tree, berth_plugin_list *list, berth_strs ignored)
{
    berth_plugin_ref *refs = berth__config_array(tree, list->count, sizeof(*refs));
    if (refs == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < list->count; i++) {
        refs[i] = list->items[i];
        if (!berth__str_is(refs[i].name, "NodeResourcesFit"))
            continue;
        berth_plugin_args *args = berth__config_array(tree, 1, sizeof(*args));
        if (args == NULL)
            return BERTH_E_NOMEM;
        if (refs[i].args != NULL)
            *args = *refs[i].args;
        args->fit.ignored_resources = ignored;
        refs[i].args = args;
    }
    list->items = refs;
    return BERTH_OK;
}

static berth_status ignore_in(berth__config_tree *tree, berth_profile *profile, berth_strs ignored)
{
    berth_plugin_list *points = berth__config_array(tree, profile->point_count, sizeof(*points));
    if (points == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t p = 0; p < profile->point_count; p++) {
        points[p] = profile->points[p];
        BERTH_TRY(ignore_at(tree, &points[p], ignored));
    }
    profile->points = points;
    return BERTH_OK;
}

static berth_status ignore_resources(berth__config_tree *tree, berth_scheduler_config *config)
{
    berth_strs ignored;
    BERTH_TRY(list_ignored(tree, config->extenders, config->extender_count, &ignored));
    if (ignored.count == 0)
        return BERTH_OK;
    berth_profile *profiles = berth__config_array(tree, config->profile_count, sizeof(*profiles));
    if (profiles == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < config->profile_count; i++) {
        profiles[i] = config->profiles[i];
        BERTH_TRY(ignore_in(tree, &profiles[i], ignored));
    }
    config->profiles = profiles;
    return BERTH_OK;
}

/* ---- the list ---- */

berth_status berth__config_extenders_read(berth__config_tree *tree, const berth__json *root,
                                          berth_scheduler_config *config)
{
    const berth__json *list;
    uint32_t binders = 0;
    BERTH_TRY(berth__config_short_list(tree, root, "extenders", &list));
    const uint32_t count = list != NULL ? list->count : 0;
    berth_extender_config *extenders = berth__config_array(tree, count, sizeof(*extenders));
    if (extenders == NULL)
        return BERTH_E_NOMEM;
    managed all;
    BERTH_TRY(make_managed(tree, list, &all));
    const size_t outer = berth__config_enter(tree, "extenders");
    for (uint32_t i = 0; i < count; i++) {
        const size_t before = berth__config_enter_at(tree, i);
        BERTH_TRY(read_extender(tree, &list->as.items[i], &all, &extenders[i]));
        binders += extenders[i].bind_verb.len > 0;
        berth__config_leave(tree, before);
    }
    if (binders > 1)
        return berth__config_fail(tree, BERTH_E_INVALID,
                                  "only one extender may have a bindVerb, not %" PRIu32, binders);
    berth__config_leave(tree, outer);
    config->extenders = extenders;
    config->extender_count = count;
    return ignore_resources(tree, config);
}
