/* Translation of in-tree volumes, one rule after the other, without regard to cost. */
#include "naive_migration.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char zone_beta[] = "failure-domain.beta.kubernetes.io/zone";
static const char zone_now[] = "topology.kubernetes.io/zone";
static const char region_beta[] = "failure-domain.beta.kubernetes.io/region";
static const char region_now[] = "topology.kubernetes.io/region";

/* The parts of a text between separators; an empty text is one empty part. */
static berth_strs split(naive_region *region, berth_str text, const char *by)
{
    berth_str *parts = NULL;
    size_t count = 0;
    uint32_t width = (uint32_t)strlen(by), begin = 0;
    for (uint32_t i = 0; i <= text.len; i++) {
        bool ends = i == text.len;
        if (!ends && (i + width > text.len || memcmp(text.data + i, by, width) != 0)) {
            continue;
        }
        parts = naive_grow(region, parts, count, sizeof(*parts));
        parts[count++] = (berth_str){text.data + begin, i - begin};
        i += ends ? 0 : width - 1;
        begin = i + 1;
    }
    return (berth_strs){parts, (uint32_t)count};
}

static berth_str label(berth_map labels, const char *key)
{
    const berth_str *value = naive_label(labels, naive_str(key));
    return value != NULL ? *value : (berth_str){0};
}

static const char *ebs_problem(naive_region *region, berth_str id)
{
    if (id.len < 6 || memcmp(id.data, "aws://", 6) != 0) {
        return NULL;
    }
    const char *slash = memchr(id.data + 6, '/', id.len - 6);
    berth_str path = slash != NULL ? (berth_str){slash, id.len - (uint32_t)(slash - id.data)}
                                   : (berth_str){"", 0};
    while (path.len > 0 && path.data[0] == '/') {
        path = (berth_str){path.data + 1, path.len - 1};
    }
    while (path.len > 0 && path.data[path.len - 1] == '/') {
        path.len--;
    }
    if (path.len >= 4 && memcmp(path.data, "vol-", 4) == 0 &&
        memchr(path.data, '/', path.len) == NULL) {
        return NULL;
    }
    return naive_print(region,
                       "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS "
                       "volume (%.*s)",
                       NAIVE_TEXT(id));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *gce_problem(naive_region *region, berth_map labels)
{
    berth_str zones = label(labels, zone_beta);
    zones = zones.len > 0 ? zones : label(labels, zone_now);
    berth_strs list = split(region, zones, "__");
    const char **regions = naive_alloc(region, (list.count + 1) * sizeof(*regions));
    size_t count = 0;
    if (list.count < 2) {
        return NULL;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        berth_strs parts = split(region, list.items[i], "-");
        if (parts.count != 3) {
            return naive_print(region,
                               "failed to get region from zones: zone in unexpected format, "
                               "expected: {locale}-{region}-{zone}, got: %.*s",
                               NAIVE_TEXT(list.items[i]));
        }
        regions[count++] = naive_print(region, "%.*s-%.*s:{}", NAIVE_TEXT(parts.items[0]),
                                       NAIVE_TEXT(parts.items[1]));
    }
    qsort(regions, count, sizeof(*regions), by_text);
    const char *map = regions[0];
    size_t distinct = 1;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(regions[i], regions[i - 1]) != 0) {
            map = naive_print(region, "%s %s", map, regions[i]);
            distinct++;
        }
    }
    return distinct == 1 ? NULL
                         : naive_print(region,
                                       "failed to get region from zones: multiple or no regions "
                                       "gotten from zones, got: map[%s]",
                                       map);
}

const char *naive_translation_problem(naive_region *region, const berth_volume_source *source,
                                      berth_map labels)
{
    const berth_str kind = source->disk_kind;
    switch (source->kind) {
    case BERTH_VOLUME_AWS_EBS:
        return ebs_problem(region, source->handle);
    case BERTH_VOLUME_GCE_PD:
        return gce_problem(region, labels);
    case BERTH_VOLUME_AZURE_DISK:
        return kind.data == NULL || (kind.len == 7 && strncasecmp(kind.data, "managed", 7) == 0)
                   ? NULL
                   : naive_print(region, "kind(%.*s) is not supported in csi migration",
                                 NAIVE_TEXT(kind));
    default:
        return NULL;
    }
}

