/* Source: kube-scheduler v1.37, extender.go, Filter, Prioritize, ProcessPreemption. */
#include "live/extenders/extender_answers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "live/writes/write_json.h"

/* ---- names ---- */

static int compare(berth_str a, berth_str b)
{
    const uint32_t common = a.len < b.len ? a.len : b.len;
    const int order = common > 0 ? memcmp(a.data, b.data, common) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static int by_name(const void *a, const void *b)
{
    return compare(((const asked_node *)a)->name, ((const asked_node *)b)->name);
}

asked_nodes asked_nodes_make(const berth_engine *engine, const berth_node_id *nodes, uint32_t count)
{
    asked_nodes asked = {heap_new(count > 0 ? count : 1, sizeof(*asked.items)), count};
    for (uint32_t i = 0; i < count; i++)
        asked.items[i] = (asked_node){berth_engine_node_name(engine, nodes[i]), i};
    qsort(asked.items, count, sizeof(*asked.items), by_name);
    return asked;
}

void asked_nodes_free(asked_nodes *asked)
{
    free(asked->items);
}

/* The place of a name in the question; false: the question did not contain it. */
static bool find(const asked_nodes *asked, berth_str name, uint32_t *place)
{
    const asked_node wanted = {.name = name};
    const asked_node *found = bsearch(&wanted, asked->items, asked->count, sizeof(wanted), by_name);
    if (found != NULL)
        *place = found->place;
    return found != NULL;
}

/* ---- JSON ---- */

/* The member with this name in any case; NULL if it is absent or null. */
static json_t *member(json_t *object, const char *name)
{
    json_t *found = json_object_get(object, name);
    void *at = json_object_iter(object);
    for (; found == NULL && at != NULL; at = json_object_iter_next(object, at))
        if (strcasecmp(json_object_iter_key(at), name) == 0)
            found = json_object_iter_value(at);
    return json_is_null(found) ? NULL : found;
}

static bool wrong(berth_error *error, const char *what)
{
    (void)error_set(error, BERTH_E_INVALID, NULL, "the extender's answer is not %s", what);
    return false;
}

bool answer_parse(berth_str body, json_t **root, berth_error *error)
{
    json_error_t place;
    /* As in Go, text after the value is ignored. */
    *root = json_loadb(body.data, body.len,
                       JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DISABLE_EOF_CHECK, &place);
    if (*root != NULL)
        return true;
    (void)error_set(error, BERTH_E_PARSE, NULL, "the extender's answer is no JSON: %s", place.text);
    return false;
}

/* ---- filter ---- */

/* Whether the answer has a list of nodes, and of which kind. */
static bool keep_nodes(json_t *list, bool names, const asked_nodes *asked, const char *url,
                       berth_extender_verdict *verdicts, berth_error *error)
{
    size_t i;
    json_t *item;
    if (!json_is_array(list))
        return wrong(error, "a list of nodes");
    json_array_foreach(list, i, item)
    {
        uint32_t place;
        json_t *name = names ? item : member(member(item, "metadata"), "name");
        if (!json_is_string(name))
            return wrong(error, "a list of nodes with names");
        if (!find(asked, write_str(json_string_value(name)), &place)) {
            (void)error_set(error, BERTH_E_INVALID, NULL,
                            "extender \"%s\" claims a filtered node \"%s\" which is not found in "
                            "the input node list",
                            url, json_string_value(name));
            return false;
        }
        verdicts[place] = BERTH_EXTENDER_KEEPS;
    }
    return true;
}

/* Reasons for refusing nodes, by name. */
static bool refuse_nodes(json_t *map, const asked_nodes *asked, berth_extender_verdict verdict,
                         berth_extender_verdict *verdicts, berth_str *reasons, berth_error *error)
{
    const char *name;
    json_t *reason;
    if (map == NULL)
        return true;
    if (!json_is_object(map))
        return wrong(error, "a map of nodes and reasons");
    json_object_foreach(map, name, reason)
    {
        uint32_t place;
        if (!json_is_string(reason) && !json_is_null(reason))
            return wrong(error, "a map of nodes and reasons");
        if (!find(asked, write_str(name), &place) || verdicts[place] == BERTH_EXTENDER_KEEPS)
            continue;
        verdicts[place] = verdict;
        reasons[place] = write_str(json_string_value(reason));
    }
    return true;
}

bool answer_of_filter(json_t *root, const asked_nodes *asked, bool names, const char *url,
                      berth_extender_verdict *verdicts, berth_str *reasons, berth_error *error)
{
    const char *failure = json_string_value(member(root, "Error"));
    if (!json_is_object(root))
        return wrong(error, "an object");
    if (failure != NULL && failure[0] != '\0') {
        (void)error_set(error, BERTH_E_INVALID, NULL, "%s", failure);
        return false;
    }
    for (uint32_t i = 0; i < asked->count; i++)
        verdicts[i] = BERTH_EXTENDER_LEAVES_OUT;
    json_t *list = names ? member(root, "NodeNames") : NULL;
    const bool named = list != NULL;
    json_t *nodes = member(root, "Nodes");
    if (!named && nodes != NULL)
        list = member(nodes, "items");
    return (list == NULL || keep_nodes(list, named, asked, url, verdicts, error)) &&
           refuse_nodes(member(root, "FailedNodes"), asked, BERTH_EXTENDER_REFUSES, verdicts,
                        reasons, error) &&
           refuse_nodes(member(root, "FailedAndUnresolvableNodes"), asked,
                        BERTH_EXTENDER_REFUSES_FOR_GOOD, verdicts, reasons, error);
}

/* ---- prioritize ---- */

bool answer_of_prioritize(json_t *root, const asked_nodes *asked, int64_t *scores,
                          berth_error *error)
{
    size_t i;
    json_t *item;
    if (!json_is_array(root))
        return json_is_null(root) || wrong(error, "a list of hosts and scores");
    json_array_foreach(root, i, item)
    {
        json_t *host = member(item, "Host"), *score = member(item, "Score");
        uint32_t place;
        if (!json_is_object(item) || (host != NULL && !json_is_string(host)) ||
            (score != NULL && !json_is_integer(score)))
            return wrong(error, "a list of hosts and scores");
        if (!find(asked, write_str(json_string_value(host)), &place))
            continue;
        if (scores[place] == BERTH_EXTENDER_NO_SCORE)
            scores[place] = 0;
        scores[place] = (int64_t)((uint64_t)scores[place] + (uint64_t)json_integer_value(score));
    }
    return true;
}

/* ---- preempt ---- */

bool answer_of_preempt(json_t *root, answered_victims **out, uint32_t *count, berth_error *error)
{
    json_t *map = member(root, "NodeNameToMetaVictims");
    const char *name;
    json_t *victims;
    *count = 0;
    *out = heap_new(json_object_size(map), sizeof(**out));
    if (map != NULL && !json_is_object(map))
        return wrong(error, "a map of nodes and victims");
    json_object_foreach(map, name, victims)
    {
        json_t *pods = member(victims, "Pods");
        if (pods != NULL && !json_is_array(pods))
            return wrong(error, "a map of nodes and victims");
        (*out)[(*count)++] = (answered_victims){
            write_str(name), json_integer_value(member(victims, "NumPDBViolations")), pods};
    }
    return true;
}

const char *answered_uid(json_t *pod)
{
    const char *uid = json_string_value(member(pod, "UID"));
    return uid != NULL ? uid : "";
}
