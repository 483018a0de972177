/* Scores that look at one node and its pods: scores.md §1 to §5, v1.36.md §5. */
#include <math.h>
#include <string.h>

#include "naive.h"

double naive_ln(double x)
{
    const double hi = 6.93147180369123816490e-01, lo = 1.90821492927058770002e-10;
    const double l1 = 6.666666666666735130e-01, l2 = 3.999999999940941908e-01;
    const double l3 = 2.857142874366239149e-01, l4 = 2.222219843214978396e-01;
    const double l5 = 1.818357216161805012e-01, l6 = 1.531383769920937332e-01;
    const double l7 = 1.479819860511658591e-01;
    int exponent;
    double m = frexp(x, &exponent); /* in [1/2, 1) */
    if (m < M_SQRT1_2) {
        m = m * 2;
        exponent--;
    }
    double k = (double)exponent;
    double f = m - 1;
    double s = f / (2 + f);
    double z = s * s;
    double q = z * z;
    double r = z * (l1 + q * (l3 + q * (l5 + q * l7))) + q * (l2 + q * (l4 + q * l6));
    double h = 0.5 * f * f;
    return k * hi - ((h - (s * (h + r) + k * lo)) - f);
}

void naive_normalize(int64_t *values, size_t count, int64_t most, bool reverse)
{
    int64_t max = 0;
    for (size_t i = 0; i < count; i++) {
        max = values[i] > max ? values[i] : max;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t v = max == 0 ? 0 : most * values[i] / max;
        values[i] = reverse ? most - v : v;
    }
}

/* ---- TaintToleration, NodeAffinity ---- */

/* Only tolerations for every effect or for PreferNoSchedule count; one for a different effect
 * accepts no such taint anyway. */
bool naive_score_taints(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                        size_t count, int64_t *values)
{
    (void)ref;
    for (size_t n = 0; n < count; n++) {
        values[n] = 0;
        for (uint32_t i = 0; i < nodes[n]->taint_count; i++) {
            const berth_taint *taint = &nodes[n]->taints[i];
            values[n] +=
                naive_is(taint->effect, "PreferNoSchedule") && !naive_tolerates(a->pod, taint);
        }
    }
    naive_normalize(values, count, 100, true);
    return true;
}

static int64_t preferred_weight(naive_attempt *a, const berth_node_affinity *affinity,
                                const berth_node *node)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < affinity->preferred_count; i++) {
        const berth_preferred_node_term *term = &affinity->preferred[i];
        if (term->weight == 0) {
            continue;
        }
        a->error = a->error || !naive_term_valid(&term->preference);
        if (naive_term_matches(&term->preference, node->meta.labels, node->meta.name)) {
            sum += term->weight;
        }
    }
    return sum;
}

bool naive_score_node_affinity(naive_attempt *a, const berth_plugin_ref *ref,
                               const berth_node **nodes, size_t count, int64_t *values)
{
    const berth_node_affinity *added =
        ref->args != NULL ? &ref->args->node_affinity.added_affinity : NULL;
    if (a->pod->node_affinity.preferred == NULL && (added == NULL || added->preferred_count == 0)) {
        return false;
    }
    for (size_t n = 0; n < count; n++) {
        values[n] = preferred_weight(a, &a->pod->node_affinity, nodes[n]);
        values[n] += added != NULL ? preferred_weight(a, added, nodes[n]) : 0;
    }
    naive_normalize(values, count, 100, false);
    return true;
}

/* ---- NodeResourcesFit ---- */

/* The capacity against which a resource is scored, the used amount, and the amount of the pod.
 * `scored`: as in NodeResourcesFit. Returns false if the resource is skipped. */