static const char *plugin_of(berth_volume_kind kind)
{
    switch (kind) {
    case BERTH_VOLUME_AWS_EBS:
        return "kubernetes.io/aws-ebs";
    case BERTH_VOLUME_GCE_PD:
        return "kubernetes.io/gce-pd";
    case BERTH_VOLUME_AZURE_DISK:
        return "kubernetes.io/azure-disk";
    case BERTH_VOLUME_CINDER:
        return "kubernetes.io/cinder";
    case BERTH_VOLUME_PORTWORX:
        return "kubernetes.io/portworx-volume";
    default:
        return NULL;
    }
}

bool naive_is_migrated(const berth_csi_node *csi, const berth_volume_source *source)
{
    const char *plugin = plugin_of(source->kind);
    const berth_str *list =
        csi != NULL ? naive_label(csi->meta.annotations,
                                  naive_str("storage.alpha.kubernetes.io/migrated-plugins"))
                    : NULL;
    const char *at = plugin != NULL && list != NULL && list->len > 0
                         ? memmem(list->data, list->len, plugin, strlen(plugin))
                         : NULL;
    return at != NULL; /* no plugin's name is part of another one's */
}

/* Whether a requirement about this key exists. */
static bool names(const berth_node_selector *rule, const char *key, bool with_values)
{
    bool found = false;
    for (uint32_t t = 0; rule != NULL && t < rule->count; t++) {
        for (uint32_t i = 0; i < rule->terms[t].match_expressions.count; i++) {
            const berth_requirement *item = &rule->terms[t].match_expressions.items[i];
            found |= naive_is(item->key, key) && (!with_values || item->values.count > 0);
        }
    }
    return found;
}

/* A copy of the rule in which requirements about one key are about another, and in which every term
 * has one more requirement unless that is NULL. */
static berth_node_selector *changed(naive_region *region, const berth_node_selector *rule,
                                    const char *from, const char *to, const berth_requirement *more)
{
    berth_node_selector *out = naive_alloc(region, sizeof(*out));
    berth_node_selector_term *terms = naive_alloc(region, (rule->count + 1) * sizeof(*terms));
    for (uint32_t t = 0; t < rule->count; t++) {
        const berth_requirements *list = &rule->terms[t].match_expressions;
        berth_requirement *items = naive_alloc(region, (list->count + 1) * sizeof(*items));
        uint32_t count = 0;
        for (; count < list->count; count++) {
            items[count] = list->items[count];
            items[count].key = naive_is(items[count].key, from) ? naive_str(to) : items[count].key;
        }
        if (more != NULL) {
            items[count++] = *more;
        }
        terms[t] = rule->terms[t];
        terms[t].match_expressions = (berth_requirements){items, count};
    }
    *out = (berth_node_selector){.terms = terms, .count = rule->count};
    return out;
}

const berth_node_selector *naive_translated_affinity(naive_region *region,
                                                     const berth_persistent_volume *volume)
{
    static const berth_node_selector_term nothing[1];
    const berth_node_selector one_term = {.terms = nothing, .count = 1};
    const berth_node_selector *rule = volume->node_affinity;
    const berth_map labels = volume->meta.labels;
    const char *key = volume->source.kind == BERTH_VOLUME_AWS_EBS  ? "topology.ebs.csi.aws.com/zone"
                      : volume->source.kind == BERTH_VOLUME_GCE_PD ? "topology.gke.io/zone"
                      : volume->source.kind == BERTH_VOLUME_CINDER
                          ? "topology.cinder.csi.openstack.org/zone"
                          : NULL;
    if (key == NULL) {
        return rule;
    }
    bool beta =
        !names(rule, zone_now, false) &&
        (names(rule, zone_beta, false) || (naive_label(labels, naive_str(zone_now)) == NULL &&
                                           naive_label(labels, naive_str(zone_beta)) != NULL));
    const char *zone = beta ? zone_beta : zone_now;
    berth_strs listed = split(region, label(labels, zone), "__");
    berth_str *zones = naive_alloc(region, (listed.count + 1) * sizeof(*zones));
    berth_requirement more = {naive_str(key), naive_str("In"), {zones, 0}};
    for (uint32_t i = 0; i < listed.count; i++) {
        if (listed.items[i].len > 0) {
            zones[more.values.count++] = listed.items[i];
        }
    }
    if (names(rule, zone, true)) {
        rule = changed(region, rule, zone, key, NULL);
    } else if (more.values.count > 0) {
        rule = changed(region, rule != NULL && rule->count > 0 ? rule : &one_term, "", "", &more);
    }
    return beta && names(rule, region_beta, true)
               ? changed(region, rule, region_beta, region_now, NULL)
               : rule;
}
