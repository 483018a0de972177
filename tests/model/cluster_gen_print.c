/* Prints pods and nodes of failed tests in readable form. */
#include "cluster_gen.h"

static void print_strs(FILE *out, const char *name, berth_strs list)
{
    fprintf(out, " %s[", name);
    for (uint32_t i = 0; i < list.count; i++) {
        fprintf(out, "%s%.*s", i > 0 ? " " : "", NAIVE_TEXT(list.items[i]));
    }
    fputs("]", out);
}

static void print_map(FILE *out, const char *name, berth_map map)
{
    fprintf(out, " %s{", name);
    for (uint32_t i = 0; i < map.count; i++) {
        fprintf(out, "%s%.*s=%.*s", i > 0 ? " " : "", NAIVE_TEXT(map.entries[i].key),
                NAIVE_TEXT(map.entries[i].value));
    }
    fputs("}", out);
}

static void print_requirements(FILE *out, const char *name, berth_requirements list)
{
    fprintf(out, " %s(", name);
    for (uint32_t i = 0; i < list.count; i++) {
        fprintf(out, "%s%.*s %.*s", i > 0 ? " and " : "", NAIVE_TEXT(list.items[i].key),
                NAIVE_TEXT(list.items[i].op));
        print_strs(out, "", list.items[i].values);
    }
    fputs(")", out);
}

static void print_selector(FILE *out, const char *name, const berth_label_selector *selector)
{
    if (selector == NULL) {
        fprintf(out, " %s=nil", name);
        return;
    }
    print_map(out, name, selector->match_labels);
    print_requirements(out, "", selector->match_expressions);
}

static void print_term(FILE *out, const char *name, const berth_node_selector_term *term)
{
    fprintf(out, "  %s", name);
    print_requirements(out, "labels", term->match_expressions);
    print_requirements(out, "fields", term->match_fields);
    fputs("\n", out);
}

static void print_pod_terms(FILE *out, const char *name, const berth_pod_affinity_term *terms,
                            uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "  %s %.*s weight %d", name, NAIVE_TEXT(terms[i].topology_key),
                terms[i].weight);
        print_selector(out, "pods", terms[i].label_selector);
        print_strs(out, "namespaces", terms[i].namespaces);
        print_selector(out, "namespaceSelector", terms[i].namespace_selector);
        fputs("\n", out);
    }
}

static void print_amounts(FILE *out, const char *name, berth_resources list)
{
    fprintf(out, "%s", name);
    for (uint32_t k = 0; k < list.count; k++) {
        const berth_resource *r = &list.items[k];
        fprintf(out, " %.*s=%lld.%09d", NAIVE_TEXT(r->name), (long long)r->amount.units,
                r->amount.nanos);
    }
}

static void print_statuses(FILE *out, const berth_container_status *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "  status of %.*s%s", NAIVE_TEXT(list[i].name),
                list[i].has_resources ? "" : " without resources");
        print_amounts(out, " holds", list[i].requests);
        print_amounts(out, " allocated", list[i].allocated);
        fputs("\n", out);
    }
}

/* Prints the parts that only pods of Kubernetes 1.33 and later have. */
static void print_recent(FILE *out, const berth_pod *pod)
{
    print_amounts(out, "  as a whole", pod->pod_requests);
    print_amounts(out, pod->has_status_resources ? " holds" : " would hold", pod->status_requests);
    print_amounts(out, " allocated", pod->status_allocated);
    fprintf(out, "%s%s\n", pod->host_network ? " on the host's network" : "",
            pod->host_users_off ? " with users of its own" : "");
    print_statuses(out, pod->container_statuses, pod->container_status_count);
    print_statuses(out, pod->init_container_statuses, pod->init_container_status_count);
    for (uint32_t i = 0; i < pod->condition_count; i++) {
        const berth_condition *c = &pod->conditions[i];
        fprintf(out, "  condition %.*s %.*s %.*s\n", NAIVE_TEXT(c->type), NAIVE_TEXT(c->status),
                NAIVE_TEXT(c->reason));
    }
}

static void print_containers(FILE *out, const char *name, const berth_container *list,
                             uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "  %s %.*s %.*s%s%s", name, NAIVE_TEXT(list[i].name),
                NAIVE_TEXT(list[i].image), list[i].restart_always ? " sidecar" : "",
                list[i].restarts_all ? " restarts all" : "");
        print_amounts(out, "", list[i].requests);
        for (uint32_t k = 0; k < list[i].port_count; k++) {
            fprintf(out, " port %.*s:%d/%.*s", NAIVE_TEXT(list[i].ports[k].host_ip),
                    list[i].ports[k].host_port, NAIVE_TEXT(list[i].ports[k].protocol));
        }
        fputs("\n", out);
    }
}