static bool resource_use(const naive_attempt *a, const berth_node *node, berth_str name,
                         bool scored, int64_t *capacity, int64_t *used, int64_t *request)
{
    bool present;
    bool basic = naive_is(name, "cpu") || naive_is(name, "memory");
    bool scalar = naive_scalar_name(name);
    *request = naive_pod_request(a->cluster->kubernetes, a->pod, name,
                                 scored ? NAIVE_INCOMING_SCORED : NAIVE_INCOMING);
    *capacity = naive_allocatable(node, name, &present);
    *used = naive_node_request(a, node, name, scored && basic);
    if (scalar && *request != 0 && *capacity == 0 &&
        naive_backed_amounts(a, node, name, capacity, used)) {
        return true;
    }
    if (scalar ? *request == 0 || !present : !basic && !naive_is(name, "ephemeral-storage")) {
        return false;
    }
    return *capacity != 0;
}

static int64_t shape_value(const berth_fit_args *args, int64_t u)
{
    const berth_shape_point *p = args->shape;
    for (uint32_t i = 0; i < args->shape_count; i++) {
        if (u <= p[i].utilization) {
            if (i == 0) {
                return 10 * p[0].score;
            }
            return 10 * p[i - 1].score + 10 * (p[i].score - p[i - 1].score) *
                                             (u - p[i - 1].utilization) /
                                             (p[i].utilization - p[i - 1].utilization);
        }
    }
    return 10 * p[args->shape_count - 1].score;
}

static int64_t fit_value(const naive_attempt *a, const berth_fit_args *args, const berth_node *node)
{
    const berth_weighted_resource basic[2] = {{naive_str("cpu"), 1}, {naive_str("memory"), 1}};
    const berth_weighted_resource *list = args->resources != NULL ? args->resources : basic;
    uint32_t count = args->resources != NULL ? args->resource_count : 2;
    int64_t sum = 0, weights = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t weight = list[i].weight == 0 ? 1 : list[i].weight;
        int64_t capacity, used, request, score;
        if (!resource_use(a, node, list[i].name, true, &capacity, &used, &request)) {
            continue;
        }
        used += request;
        if (args->strategy == BERTH_FIT_LEAST_ALLOCATED) {
            score = used > capacity ? 0 : (capacity - used) * 100 / capacity;
        } else if (args->strategy == BERTH_FIT_MOST_ALLOCATED) {
            score = (used > capacity ? capacity : used) * 100 / capacity;
        } else {
            score = shape_value(args, used > capacity ? 100 : used * 100 / capacity);
            if (score <= 0) {
                continue;
            }
        }
        sum += score * weight;
        weights += weight;
    }
    if (weights == 0) {
        return 0;
    }
    if (args->strategy == BERTH_FIT_REQUESTED_TO_CAPACITY_RATIO) {
        return (int64_t)round((double)sum / (double)weights);
    }
    return sum / weights;
}

bool naive_score_fit(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                     size_t count, int64_t *values)
{
    berth_fit_args defaults = {.strategy = BERTH_FIT_LEAST_ALLOCATED};
    const berth_fit_args *args = ref->args != NULL ? &ref->args->fit : &defaults;
    for (size_t n = 0; n < count; n++) {
        values[n] = fit_value(a, args, nodes[n]);
    }
    return true;
}

/* ---- NodeResourcesBalancedAllocation ---- */

static int64_t balance(const double *fraction, uint32_t count)
{
    double std = 0;
    if (count == 2) {
        std = fabs(fraction[0] - fraction[1]) / 2;
    } else if (count > 2) {
        double total = 0, squares = 0;
        for (uint32_t i = 0; i < count; i++) {
            total += fraction[i];
        }
        double mean = total / (double)count;
        for (uint32_t i = 0; i < count; i++) {
            squares = squares + (fraction[i] - mean) * (fraction[i] - mean);
        }
        std = sqrt(squares / (double)count);
    }
    return (int64_t)((1 - std) * 100);
}

static double fraction_of(int64_t used, int64_t capacity)
{
    double fraction = (double)used / (double)capacity;
    return fraction > 1 ? 1 : fraction;
}

/* For two resources that are 87 balanced with the pod and 100 without it, this is 68 since
 * v1.36. */
