/* Matches a pod's node selector, required affinity and tolerations with one node. */
#include "model/node.h"
#include "model/pod_class.h"

bool berth__node_rules_admit(const berth__intern *strings, const berth__node_rules *rules,
                             berth__sym name, berth__labels labels)
{
    if (rules == NULL)
        return true;
    for (uint32_t i = 0; i < rules->selector.count; i++)
        if (berth__labels_get(labels, rules->selector.items[i].key) !=
            rules->selector.items[i].value)
            return false;
    return !rules->has_required ||
           berth__node_selector_meets(strings, &rules->required, name, labels);
}

bool berth__node_rules_tolerate(const berth__model *model, const berth__node_rules *rules,
                                const berth__interned_taint *taint)
{
    return rules != NULL && berth__tolerations_accept(model, &rules->tolerations, taint);
}

const berth__interned_taint *berth__node_rules_refused_by(const berth__model *model,
                                                          const berth__node_rules *rules,
                                                          const berth__taint_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const berth__interned_taint *taint = &list->items[i];
        bool hard =
            taint->effect == model->known.no_schedule || taint->effect == model->known.no_execute;
        if (hard && !berth__node_rules_tolerate(model, rules, taint))
            return taint;
    }
    return NULL;
}
