/* Prints an explained decision as text for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/plain_text.h"
#include "cli/rows.h"
#include "cli/terminal.h"
#include "cli/words.h"
#include "explain/device_lacks.h"
#include "explain/explained.h"
#include "explain/node_sets.h"
#include "loading/usage.h"

enum { REQUESTS_MAX = 64, LABEL_WIDTH = 11 };

/* Prints a label such as "Pod        " and a text, wrapped under itself. */
static void print_line(FILE *file, const char *label, const text_buffer *text)
{
    fprintf(file, "%s%-*s%s", terminal_paint_on(PAINT_HEAD), LABEL_WIDTH, label,
            terminal_paint_off());
    terminal_wrap(file, text->len > 0 ? text->text : "", text->len, LABEL_WIDTH, LABEL_WIDTH);
    fputc('\n', file);
}

static void name_of(const explained *e, berth_node_id node, text_buffer *out)
{
    text_add_str(out, berth_engine_node_name(e->engine, node));
}

/* Add the requests of claims, which are the same on every node. */
static void add_devices(const explained *e, text_buffer *text)
{
    device_lacks asked;
    if (e->object->as.pod->resource_claim_count == 0 || e->feasible_count + e->lacks.count == 0)
        return;
    berth_node_id node =
        e->lacks.count > 0 ? e->lacks.nodes[0].node : berth_explanation_feasible(e->why, 0, NULL);
    device_lacks_make(&asked, e->engine, e->pod, node);
    if (asked.count > 0) {
        text_add(text, "%s", text->len > 0 ? ", " : "");
        device_lacks_ask(&asked, text);
    }
    device_lacks_free(&asked);
}

static void print_devices(const taken_devices *devices, berth_str node, void *context)
{
    text_buffer text = {0};
    taken_devices_tell(devices, node, &text);
    print_line(context, "Devices", &text);
    text_free(&text);
}

static void print_pod(const explained *e, FILE *file)
{
    berth_amount requests[REQUESTS_MAX];
    text_buffer text = {0};
    text_add(&text, "%.*s/%.*s, ", (int)e->namespace_name.len, e->namespace_name.data,
             (int)e->name.len, e->name.data);
    if (e->was_on == BERTH_NODE_NONE) {
        text_add(&text, "pending");
    } else {
        text_add(&text, "running on ");
        name_of(e, e->was_on, &text);
        text_add(&text, "; asked as if it were not there yet");
    }
    text_add(&text, ", priority %" PRId32, berth_engine_pod_priority(e->engine, e->pod));
    print_line(file, "Pod", &text);
    text_clear(&text);
    uint32_t count = berth_engine_pod_requests(e->engine, e->pod, requests, REQUESTS_MAX);
    for (uint32_t i = 0, told = 0; i < count && i < REQUESTS_MAX; i++) {
        char amount[64];
        if (requests[i].amount == 0)
            continue;
        usage_amount(requests[i].resource, requests[i].amount, amount, sizeof(amount));
        text_add(&text, "%s%.*s %s", told++ > 0 ? ", " : "", (int)requests[i].resource.len,
                 requests[i].resource.data, amount);
    }
    add_devices(e, &text);
    if (text.len == 0)
        text_add(&text, "nothing");
    print_line(file, "Asks for", &text);
    text_free(&text);
}

static void tell_placed(const explained *e, text_buffer *text)
{
    text_add(text, "%s",
             e->was_on == BERTH_NODE_NONE     ? "it goes to "
             : e->was_on == e->placement.node ? "it would go there again: "
                                              : "it would go elsewhere now: ");
    name_of(e, e->placement.node, text);
    if (e->feasible_count == 1)
        text_add(text, ", the only node that fits");
    else
        text_add(text, ", the best of %" PRIu32 " nodes that fit", e->feasible_count);
    if (e->placement.best_count > 1)
        text_add(text, "; %" PRIu32 " nodes share the best total", e->placement.best_count);
}