static int64_t balanced_value(const naive_attempt *a, const berth_node *node,
                              const berth_weighted_resource *list, uint32_t count)
{
    double *with = naive_alloc(a->region, (count + 1) * sizeof(*with));
    double *without = naive_alloc(a->region, (count + 1) * sizeof(*without));
    uint32_t counted = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t capacity, used, request;
        if (resource_use(a, node, list[i].name, false, &capacity, &used, &request)) {
            with[counted] = fraction_of(used + request, capacity);
            without[counted++] = fraction_of(used, capacity);
        }
    }
    if (a->cluster->kubernetes < 36) {
        return balance(with, counted);
    }
    return 50 + (50 + balance(with, counted) - balance(without, counted)) / 2;
}

bool naive_score_balanced(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                          size_t count, int64_t *values)
{
    const berth_weighted_resource basic[2] = {{naive_str("cpu"), 1}, {naive_str("memory"), 1}};
    bool given = ref->args != NULL && ref->args->balanced.resources != NULL;
    const berth_weighted_resource *list = given ? ref->args->balanced.resources : basic;
    uint32_t list_count = given ? ref->args->balanced.resource_count : 2;
    bool asks = a->cluster->kubernetes < 33;
    for (uint32_t i = 0; i < list_count; i++) {
        asks = asks ||
               naive_pod_request(a->cluster->kubernetes, a->pod, list[i].name, NAIVE_INCOMING) != 0;
    }
    for (size_t n = 0; asks && n < count; n++) {
        values[n] = balanced_value(a, nodes[n], list, list_count);
    }
    return asks;
}

/* ---- ImageLocality ---- */

/* The number of nodes with the image when that node was copied; v1.15: the current number. */
static size_t seen_by(const naive_attempt *a, const naive_image *image, berth_str node)
{
    size_t k = 0;
    while (!naive_same(image->nodes[k], node)) {
        k++;
    }
    return a->cluster->legacy || naive_in(a->cluster->changed, node) ? image->node_count
                                                                     : image->seen[k];
}

int64_t naive_image_size(const naive_attempt *a, const berth_node *node, berth_str image)
{
    /* Without a tag (no ":" after the last "/") the name means ":latest". */
    uint32_t colon = 0, slash = 0;
    for (uint32_t i = 0; i < image.len; i++) {
        colon = image.data[i] == ':' ? i + 1 : colon;
        slash = image.data[i] == '/' ? i + 1 : slash;
    }
    if (colon <= slash) {
        image = naive_str(naive_print(a->region, "%.*s:latest", NAIVE_TEXT(image)));
    }
    for (size_t i = 0; i < a->cluster->image_count; i++) {
        const naive_image *known = &a->cluster->images[i];
        berth_strs holders = {known->nodes, (uint32_t)known->node_count};
        if (naive_same(known->name, image) && naive_in(holders, node->meta.name)) {
            double spread = (double)seen_by(a, known, node->meta.name) / (double)a->node_count;
            return (int64_t)((double)known->size * spread);
        }
    }
    return 0;
}

bool naive_score_images(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                        size_t count, int64_t *values)
{
    (void)ref;
    const int64_t mega = 1024 * 1024;
    int64_t containers = (int64_t)a->pod->init_container_count + a->pod->container_count;
    for (uint32_t i = 0; i < a->pod->volume_count && a->cluster->kubernetes >= 37; i++) {
        containers += a->pod->volumes[i].source.kind == BERTH_VOLUME_IMAGE;
    }
    int64_t lo = 23 * mega, hi = 1000 * mega * containers;
    for (size_t n = 0; n < count; n++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < a->pod->init_container_count; i++) {
            sum += naive_image_size(a, nodes[n], a->pod->init_containers[i].image);
        }
        for (uint32_t i = 0; i < a->pod->container_count; i++) {
            sum += naive_image_size(a, nodes[n], a->pod->containers[i].image);
        }
        for (uint32_t i = 0; i < a->pod->volume_count && a->cluster->kubernetes >= 36; i++) {
            const berth_volume_source *source = &a->pod->volumes[i].source;
            bool image = source->kind == BERTH_VOLUME_IMAGE;
            sum += image ? naive_image_size(a, nodes[n], source->handle) : 0;
        }
        sum = sum < lo ? lo : sum > hi ? hi : sum;
        values[n] = 100 * (sum - lo) / (hi - lo);
    }
    return true;
}
