/* Prints the results of a drain: tables, names, or a document. */
#include "commands/drain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "cli/table.h"
#include "cli/verbosity.h"
#include "cli/words.h"

enum { NOTE_BYTES = 2048 };

/* Write the note about a pod, without its volumes. */
static void write_note(const drain *d, const move *one, char *room, size_t size)
{
    const berth_str keeper = budgets_name(&d->input.budgets, one->budget);
    if (one->to == BERTH_NODE_NONE) {
        berth_str message = word_table_get(&d->plan.messages, one->message);
        snprintf(room, size, "%.*s", (int)message.len, message.data);
    } else if (one->budget == BUDGET_SEVERAL)
        snprintf(room, size, "two disruption budgets cover it: no eviction is allowed");
    else if (one->turn == 0)
        snprintf(room, size, "budget %.*s keeps it", (int)keeper.len, keeper.data);
    else if (one->turn > 1)
        snprintf(room, size, "in turn %" PRIu32 ", as budget %.*s allows", one->turn,
                 (int)keeper.len, keeper.data);
    else
        snprintf(room, size, "%s", one->bare ? "no controller" : "");
}

static berth_str note_of(const drain *d, const move *one, char *room, size_t size)
{
    const char *lost = one->empty_dir ? "emptyDir data is lost; " : "";
    snprintf(room, size, "%s", lost);
    if (one->volume.len > 0)
        snprintf(room + strlen(lost), size - strlen(lost), "volume %.*s stays on the node; ",
                 (int)one->volume.len, one->volume.data);
    size_t at = strlen(room);
    write_note(d, one, room + at, size - at);
    if (room[at] == '\0' && at > 0)
        room[at - 2] = '\0';
    return words_of(room);
}

size_t drain_fitting(const drain *d)
{
    return (size_t)drain_plan_totals(&d->plan).fit;
}

/* Handle one row in two passes: first measure, then write. Bit i of `nodes`: cell i is a node's
 * name. */
static void row(table *t, bool writing, const berth_str *cells, uint32_t nodes)
{
    for (uint32_t i = 0; i < t->column_count; i++) {
        if (writing)
            table_cell(t, cells[i]);
        else if ((nodes >> i & 1) != 0)
            table_measure_node(t, i, cells[i]);
        else
            table_measure(t, i, cells[i].len);
    }
}

static void print_nodes(const drain *d)
{
    static const char *const titles[] = {"NODE", "PODS",      "PLACED", "STAY",
                                         "BARE", "FORBIDDEN", "VERDICT"};
    table t;
    table_open(&t, stdout, titles, 7, 0x3e);
    for (int writing = 0; writing <= 1; writing++) {
        if (writing)
            table_head(&t);
        for (size_t i = 0; i < d->plan.node_count; i++) {
            const drained *node = &d->plan.nodes[i];
            const uint32_t numbers[] = {node->pods, node->placed,
                                        node->stay[0] + node->stay[1] + node->stay[2], node->bare,
                                        node->forbidden};
            char texts[5][16];
            berth_str cells[7] = {berth_engine_node_name(d->plan.engine, node->node)};
            for (int k = 0; k < 5; k++) {
                snprintf(texts[k], sizeof(texts[k]), "%" PRIu32, numbers[k]);
                cells[1 + k] = words_of(texts[k]);
            }
            cells[6] = words_of(drain_verdict(node));
            row(&t, writing != 0, cells, 1);
        }
    }
    table_foot(&t);
}

/* Print the nodes that could be drained. */
static void print_names(const drain *d)
{
    for (size_t i = 0; i < d->plan.node_count; i++) {
        berth_str name = berth_engine_node_name(d->plan.engine, d->plan.nodes[i].node);
        if (d->plan.nodes[i].placed == d->plan.nodes[i].pods && d->plan.nodes[i].forbidden == 0)
            printf("node/%.*s\n", (int)name.len, name.data);
    }
}

static bool is_shown(const drain *d, const move *one)
{
    berth_str namespace_name = {0};
    berth_str name = {0};
    berth_engine_pod_name(d->plan.engine, one->pod, &namespace_name, &name);
    if (!listing_has(&d->list, namespace_name))
        return false;
    return d->list_moves || one->to == BERTH_NODE_NONE || one->turn != 1 || one->volume.len > 0;
}