static void tell_victims(const explained *e, text_buffer *text)
{
    berth_node_id node = berth_explanation_nominated(e->why);
    text_add(text, "no node fits now; preemption makes room on ");
    name_of(e, node, text);
    for (uint32_t i = 0; i < berth_explanation_victim_count(e->why); i++) {
        berth_str namespace_name = {0};
        berth_str name = {0};
        berth_engine_pod_name(e->engine, berth_explanation_victim(e->why, i), &namespace_name,
                              &name);
        text_add(text, "%s%.*s/%.*s", i > 0 ? ", " : " by evicting ", (int)namespace_name.len,
                 namespace_name.data, (int)name.len, name.data);
    }
}

/* If not all nodes were visited, say why: a search ends when enough nodes fit, and rules that name
 * nodes exclude the others from the beginning. */
static void print_looked_at(const explained *e, const explained_view *view, FILE *file)
{
    uint32_t looked_at = e->feasible_count + e->lacks.count;
    uint32_t named = explained_named_nodes(e);
    text_buffer text = {0};
    if (looked_at == 0 || looked_at >= e->node_count)
        return;
    text_add(&text, "%" PRIu32 " of %" PRIu32 " nodes %s looked at: ", looked_at, e->node_count,
             looked_at == 1 ? "was" : "were");
    if (looked_at < named && e->feasible_count >= view->enough)
        text_add(&text, "enough fit (--percentage 100 looks at all)");
    else if (named < e->node_count)
        text_add(&text, "the pod's node affinity names %s", named == 1 ? "it" : "them");
    else
        text_add(&text, "the pod's rules leave out the others");
    print_line(file, "", &text);
    text_free(&text);
}

static void print_answer(const explained *e, const explained_view *view, FILE *file)
{
    text_buffer text = {0};
    berth_str message = berth_explanation_message(e->why);
    if (view->refused) {
        text_add(&text, "an API server would not create it: %.*s", (int)view->note.len,
                 view->note.data);
        print_line(file, "Answer", &text);
        text_clear(&text);
        text_add(&text, "if it were created: ");
    }
    if (e->placement.verdict == BERTH_VERDICT_PLACED)
        tell_placed(e, &text);
    else if (berth_explanation_nominated(e->why) != BERTH_NODE_NONE)
        tell_victims(e, &text);
    else if (e->placement.verdict == BERTH_VERDICT_ERROR)
        text_add(&text, "the attempt ends in an error");
    else
        text_add(&text, "no node fits");
    print_line(file, view->refused ? "" : "Answer", &text);
    if (message.len > 0) {
        text_clear(&text);
        text_add_str(&text, message);
        print_line(file, "", &text);
    }
    if (e->cause != NULL) {
        text_clear(&text);
        text_add(&text, "%s", e->cause);
        print_line(file, "", &text);
    }
    print_looked_at(e, view, file);
    if (view->note.len > 0 && !view->refused) {
        text_clear(&text);
        text_add(&text, "schedulers skip this pod: %.*s", (int)view->note.len, view->note.data);
        print_line(file, "", &text);
    }
    if (e->ahead > 0) {
        text_clear(&text);
        text_add(&text,
                 "%" PRIu64 " pending %s before it (--in-turn places what fits of that first)",
                 e->ahead, e->ahead == 1 ? "pod comes" : "pods come");
        print_line(file, "", &text);
    }
    text_free(&text);
}

/* ---- scores ---- */

