/* Keeps findings by kind and text, and reports them in groups: of each kind the few most frequent
 * ones in full, the rest as a number. */
#include "inspect/findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "cli/plain_text.h"
#include "cli/text_buffer.h"
#include "cli/verbosity.h"

enum { SHOWN_PLACED = 10, SHOWN_MISSING = 3 };

/* How a kind is reported: "COUNT OF text AFTER". Without `one`, the text is a sentence of its
 * own. */
typedef struct wording {
    const char *one;
    const char *many;
    const char *after; /* end of a sentence about several */
    const char *rest;  /* name for further ones */
} wording;

static const wording wordings[FINDING_KIND_COUNT] = {
    [FINDING_VERSION] = {.rest = "versions"},
    [FINDING_KIND] = {.rest = "unknown kinds"},
    [FINDING_FIELD] = {.rest = "unknown or repeated fields"},
    [FINDING_PLUGIN] = {.rest = "unknown plugins"},
    [FINDING_API_VERSION] = {.rest = "unknown apiVersions"},
    [FINDING_VALUE] = {.rest = "values that an API server refuses"},
    [FINDING_REPLICAS] = {.rest = "workloads with more pods than the nodes take"},
    [FINDING_ADMISSION] = {.rest = "limits and quotas"},
    [FINDING_NO_PODS] = {.rest = "workloads without pods"},
    [FINDING_NODE] = {"pod is on node", "pods are on node",
                      ", which is not in the input: what they use is counted nowhere", "nodes"},
    [FINDING_CONTROLLER] = {"pod belongs to", "pods belong to",
                            ", which is not in the input: default spreading is off for them",
                            "controllers"},
    [FINDING_CLAIM] = {"pod uses", "pods use",
                       ", which is not in the input: they are not placed without it", "claims"},
    [FINDING_CLAIM_RUNNING] = {"running pod uses", "running pods use",
                               ", which is not in the input: its volume is not counted",
                               "claims of running pods"},
    [FINDING_CLAIM_SHARED] = {.rest = "claims"},
    [FINDING_VOLUME] = {"claim is bound to", "claims are bound to",
                        ", which is not in the input: where it can be reached is not known",
                        "volumes"},
    [FINDING_STORAGE_CLASS] = {"claim asks for", "claims ask for",
                               ", which is not in the input: no volume is made of it",
                               "storage classes"},
    [FINDING_DEVICE_CLASS] = {"request asks for", "requests ask for",
                              ", which is not in the input: pods with such claims are not placed",
                              "device classes"},
    [FINDING_SLICES] = {.rest = "claims"},
    [FINDING_RUNTIME_CLASS] = {"pod names", "pods name",
                               ", which is not in the input: its overhead, nodeSelector and "
                               "tolerations are not added",
                               "runtime classes"},
    [FINDING_PRIORITY_CLASS] = {"pod names", "pods name",
                                ", which is not in the input: their priority is taken as 0",
                                "priority classes"},
    [FINDING_HOME] = {"new pod is in", "new pods are in",
                      ", which is not in the input: an API server refuses them", "namespaces"},
    [FINDING_NAMESPACE] = {"pod is in", "pods are in",
                           ", which is not in the input: no namespaceSelector matches it",
                           "namespaces"},
    [FINDING_CSI_NODE] = {.rest = "CSI drivers"},
    [FINDING_BUDGETS] = {.rest = "namespaces"},
    [FINDING_WORKLOAD] = {.rest = "workloads without pods"},
    [FINDING_AUTOSCALER] = {.rest = "autoscalers"},
    [FINDING_PRICE] = {"node has no price:", "nodes have no price:", "", "instance types"},
    [FINDING_CHANGE] = {.rest = "changes"},
    [FINDING_COMPUTED] = {.rest = "budgets without a status"},
    [FINDING_APPLIED] = {"pod gets", "pods get", "", "things that admission adds"},
    [FINDING_PASSED_OVER] = {.rest = "kinds"},
};

/* ---- keeping ---- */

/* Returns "FILE:LINE: OBJECT: FIELD", without the parts that are unknown. */
static char *place_text(const berth_error *place)
{
    char text[1024];
    char line[16] = "";
    if (place->line > 0)
        snprintf(line, sizeof(line), ":%" PRIu32, place->line);
    int len = snprintf(text, sizeof(text), "%s%s%s%s%s%s", place->source, line,
                       place->object[0] != '\0' ? ": " : "", place->object,
                       place->field[0] != '\0' ? ": " : "", place->field);
    return heap_text(text, (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1);
}

void findings_add(findings *f, finding_kind kind, berth_str text, const berth_error *place,
                  uint64_t count)
{
    text_buffer key = {0};
    text_add(&key, "%c", 'A' + (int)kind);
    text_add_str(&key, text);
    uint32_t number = word_table_add(&f->keys, text_str(&key));
    text_free(&key);
    if (number == f->count) {
        f->items = heap_grow(f->items, &f->capacity, f->count + 1, sizeof(*f->items));
        f->items[f->count++] = (finding){.kind = kind,
                                         .text = heap_text(text.data, text.len),
                                         .place = place != NULL ? place_text(place) : NULL};
    }
    f->items[number].count += count;
}

bool findings_has(const findings *f, finding_kind kind)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->items[i].kind == kind)
            return true;
    return false;
}

