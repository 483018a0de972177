#include "live/run/written_parts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef enum member_kind { TEXT, NUMBER, FLAG, TEXTS, LIST, OBJECT } member_kind;

typedef enum member_use {
    FILLED, /* written unless it is empty: Go's `omitempty` */
    GIVEN,  /* written if the file has it, whatever its value: a pointer with `omitempty` */
    ALWAYS, /* written in any case */
} member_use;

enum { MEMBERS_MAX = 16 };

struct written_struct {
    struct {
        const char *name;
        member_kind kind;
        member_use use;
        const written_struct *as; /* of a LIST's items, or an OBJECT */
    } members[MEMBERS_MAX];       /* up to the first one without a name */
};

static const written_struct requirement = {{{"key", TEXT, ALWAYS, NULL},
                                            {"operator", TEXT, ALWAYS, NULL},
                                            {"values", TEXTS, FILLED, NULL}}};

static const written_struct selector_term = {{{"matchExpressions", LIST, FILLED, &requirement},
                                              {"matchFields", LIST, FILLED, &requirement}}};

static const written_struct node_selector = {{{"nodeSelectorTerms", LIST, ALWAYS, &selector_term}}};

static const written_struct preferred_term = {
    {{"weight", NUMBER, ALWAYS, NULL}, {"preference", OBJECT, ALWAYS, &selector_term}}};

const written_struct written_node_affinity = {
    {{"requiredDuringSchedulingIgnoredDuringExecution", OBJECT, GIVEN, &node_selector},
     {"preferredDuringSchedulingIgnoredDuringExecution", LIST, FILLED, &preferred_term}}};

const written_struct written_spread_constraint = {{{"maxSkew", NUMBER, ALWAYS, NULL},
                                                   {"topologyKey", TEXT, ALWAYS, NULL},
                                                   {"whenUnsatisfiable", TEXT, ALWAYS, NULL},
                                                   {"minDomains", NUMBER, GIVEN, NULL},
                                                   {"nodeAffinityPolicy", TEXT, GIVEN, NULL},
                                                   {"nodeTaintsPolicy", TEXT, GIVEN, NULL},
                                                   {"matchLabelKeys", TEXTS, FILLED, NULL}}};

const written_struct written_shape_point = {
    {{"utilization", NUMBER, ALWAYS, NULL}, {"score", NUMBER, ALWAYS, NULL}}};

const written_struct written_ratio = {{{"shape", LIST, FILLED, &written_shape_point}}};

const written_struct written_resource = {
    {{"name", TEXT, ALWAYS, NULL}, {"weight", NUMBER, FILLED, NULL}}};

static const written_struct managed_resource = {
    {{"name", TEXT, ALWAYS, NULL}, {"ignoredByScheduler", FLAG, FILLED, NULL}}};

static const written_struct extender_tls = {{{"insecure", FLAG, FILLED, NULL},
                                             {"serverName", TEXT, FILLED, NULL},
                                             {"certFile", TEXT, FILLED, NULL},
                                             {"keyFile", TEXT, FILLED, NULL},
                                             {"caFile", TEXT, FILLED, NULL},
                                             {"certData", TEXT, FILLED, NULL},
                                             {"keyData", TEXT, FILLED, NULL},
                                             {"caData", TEXT, FILLED, NULL}}};

const written_struct written_extender = {{{"urlPrefix", TEXT, ALWAYS, NULL},
                                          {"filterVerb", TEXT, FILLED, NULL},
                                          {"preemptVerb", TEXT, FILLED, NULL},
                                          {"prioritizeVerb", TEXT, FILLED, NULL},
                                          {"weight", NUMBER, FILLED, NULL},
                                          {"bindVerb", TEXT, FILLED, NULL},
                                          {"enableHTTPS", FLAG, FILLED, NULL},
                                          {"tlsConfig", OBJECT, GIVEN, &extender_tls},
                                          {"httpTimeout", TEXT, ALWAYS, NULL},
                                          {"nodeCacheCapable", FLAG, FILLED, NULL},
                                          {"managedResources", LIST, FILLED, &managed_resource},
                                          {"ignorable", FLAG, FILLED, NULL}}};

/* The value of a member, empty if it is absent or of another type. */
static json_t *value_of(member_kind kind, const written_struct *as, const json_t *given)
{
    const char *text = json_string_value(given);
    json_t *list;
    switch (kind) {
    case TEXT:
        return json_string(text != NULL ? text : "");
    case NUMBER:
        return json_integer(text != NULL ? strtoll(text, NULL, 10) : 0);
    case FLAG:
        return json_boolean(json_is_true(given));
    case OBJECT:
        return written_part(as, given);
    default:
        list = kind == LIST ? written_parts(as, given) : written_texts(given);
        return list != NULL ? list : json_is_array(given) ? json_array() : json_null();
    }
}

static bool is_empty(const json_t *value)
{
    const char *text = json_string_value(value);
    return json_is_null(value) || json_is_false(value) || (text != NULL && text[0] == '\0') ||
           (json_is_integer(value) && json_integer_value(value) == 0) ||
           (json_is_array(value) && json_array_size(value) == 0);
}

json_t *written_part(const written_struct *as, const json_t *given)
{
    json_t *out = json_object();
    for (size_t i = 0; i < MEMBERS_MAX && as->members[i].name != NULL; i++) {
        const char *name = as->members[i].name;
        const member_use use = as->members[i].use;
        const json_t *member = json_object_get(given, name);
        json_t *value = value_of(as->members[i].kind, as->members[i].as, member);
        const bool is_given = member != NULL && !json_is_null(member);
        if (use == ALWAYS || (use == GIVEN && is_given) || (use == FILLED && !is_empty(value)))
            json_object_set(out, name, value);
        json_decref(value);
    }
    return out;
}

json_t *written_parts(const written_struct *as, const json_t *given)
{
    size_t i;
    const json_t *item;
    if (json_array_size(given) == 0)
        return NULL;
    json_t *list = json_array();
    json_array_foreach(given, i, item) json_array_append_new(list, written_part(as, item));
    return list;
}

json_t *written_texts(const json_t *given)
{
    return json_array_size(given) > 0 ? json_deep_copy(given) : NULL;
}