/* Short titles for the columns of scores. */
static const char *short_name(berth_str plugin, char out[16])
{
    static const struct {
        const char *name, *title;
    } known[] = {
        {"NodeResourcesFit", "FIT"},     {"NodeResourcesBalancedAllocation", "BALANCE"},
        {"TaintToleration", "TAINTS"},   {"NodeAffinity", "AFFINITY"},
        {"InterPodAffinity", "PODS"},    {"PodTopologySpread", "SPREAD"},
        {"ImageLocality", "IMAGES"},     {"VolumeBinding", "VOLUMES"},
        {"DynamicResources", "DEVICES"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (words_equal(plugin, words_of(known[i].name)))
            return known[i].title;
    snprintf(out, 16, "%.*s", (int)(plugin.len < 12 ? plugin.len : 12), plugin.data);
    return out;
}

/* Whether a plugin's scores differ between feasible nodes. */
static bool differs(const explained *e, uint32_t p)
{
    for (uint32_t i = 1; i < e->feasible_count; i++)
        if (berth_explanation_score(e->why, p, i) != berth_explanation_score(e->why, p, 0))
            return true;
    return false;
}

static void print_ranked_rows(const explained *e, const explained_view *view, rows *r,
                              const uint32_t *plugins, uint32_t plugin_count)
{
    for (uint32_t k = 0; k < e->feasible_count && k < view->nodes; k++) {
        int64_t total = 0;
        uint32_t i = e->ranked[k].i;
        berth_node_id node = berth_explanation_feasible(e->why, i, &total);
        rows_cell(r, "%" PRIu32, e->ranked[k].rank);
        rows_cell_str(r, berth_engine_node_name(e->engine, node));
        rows_cell(r, "%" PRId64, total);
        for (uint32_t p = 0; p < plugin_count; p++)
            rows_cell(r, "%" PRId64, berth_explanation_score(e->why, plugins[p], i));
    }
}

/* Print the best nodes with the scores that differ. */
static void print_ranked(const explained *e, const explained_view *view, FILE *file)
{
    const char *titles[TABLE_COLUMNS_MAX] = {"RANK", "NODE", "TOTAL"};
    char names[TABLE_COLUMNS_MAX][16];
    uint32_t plugins[TABLE_COLUMNS_MAX];
    uint32_t count = 0;
    text_buffer same = {0};
    rows r;
    for (uint32_t p = 0; p < berth_explanation_score_count(e->why); p++) {
        berth_str plugin = berth_explanation_score_plugin(e->why, p);
        bool shown = (view->wide || differs(e, p)) && count + 3 < TABLE_COLUMNS_MAX;
        if (shown) {
            titles[3 + count] = short_name(plugin, names[count]);
            plugins[count++] = p;
        } else {
            text_add(&same, "%s%.*s %" PRId64, same.len > 0 ? ", " : "", (int)plugin.len,
                     plugin.data, berth_explanation_score(e->why, p, 0));
        }
    }
    fputc('\n', file);
    rows_open(&r, titles, 3 + count, 0xffffu & ~2u);
    print_ranked_rows(e, view, &r, plugins, count);
    rows_print(&r, file);
    if (e->feasible_count > view->nodes)
        fprintf(file, "and %" PRIu32 " more that fit (--nodes N, --all)\n",
                e->feasible_count - view->nodes);
    if (same.len > 0 && e->feasible_count > 1) {
        fputs("The same on all: ", file);
        terminal_wrap(file, same.text, same.len, 17, 2);
        fputc('\n', file);
    }
    text_free(&same);
}

/* Print how the total of one node is computed, beside that of the best node. */
static void print_scores(const explained *e, uint32_t i, FILE *file)
{
    const char *titles[] = {"PLUGIN", "RAW", "NORMALIZED", "WEIGHT", "SCORE", "BEST NODE"};
    bool best = e->ranked[0].i == i;
    int64_t total = 0;
    int64_t highest = 0;
    berth_node_id node = berth_explanation_feasible(e->why, i, &total);
    berth_str name = berth_engine_node_name(e->engine, node);
    (void)berth_explanation_feasible(e->why, e->ranked[0].i, &highest);
    fprintf(file, "\n%sScores of ", terminal_paint_on(PAINT_HEAD));
    plain_text_write(file, name.data, name.len);
    fprintf(file, "%s\n", terminal_paint_off());
    rows r;
    rows_open(&r, titles, best ? 5 : 6, 0x3e);
    for (uint32_t p = 0; p < berth_explanation_score_count(e->why); p++) {
        int64_t raw = 0;
        int64_t weight = berth_explanation_score_weight(e->why, p);
        int64_t score = berth_explanation_score(e->why, p, i);
        rows_cell_str(&r, berth_explanation_score_plugin(e->why, p));
        if (berth_explanation_raw_score(e->why, p, i, &raw))
            rows_cell(&r, "%" PRId64, raw);
        else
            rows_cell(&r, "-");
        rows_cell(&r, "%" PRId64, weight != 0 ? score / weight : 0);
        rows_cell(&r, "%" PRId64, weight);
        rows_cell(&r, "%" PRId64, score);
        if (!best)
            rows_cell(&r, "%" PRId64, berth_explanation_score(e->why, p, e->ranked[0].i));
    }
    rows_cell(&r, "total");
    for (int blank = 0; blank < 3; blank++)
        rows_cell(&r, "%s", "");
    rows_cell(&r, "%" PRId64, total);
    if (!best)
        rows_cell(&r, "%" PRId64, highest);
    rows_print(&r, file);
}

/* ---- refusals ---- */

static void print_reasons(const explained *e, FILE *file)
{
    static const char *const titles[] = {"NODES", "REFUSED BY", "REASON"};
    uint32_t count = berth_explanation_reason_counts(e->why, NULL, 0);
    berth_reason_count *all = calloc((size_t)count + 1, sizeof(*all));
    rows r;
    if (all == NULL || count == 0) {
        free(all);
        return;
    }
    count = berth_explanation_reason_counts(e->why, all, count);
    rows_open(&r, titles, 3, 1);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i + 1; k < count; k++) /* codes do not matter here */
            if (words_equal(all[i].reason, all[k].reason) &&
                words_equal(all[i].plugin, all[k].plugin)) {
                all[i].nodes += all[k].nodes;
                all[k].nodes = 0;
            }
        if (all[i].nodes == 0)
            continue;
        rows_cell(&r, "%" PRIu32, all[i].nodes);
        rows_cell_str(&r, all[i].plugin);
        rows_cell_str(&r, all[i].reason);
    }
    free(all);
    fputc('\n', file);
    rows_print(&r, file);
}