void findings_free(findings *f)
{
    for (size_t i = 0; i < f->count; i++) {
        free(f->items[i].text);
        free(f->items[i].place);
    }
    free(f->items);
    word_table_free(&f->keys);
    *f = (findings){.items = NULL};
}

/* ---- reporting ---- */

static bool is_warning(finding_kind kind)
{
    return kind < FINDING_CHANGE;
}

/* Sorts findings of one kind: most frequent first, equally frequent ones as they were found. */
static int by_count(const void *a, const void *b)
{
    const finding *left = *(const finding *const *)a;
    const finding *right = *(const finding *const *)b;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    if (wordings[left->kind].one != NULL && left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return left < right ? -1 : left > right;
}

/* The end of a sentence about one thing. */
static const char *of_one(finding_kind kind)
{
    switch (kind) {
    case FINDING_NODE:
        return ", which is not in the input: what it uses is counted nowhere";
    case FINDING_CONTROLLER:
        return ", which is not in the input: default spreading is off for it";
    case FINDING_DEVICE_CLASS:
        return ", which is not in the input: pods with such a claim are not placed";
    case FINDING_PRIORITY_CLASS:
        return ", which is not in the input: its priority is taken as 0";
    case FINDING_HOME:
        return ", which is not in the input: an API server refuses it";
    case FINDING_CLAIM:
        return ", which is not in the input: it is not placed without it";
    default:
        return wordings[kind].after;
    }
}

static void say(const finding *one, const char *speaker)
{
    const wording *w = &wordings[one->kind];
    char times[40] = "";
    fprintf(stderr, "%s: %s", speaker, is_warning(one->kind) ? "warning: " : "");
    if (w->one != NULL) {
        plain_text_line(stderr, "%" PRIu64 " %s %s%s", one->count,
                        one->count == 1 ? w->one : w->many, one->text,
                        one->count == 1 ? of_one(one->kind) : w->after);
        return;
    }
    if (one->place != NULL && one->count > 1)
        snprintf(times, sizeof(times), " (%" PRIu64 " times)", one->count);
    plain_text_line(stderr, "%s%s%s%s", one->place != NULL ? one->place : "",
                    one->place != NULL ? ": " : "", one->text, times);
}

/* Report ignored kinds on one line. */
static void say_passed_over(const finding *const *items, size_t count, const char *speaker)
{
    fprintf(stderr, "%s: ignored, because they do not affect placement:", speaker);
    for (size_t i = 0; i < count; i++) {
        fprintf(stderr, "%s %" PRIu64 " ", i > 0 ? "," : "", items[i]->count);
        plain_text_write(stderr, items[i]->text, strlen(items[i]->text));
    }
    fputc('\n', stderr);
}

static void say_kind(const finding *const *items, size_t count, const char *speaker)
{
    const wording *w = &wordings[items[0]->kind];
    size_t most = w->one != NULL ? SHOWN_MISSING : SHOWN_PLACED;
    uint64_t rest = 0;
    if (items[0]->kind == FINDING_PASSED_OVER) {
        say_passed_over(items, count, speaker);
        return;
    }
    if (count <= most + 1)
        most = count;
    for (size_t i = 0; i < count; i++) {
        if (i < most)
            say(items[i], speaker);
        else
            rest += items[i]->count;
    }
    if (count > most)
        fprintf(stderr, "%s: %sand %zu more %s, %" PRIu64 " times\n", speaker,
                is_warning(items[0]->kind) ? "warning: " : "", count - most, w->rest, rest);
}

size_t findings_say(const findings *f, const char *speaker)
{
    size_t warnings = 0;
    bool lacks = false; /* something that only a server can provide */
    const finding **order = heap_new(f->count, sizeof(*order));
    for (size_t i = 0; i < f->count; i++) {
        order[i] = &f->items[i];
        warnings += is_warning(order[i]->kind);
        lacks |= order[i]->kind >= FINDING_CONTROLLER && order[i]->kind <= FINDING_BUDGETS &&
                 order[i]->kind != FINDING_HOME;
    }
    qsort(order, f->count, sizeof(*order), by_count);
    for (size_t i = 0; i < f->count;) {
        size_t end = i + 1;
        while (end < f->count && order[end]->kind == order[i]->kind)
            end++;
        if (!verbosity_quiet())
            say_kind(order + i, end - i, speaker);
        i = end;
    }
    if (lacks && !verbosity_quiet())
        plain_text_line(stderr,
                        "%s: the input lacks objects of its cluster; this fetches all that count: "
                        "sh -c \"$(berth dump)\"",
                        speaker);
    free(order);
    return warnings;
}
