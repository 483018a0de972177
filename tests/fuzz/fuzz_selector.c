/* Selectors: for any nodes, pods and budgets in a text, a pod's nodeSelector and required node
 * affinity choose the same nodes, and a budget's selector the same pods, as in the plain scheduler
 * of the property tests. */
#include "fuzz.h"

#include <string.h>

#include "berth/berth.h"
#include "berth/query.h"
#include "naive.h"

enum { KEPT_MAX = 16 };

typedef struct objects {
    berth_engine *engine;
    berth_object *kept[KEPT_MAX];
    uint32_t count;
} objects;

static berth_status keep(void *context, const berth_object *object, const berth_error *origin,
                         berth_error *error)
{
    objects *o = context;
    (void)origin;
    (void)error;
    if (o->count == KEPT_MAX || berth_engine_add(o->engine, object, NULL, NULL) != BERTH_OK)
        return BERTH_OK;
    FUZZ_CHECK(berth_object_copy(object, NULL, &o->kept[o->count], NULL) == BERTH_OK);
    o->count++;
    return BERTH_OK;
}

static berth_engine *make_engine(void)
{
    static const berth_plugin_ref affinity = {.name = {"NodeAffinity", 12}};
    static berth_plugin_list points[BERTH_POINT_COUNT];
    points[BERTH_POINT_PRE_FILTER] = (berth_plugin_list){&affinity, 1};
    points[BERTH_POINT_FILTER] = (berth_plugin_list){&affinity, 1};
    berth_profile profile = *berth_profile_default();
    profile.points = points;
    profile.point_count = BERTH_POINT_COUNT;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.profiles = &profile;
    config.profile_count = 1;
    berth_engine *engine;
    FUZZ_CHECK(berth_engine_create(&config, &engine, NULL) == BERTH_OK);
    return engine;
}

static void check_node(const objects *o, const berth_pod *pod, const berth_node *node)
{
    berth_fit fit = {.size = sizeof(fit)};
    berth_pod_id id = berth_engine_find_pod(o->engine, naive_namespace(&pod->meta), pod->meta.name);
    berth_status status = berth_engine_fits(
        o->engine, id, berth_engine_find_node(o->engine, node->meta.name), 0, &fit, NULL);
    if (status == BERTH_OK && fit.verdict != BERTH_VERDICT_ERROR)
        FUZZ_CHECK((fit.verdict == BERTH_VERDICT_PLACED) == naive_wants_node(pod, node));
}

static void check_budgets(const objects *o, const berth_pod *pod)
{
    bool forbidden = false, covered = false;
    berth_pod_id id = berth_engine_find_pod(o->engine, naive_namespace(&pod->meta), pod->meta.name);
    for (uint32_t i = 0; i < o->count; i++) {
        const berth_pod_disruption_budget *budget = o->kept[i]->as.pod_disruption_budget;
        if (o->kept[i]->kind != BERTH_KIND_POD_DISRUPTION_BUDGET ||
            !naive_same(naive_namespace(&budget->meta), naive_namespace(&pod->meta)))
            continue;
        if (budget->disruptions_allowed != 0 || budget->disrupted_pods.count > 0)
            return;
        covered |= pod->meta.labels.count > 0 && !naive_selector_empty(budget->selector) &&
                   naive_selector_valid(budget->selector) &&
                   naive_selector_matches(budget->selector, pod->meta.labels);
    }
    (void)berth_engine_forbidden(o->engine, &id, 1, &forbidden);
    FUZZ_CHECK(id == BERTH_POD_NONE || forbidden == covered);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const berth_str text = {(const char *)data, (uint32_t)size};
    const berth_read_options options = {.size = sizeof(options), .threads = 1};
    objects o = {.engine = make_engine()};
    berth_reader *reader;
    FUZZ_CHECK(berth_reader_create(&options, &reader, NULL) == BERTH_OK);
    (void)berth_reader_text(reader, text, "fuzz", keep, &o, NULL);
    for (uint32_t p = 0; p < o.count; p++) {
        if (o.kept[p]->kind != BERTH_KIND_POD)
            continue;
        check_budgets(&o, o.kept[p]->as.pod);
        for (uint32_t n = 0; n < o.count; n++)
            if (o.kept[n]->kind == BERTH_KIND_NODE)
                check_node(&o, o.kept[p]->as.pod, o.kept[n]->as.node);
    }
    for (uint32_t i = 0; i < o.count; i++)
        berth_object_destroy(o.kept[i]);
    berth_reader_destroy(reader);
    berth_engine_destroy(o.engine);
    return 0;
}