/* Print the refused nodes. Nodes that lack the same things share a line, unless all are listed. */
static void print_nearest(const explained *e, const explained_view *view, FILE *file)
{
    static const char *const titles[] = {"NODE", "LACKS"};
    bool all = view->nodes == UINT32_MAX;
    node_sets sets;
    rows r;
    if (e->lacks.count == 0)
        return;
    node_sets_make(&sets, &e->lacks);
    rows_open(&r, titles, 2, 0);
    for (uint32_t s = 0; s < sets.count && s < view->nodes; s++) {
        const node_set *set = &sets.items[s];
        for (uint32_t k = 0; k < (all ? set->count : 1); k++) {
            const refused_node *node = &e->lacks.nodes[set->nodes[k]];
            text_buffer name = {0};
            name_of(e, node->node, &name);
            if (!all && set->count > 1)
                text_add(&name, " and %" PRIu32 " more", set->count - 1);
            rows_cell_str(&r, text_str(&name));
            rows_cell(&r, "%s", node->lack);
            text_free(&name);
        }
    }
    fprintf(file, "\n%sThe nearest of %" PRIu32 " that refuse%s\n", terminal_paint_on(PAINT_HEAD),
            e->lacks.count, terminal_paint_off());
    rows_print(&r, file);
    if (sets.count > view->nodes)
        fprintf(file, "and %" PRIu32 " other shortfalls (--nodes N, --all)\n",
                sets.count - view->nodes);
    node_sets_free(&sets);
}