static bool shows_moves(const drain *d)
{
    for (size_t i = 0; i < d->plan.move_count; i++)
        if (is_shown(d, &d->plan.moves[i]))
            return true;
    return false;
}

/* Print the pods that do not fit or may not leave; with --moves, all pods. */
static void print_moves(const drain *d)
{
    static const char *const titles[] = {"NAMESPACE", "NAME", "FROM", "TO", "NOTE"};
    table t;
    if (!shows_moves(d) && !listing_is_flat(&d->list))
        return;
    table_open(&t, stdout, titles, 5, 0);
    for (int writing = 0; writing <= 1; writing++) {
        if (writing)
            table_head(&t);
        for (size_t i = 0; i < d->plan.move_count; i++) {
            const move *one = &d->plan.moves[i];
            if (!is_shown(d, one))
                continue;
            berth_str cells[5];
            char note[NOTE_BYTES];
            berth_engine_pod_name(d->plan.engine, one->pod, &cells[0], &cells[1]);
            cells[2] = berth_engine_node_name(d->plan.engine, one->from);
            cells[3] = one->to != BERTH_NODE_NONE ? berth_engine_node_name(d->plan.engine, one->to)
                                                  : words_of("-");
            cells[4] = note_of(d, one, note, sizeof(note));
            row(&t, writing != 0, cells, one->to != BERTH_NODE_NONE ? 3u << 2 : 1u << 2);
        }
    }
    table_foot(&t);
}

static void print_summary(const drain *d)
{
    drain_totals sum = drain_plan_totals(&d->plan);
    printf("Nodes        %zu would be drained%s; the cluster stays as it is\n", d->plan.node_count,
           d->plan.node_count == 1 ? ""
           : d->plan.together      ? " together"
                                   : ", each alone");
    printf("Fit          %" PRIu64 "\n", sum.fit);
    printf("Forbidden    %" PRIu64 ", %" PRIu64 " pods kept by disruption budgets\n", sum.forbidden,
           sum.forbidden_pods);
    printf("Do not fit   %" PRIu64 ", %" PRIu64 " of %" PRIu64 " pods without a place\n", sum.unfit,
           sum.unplaced, sum.pods);
    printf("Left aside   %" PRIu64 " pods of DaemonSets, mirror and terminating pods\n", sum.stay);
    printf("Bare         %" PRIu64 " pods without a controller\n", sum.bare);
    if (sum.local > 0)
        printf("Local data   %" PRIu64 " pod%s a volume that only %s node reaches\n", sum.local,
               sum.local == 1 ? " has" : "s have", sum.local == 1 ? "its" : "their");
    if (sum.empty_dirs > 0)
        printf("Data lost    %" PRIu64 " pod%s emptyDir volumes\n", sum.empty_dirs,
               sum.empty_dirs == 1 ? " has" : "s have");
    cluster_version_print(&d->input.version, &d->setup, stdout);
    verbosity_note("%zu node%s simulated in %.6f s, %.0f a second", d->plan.node_count,
                   d->plan.node_count == 1 ? "" : "s", d->plan.seconds, drain_plan_rate(&d->plan));
}

static void write_results(const drain *d, const char *command)
{
    output o;
    output_open(&o, stdout, (output_format)d->list.format, 4); /* one pod per line */
    output_object(&o);
    output_schema(&o, command);
    drain_plan_write(&d->plan, &o);
    output_object_end(&o);
    output_close(&o);
}

void drain_show(const drain *d, const char *command)
{
    if (d->list.format == OUTPUT_NAME) {
        print_names(d);
        return;
    }
    if (listing_is_flat(&d->list)) {
        if (d->list_moves)
            print_moves(d);
        else
            print_nodes(d);
        return;
    }
    if (!listing_is_table(&d->list)) {
        write_results(d, command);
        return;
    }
    if (!d->plan.summary_only) {
        print_nodes(d);
        putchar('\n');
        print_moves(d);
        if (shows_moves(d))
            putchar('\n');
    }
    print_summary(d);
}