static void print_node_affinity(FILE *out, const berth_pod *pod)
{
    const berth_node_affinity *a = &pod->node_affinity;
    if (a->required != NULL) {
        fprintf(out, "  required node terms: %u\n", a->required->count);
    }
    for (uint32_t i = 0; a->required != NULL && i < a->required->count; i++) {
        print_term(out, "required", &a->required->terms[i]);
    }
    for (uint32_t i = 0; i < a->preferred_count; i++) {
        fprintf(out, "  weight %d", a->preferred[i].weight);
        print_term(out, "preferred", &a->preferred[i].preference);
    }
}

static void print_spreads(FILE *out, const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->spread_count; i++) {
        const berth_topology_spread *s = &pod->spreads[i];
        fprintf(out, "  spread %.*s %.*s skew %d domains %d affinity %.*s taints %.*s",
                NAIVE_TEXT(s->topology_key), NAIVE_TEXT(s->when_unsatisfiable), s->max_skew,
                s->min_domains, NAIVE_TEXT(s->node_affinity_policy),
                NAIVE_TEXT(s->node_taints_policy));
        print_selector(out, "pods", s->label_selector);
        print_strs(out, "keys", s->match_label_keys);
        fputs("\n", out);
    }
}

void gen_print_pod(FILE *out, const berth_pod *pod)
{
    fprintf(out, "pod %.*s/%.*s of %.*s priority %d", NAIVE_TEXT(naive_namespace(&pod->meta)),
            NAIVE_TEXT(pod->meta.name), NAIVE_TEXT(pod->scheduler_name), pod->priority);
    print_map(out, "labels", pod->meta.labels);
    print_map(out, "nodeSelector", pod->node_selector);
    fputs("\n", out);
    for (uint32_t i = 0; i < pod->toleration_count; i++) {
        const berth_toleration *t = &pod->tolerations[i];
        fprintf(out, "  toleration %.*s '%.*s' %.*s effect '%.*s'\n", NAIVE_TEXT(t->key),
                NAIVE_TEXT(t->op), NAIVE_TEXT(t->value), NAIVE_TEXT(t->effect));
    }
    print_containers(out, "container", pod->containers, pod->container_count);
    print_containers(out, "init", pod->init_containers, pod->init_container_count);
    print_amounts(out, "  overhead", pod->overhead);
    fputs("\n", out);
    print_recent(out, pod);
    print_node_affinity(out, pod);
    print_spreads(out, pod);
    print_pod_terms(out, "needs", pod->pod_affinity.required, pod->pod_affinity.required_count);
    print_pod_terms(out, "likes", pod->pod_affinity.preferred, pod->pod_affinity.preferred_count);
    print_pod_terms(out, "avoids", pod->pod_anti_affinity.required,
                    pod->pod_anti_affinity.required_count);
    print_pod_terms(out, "dislikes", pod->pod_anti_affinity.preferred,
                    pod->pod_anti_affinity.preferred_count);
    for (uint32_t i = 0; i < pod->volume_count; i++) {
        const berth_volume_source *v = &pod->volumes[i].source;
        fprintf(out, "  volume kind %d %.*s%s\n", v->kind, NAIVE_TEXT(v->handle),
                v->read_only ? " read-only" : "");
    }
    for (uint32_t i = 0; i < pod->resource_claim_count; i++) {
        fprintf(out, "  devices of %.*s\n", NAIVE_TEXT(pod->resource_claims[i].claim));
    }
}

void gen_print_node(FILE *out, const berth_node *node)
{
    fprintf(out, "node %.*s%s", NAIVE_TEXT(node->meta.name),
            node->unschedulable ? " unschedulable" : "");
    print_map(out, "labels", node->meta.labels);
    print_strs(out, "features", node->declared_features);
    for (uint32_t i = 0; i < node->taint_count; i++) {
        const berth_taint *t = &node->taints[i];
        fprintf(out, " taint %.*s=%.*s:%.*s", NAIVE_TEXT(t->key), NAIVE_TEXT(t->value),
                NAIVE_TEXT(t->effect));
    }
    for (uint32_t i = 0; i < node->allocatable.count; i++) {
        const berth_resource *r = &node->allocatable.items[i];
        fprintf(out, " %.*s=%lld.%03d", NAIVE_TEXT(r->name), (long long)r->amount.units,
                r->amount.nanos / 1000000);
    }
    for (uint32_t i = 0; i < node->image_count; i++) {
        print_strs(out, "image", node->images[i].names);
        fprintf(out, "=%lld", (long long)node->images[i].size_bytes);
    }
    fputs("\n", out);
}