static void print_remedies(const explained *e, FILE *file)
{
    if (e->placement.verdict != BERTH_VERDICT_UNSCHEDULABLE || e->remedies.attempts == 0)
        return;
    fprintf(file, "\n%sWhat would help%s (each was tried)\n", terminal_paint_on(PAINT_HEAD),
            terminal_paint_off());
    for (size_t i = 0; i < e->remedies.count; i++) {
        const remedy *one = &e->remedies.items[i];
        text_buffer text = {0};
        text_add(&text, "%s: ", one->text);
        if (one->answer.preempts)
            text_add(&text, "it gets %s by evicting %s", one->answer.node, one->answer.evicting);
        else if (one->answer.fits > 1)
            text_add(&text, "it goes to %s, %" PRIu32 " nodes fit", one->answer.node,
                     one->answer.fits);
        else
            text_add(&text, "it goes to %s", one->answer.node);
        fputs("  - ", file);
        terminal_wrap(file, text.text, text.len, 4, 4);
        fputc('\n', file);
        text_free(&text);
    }
    if (e->remedies.count == 0 && e->cause != NULL)
        fputs(
            "  None of the changes that were tried. Name a StorageClass in the claim, or mark one\n"
            "  as the default: the pod can be placed when the volume is there.\n",
            file);
    else if (e->remedies.count == 0)
        fprintf(file, "  None of the changes that were tried (%" PRIu64 " attempts).\n",
                e->remedies.attempts);
}

/* ---- one node ---- */

static berth_status print_unseen(explained *e, berth_node_id node, FILE *file, berth_error *error)
{
    berth_fit fit = {.size = sizeof(fit)};
    berth_str name = berth_engine_node_name(e->engine, node);
    TRY(berth_engine_fits(e->engine, e->pod, node, BERTH_FIT_REASONS, &fit, error));
    text_buffer text = {0};
    text_add(&text, "%.*s was not looked at; it would ", (int)name.len, name.data);
    if (fit.verdict == BERTH_VERDICT_PLACED) {
        text_add(&text, "fit (--percentage 100 gives its scores)");
    } else {
        text_add(&text, "refuse the pod: %.*s: ", (int)fit.plugin.len, fit.plugin.data);
        for (uint32_t i = 0; i < fit.reason_count; i++)
            text_add(&text, "%s%.*s", i > 0 ? ", " : "", (int)fit.reasons[i].len,
                     fit.reasons[i].data);
    }
    print_line(file, "Node", &text);
    text_free(&text);
    return BERTH_OK;
}

static void print_refused_node(const explained *e, const refused_node *node, FILE *file)
{
    text_buffer text = {0};
    name_of(e, node->node, &text);
    text_add(&text, " refuses the pod: %s", node->lack);
    print_line(file, "Node", &text);
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
        berth_refusal refusal = berth_explanation_refusal(e->why, i);
        text_clear(&text);
        text_add(&text, "%.*s: ", (int)refusal.plugin.len, refusal.plugin.data);
        for (uint32_t r = 0; r < refusal.reason_count; r++) {
            text_add(&text, "%s", r > 0 ? ", " : "");
            text_add_str(&text, berth_explanation_reason(e->why, i, r));
        }
        text_add(&text, "%s",
                 refusal.code == BERTH_CODE_UNRESOLVABLE ? " (preemption cannot help here)" : "");
        print_line(file, "", &text);
    }
    text_free(&text);
}

static berth_status print_node(explained *e, berth_node_id node, FILE *file, berth_error *error)
{
    uint32_t i = explained_feasible(e, node);
    const refused_node *refused = explained_refused(e, node);
    if (refused != NULL) {
        print_refused_node(e, refused, file);
        return BERTH_OK;
    }
    if (i == UINT32_MAX)
        return print_unseen(e, node, file, error);
    text_buffer text = {0};
    uint32_t k = 0;
    while (e->ranked[k].i != i)
        k++;
    name_of(e, node, &text);
    text_add(&text, " fits, rank %" PRIu32 " of %" PRIu32, e->ranked[k].rank, e->feasible_count);
    print_line(file, "Node", &text);
    text_free(&text);
    print_scores(e, i, file);
    return BERTH_OK;
}

berth_status explained_print(explained *e, const explained_view *view, FILE *file,
                             berth_error *error)
{
    print_pod(e, file);
    print_answer(e, view, file);
    TRY(explained_devices(e, print_devices, file, error));
    if (view->node != BERTH_NODE_NONE)
        return print_node(e, view->node, file, error);
    if (e->feasible_count > 0) {
        print_ranked(e, view, file);
        print_scores(e, e->ranked[0].i, file);
    }
    print_reasons(e, file);
    print_nearest(e, view, file);
    print_remedies(e, file);
    return BERTH_OK;
}
