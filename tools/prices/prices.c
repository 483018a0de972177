/* Finds prices by the labels of a node; the most specific row counts. */
#include "prices/prices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "prices/prices_read.h"

option prices_option(prices *p)
{
    return (option){.name = "prices",
                    .kind = OPTION_TEXT,
                    .value = "FILE",
                    .target = &p->path,
                    .help = "prices of nodes: rows 'INSTANCE TYPE,PRICE PER HOUR[,spot\nor "
                            "on-demand[,ZONE OR REGION]]', or a map of instance types\nto prices "
                            "in YAML or JSON"};
}

static berth_status read_stream(const char *path, FILE *file, char **out, size_t *bytes,
                                berth_error *error)
{
    size_t capacity = 0;
    size_t got = 0;
    do {
        *out = heap_grow(*out, &capacity, *bytes + 65536, 1);
        got = fread(*out + *bytes, 1, 65536, file);
        *bytes += got;
    } while (got > 0 && *bytes <= PRICES_BYTES_MAX);
    if (ferror(file))
        return error_set(error, BERTH_E_IO, path, "%s", strerror(errno));
    if (*bytes > PRICES_BYTES_MAX)
        return error_set(error, BERTH_E_RANGE, path, "it is larger than %d MiB",
                         PRICES_BYTES_MAX >> 20);
    return BERTH_OK;
}

berth_status prices_read(prices *p, berth_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    if (p->path == NULL)
        return BERTH_OK;
    FILE *file = fopen(p->path, "re");
    if (file == NULL)
        return error_set(error, BERTH_E_IO, p->path, "%s", strerror(errno));
    berth_status status = read_stream(p->path, file, &text, &bytes, error);
    fclose(file);
    if (status == BERTH_OK)
        status = prices_read_text(p, (berth_str){text, (uint32_t)bytes}, error);
    free(text);
    return status;
}

void prices_free(prices *p)
{
    word_table_free(&p->keys);
    free(p->rows);
}

/* ---- labels ---- */

/* The source of labels: a node, or a list. */
typedef struct label_source {
    const berth_engine *engine; /* NULL: `labels` has them */
    berth_node_id node;
    berth_map labels;
} label_source;

static berth_str label(const label_source *source, const char *key)
{
    if (source->engine != NULL)
        return berth_engine_node_label(source->engine, source->node, words_of(key));
    for (uint32_t i = 0; i < source->labels.count; i++)
        if (words_equal(source->labels.entries[i].key, words_of(key)))
            return source->labels.entries[i].value;
    return (berth_str){0};
}

static berth_str first_label(const label_source *source, const char *key, const char *older)
{
    berth_str value = label(source, key);
    return value.len > 0 ? value : label(source, older);
}

/* Whether labels mark a spot node, as Karpenter, EKS, GKE and AKS set them. */
static bool is_spot(const label_source *source)
{
    static const char *const marks[][2] = {{"karpenter.sh/capacity-type", "spot"},
                                           {"eks.amazonaws.com/capacityType", "SPOT"},
                                           {"cloud.google.com/gke-spot", "true"},
                                           {"cloud.google.com/gke-preemptible", "true"},
                                           {"kubernetes.azure.com/scalesetpriority", "spot"}};
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        if (words_equal(label(source, marks[i][0]), words_of(marks[i][1])))
            return true;
    return false;
}

static price_labels read_labels(const label_source *source)
{
    return (price_labels){
        .type = first_label(source, PRICES_TYPE_LABEL, "beta.kubernetes.io/instance-type"),
        .spot = is_spot(source),
        .zone = first_label(source, "topology.kubernetes.io/zone",
                            "failure-domain.beta.kubernetes.io/zone"),
        .region = first_label(source, "topology.kubernetes.io/region",
                              "failure-domain.beta.kubernetes.io/region"),
    };
}

price_labels price_labels_of_node(const berth_engine *engine, berth_node_id node)
{
    const label_source source = {.engine = engine, .node = node};
    return read_labels(&source);
}

price_labels price_labels_of_list(berth_map labels)
{
    const label_source source = {.labels = labels};
    return read_labels(&source);
}

/* ---- prices ---- */

bool prices_find(const prices *p, const price_labels *labels, money *out)
{
    const berth_str zones[] = {labels->zone, labels->region, {0}};
    const char *const capacities[] = {labels->spot ? "spot" : "on-demand", ""};
    if (labels->type.len == 0)
        return false;
    for (size_t z = 0; z < 3; z++)
        for (size_t c = 0; c < 2; c++) {
            char key[PRICE_KEY_BYTES];
            uint32_t number = 0;
            if ((z < 2 && zones[z].len == 0) ||
                !prices_key(labels->type, capacities[c], zones[z], key) ||
                !word_table_find(&p->keys, words_of(key), &number))
                continue;
            *out = p->rows[number].price;
            return true;
        }
    return false;
}

bool prices_of_node(const prices *p, const berth_engine *engine, berth_node_id node, money *out)
{
    const price_labels labels = price_labels_of_node(engine, node);
    return prices_find(p, &labels, out);
}

/* ---- nodes without a price ---- */

/* Nodes of one instance type. */
typedef struct unpriced {
    uint64_t nodes;
    berth_str first;
} unpriced;

static void say_unpriced(const unpriced *one, berth_str type, findings *f)
{
    char text[512];
    int len =
        type.len > 0
            ? snprintf(text, sizeof(text), "instance type %.*s (%.*s%s)", (int)type.len, type.data,
                       (int)one->first.len, one->first.data, one->nodes > 1 ? ", ..." : "")
            : snprintf(text, sizeof(text), "no label " PRICES_TYPE_LABEL " (%.*s%s)",
                       (int)one->first.len, one->first.data, one->nodes > 1 ? ", ..." : "");
    uint32_t length = (size_t)len < sizeof(text) ? (uint32_t)len : (uint32_t)sizeof(text) - 1;
    findings_add(f, FINDING_PRICE, (berth_str){text, length}, NULL, one->nodes);
}

void prices_inspect(const prices *p, const berth_engine *engine, findings *f)
{
    word_table types = {0};
    unpriced *list = NULL;
    size_t capacity = 0;
    berth_node_id limit = berth_engine_node_limit(engine);
    for (berth_node_id node = 0; node < limit; node++) {
        money price = 0;
        const price_labels labels = price_labels_of_node(engine, node);
        if (!berth_engine_node_present(engine, node) || prices_find(p, &labels, &price))
            continue;
        size_t known = types.count;
        uint32_t number = word_table_add(&types, labels.type);
        list = heap_grow(list, &capacity, types.count, sizeof(*list));
        if (number == known)
            list[number] = (unpriced){0, berth_engine_node_name(engine, node)};
        list[number].nodes++;
    }
    for (uint32_t i = 0; i < types.count; i++)
        say_unpriced(&list[i], word_table_get(&types, i), f);
    free(list);
    word_table_free(&types);
}
