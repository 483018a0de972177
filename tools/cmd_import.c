/* berth import: writes a published trace as Kubernetes objects.
 *
 * openb (Alibaba, 2023). Nodes are as in the authors' own manifests. A task becomes a pod that
 * asks for cpu, memory and, in thousandths of a GPU, what it wants of its GPUs together; tasks
 * that want whole GPUs ask for their number too. A part of a GPU is thus taken from the node's
 * sum: that it must fit on one device is not said, since no default plugin would read it. Tasks
 * are written without a node and without their times: the trace is a list to place one after
 * the other. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "csv_table.h"
#include "draft.h"
#include "exits.h"
#include "manifest.h"
#include "options.h"
#include "words.h"

enum {
    OPENB_PODS_A_NODE = 1001,
    MODELS_MAX = 16,
};

static const char count_name[] = "alibabacloud.com/gpu-count";
static const char milli_name[] = "alibabacloud.com/gpu-milli";
static const char model_name[] = "alibabacloud.com/gpu-card-model";

typedef struct import {
    output out;
    draft draft;
} import;

static const command_help help = {
    .name = "import",
    .synopsis = "openb NODES.csv PODS.csv",
    .text = "Writes a published trace on standard output as a Kubernetes List that kubectl and\n"
            "'berth schedule' read. Known traces:\n"
            "  openb   GPU cluster of Alibaba, 2023: nodes.csv and one of the pods*.csv\n",
    .examples = "  berth import openb nodes.csv pods.csv > openb.json\n"
                "  berth import openb nodes.csv pods.csv | berth schedule -f - --summary\n",
};

/* ---- nodes ---- */

typedef struct node_columns {
    uint32_t name, cpu, memory, gpus, model;
} node_columns;

static berth_status find_node_columns(const csv_table *t, node_columns *c, berth_error *error)
{
    const bool found = (c->name = csv_table_column(t, "sn", error)) != CSV_COLUMN_NONE &&
                       (c->cpu = csv_table_column(t, "cpu_milli", error)) != CSV_COLUMN_NONE &&
                       (c->memory = csv_table_column(t, "memory_mib", error)) != CSV_COLUMN_NONE &&
                       (c->gpus = csv_table_column(t, "gpu", error)) != CSV_COLUMN_NONE &&
                       (c->model = csv_table_column(t, "model", error)) != CSV_COLUMN_NONE;
    return found ? BERTH_OK : BERTH_E_INVALID;
}

static berth_status write_node(import *im, const csv_table *t, const node_columns *c,
                               berth_error *error)
{
    uint64_t cpu_milli = 0;
    uint64_t mem_mib = 0;
    uint64_t gpus = 0;
    berth_status status = csv_table_number(t, c->cpu, INT32_MAX, &cpu_milli, error);
    if (status == BERTH_OK)
        status = csv_table_number(t, c->memory, INT32_MAX, &mem_mib, error);
    if (status == BERTH_OK)
        status = csv_table_number(t, c->gpus, 1000000, &gpus, error);
    if (status != BERTH_OK)
        return status;
    draft *d = &im->draft;
    berth_str name = words_of(t->cells[c->name]);
    draft_reset(d);
    draft_node(d, name);
    if (t->cells[c->model][0] != '\0')
        draft_label(d, model_name, words_of(t->cells[c->model]));
    draft_label(d, "beta.kubernetes.io/os", words_of("linux"));
    draft_label(d, "kubernetes.io/hostname", name);
    draft_label(d, "kubernetes.io/os", words_of("linux"));
    if (gpus > 0) {
        draft_resource(d, count_name, draft_units((int64_t)gpus));
        draft_resource(d, milli_name, draft_units((int64_t)gpus * 1000));
    }
    draft_resource(d, "cpu", draft_milli((int64_t)cpu_milli));
    draft_resource(d, "memory", draft_mebibytes((int64_t)mem_mib));
    draft_resource(d, "pods", draft_units(OPENB_PODS_A_NODE));
    manifest_write(&im->out, &d->object);
    return BERTH_OK;
}

static berth_status write_nodes(import *im, csv_table *t, berth_error *error)
{
    node_columns columns;
    berth_status status = find_node_columns(t, &columns, error);
    for (bool more = true; status == BERTH_OK;) {
        status = csv_table_next(t, &more, error);
        if (status != BERTH_OK || !more)
            break;
        status = write_node(im, t, &columns, error);
    }
    return status;
}

/* ---- pods ---- */

typedef struct pod_columns {
    uint32_t name, cpu, memory, gpus, milli;
    uint32_t models, qos; /* CSV_COLUMN_NONE: this list has none */
} pod_columns;

static berth_status find_pod_columns(const csv_table *t, pod_columns *c, berth_error *error)
{
    berth_error ignored;
    c->models = csv_table_column(t, "gpu_spec", &ignored);
    c->qos = csv_table_column(t, "qos", &ignored);
    const bool found = (c->name = csv_table_column(t, "name", error)) != CSV_COLUMN_NONE &&
                       (c->cpu = csv_table_column(t, "cpu_milli", error)) != CSV_COLUMN_NONE &&
                       (c->memory = csv_table_column(t, "memory_mib", error)) != CSV_COLUMN_NONE &&
                       (c->gpus = csv_table_column(t, "num_gpu", error)) != CSV_COLUMN_NONE &&
                       (c->milli = csv_table_column(t, "gpu_milli", error)) != CSV_COLUMN_NONE;
    return found ? BERTH_OK : BERTH_E_INVALID;
}

/* "V100M16|V100M32|V100M32": the node's model must be one of these. */
static void require_models(draft *d, const char *list)
{
    berth_str models[MODELS_MAX];
    uint32_t count = 0;
    for (const char *at = list; *at != '\0' && count < MODELS_MAX;) {
        berth_str model = {at, (uint32_t)strcspn(at, "|")};
        bool known = false;
        for (uint32_t i = 0; i < count; i++)
            known = known || words_equal(models[i], model);
        if (!known)
            models[count++] = model;
        at += model.len + (at[model.len] == '|' ? 1 : 0);
    }
    if (count == 1)
        draft_select_node(d, model_name, models[0]);
    else if (count > 1)
        draft_require_node(d, model_name, models, count);
}

static berth_status write_pod(import *im, const csv_table *t, const pod_columns *c,
                              berth_error *error)
{
    uint64_t cpu_milli = 0;
    uint64_t mem_mib = 0;
    uint64_t gpus = 0;
    uint64_t gpu_milli = 0;
    berth_status status = csv_table_number(t, c->cpu, INT32_MAX, &cpu_milli, error);
    if (status == BERTH_OK)
        status = csv_table_number(t, c->memory, INT32_MAX, &mem_mib, error);
    if (status == BERTH_OK)
        status = csv_table_number(t, c->gpus, 1000000, &gpus, error);
    if (status == BERTH_OK)
        status = csv_table_number(t, c->milli, 1000, &gpu_milli, error);
    if (status != BERTH_OK)
        return status;
    draft *d = &im->draft;
    draft_reset(d);
    draft_pod(d, words_of("default"), words_of(t->cells[c->name]));
    if (c->qos != CSV_COLUMN_NONE && t->cells[c->qos][0] != '\0')
        draft_label(d, "alibabacloud.com/qos", words_of(t->cells[c->qos]));
    draft_image(d, words_of("pause:3.10"));
    draft_resource(d, "cpu", draft_milli((int64_t)cpu_milli));
    draft_resource(d, "memory", draft_mebibytes((int64_t)mem_mib));
    if (gpus > 0) {
        draft_annotation(d, count_name, words_of(t->cells[c->gpus]));
        draft_annotation(d, milli_name, words_of(t->cells[c->milli]));
        draft_resource(d, milli_name, draft_units((int64_t)(gpus * gpu_milli)));
        if (gpu_milli == 1000)
            draft_resource(d, count_name, draft_units((int64_t)gpus));
    }
    if (c->models != CSV_COLUMN_NONE)
        require_models(d, t->cells[c->models]);
    manifest_write(&im->out, &d->object);
    return BERTH_OK;
}

static berth_status write_pods(import *im, csv_table *t, berth_error *error)
{
    pod_columns columns;
    berth_status status = find_pod_columns(t, &columns, error);
    for (bool more = true; status == BERTH_OK;) {
        status = csv_table_next(t, &more, error);
        if (status != BERTH_OK || !more)
            break;
        status = write_pod(im, t, &columns, error);
    }
    return status;
}

/* ---- the command ---- */

static berth_status convert_openb(import *im, const char *nodes_path, const char *pods_path,
                                  berth_error *error)
{
    csv_table nodes;
    csv_table pods = {.file = NULL};
    berth_status status = csv_table_open(&nodes, nodes_path, error);
    if (status == BERTH_OK)
        status = csv_table_open(&pods, pods_path, error);
    if (status == BERTH_OK)
        status = write_nodes(im, &nodes, error);
    if (status == BERTH_OK)
        status = write_pods(im, &pods, error);
    csv_table_close(&nodes);
    csv_table_close(&pods);
    return status;
}

/* The List is put together in memory, so that a bad line leaves nothing half written. */
static int import_openb(const char *nodes_path, const char *pods_path)
{
    import im = {.draft = {.text_used = 0}};
    berth_error error = {.code = BERTH_OK};
    char *text = NULL;
    size_t text_len = 0;
    FILE *memory = open_memstream(&text, &text_len);
    if (memory == NULL)
        return exit_status(help.name, "making room for the objects", BERTH_E_NOMEM);
    manifest_open(&im.out, memory);
    berth_status status = convert_openb(&im, nodes_path, pods_path, &error);
    int code = EXIT_DONE;
    if (status != BERTH_OK) {
        code = exit_error(help.name, &error);
        fclose(memory);
    } else {
        manifest_close(&im.out);
        if (fclose(memory) != 0)
            code = exit_status(help.name, "making room for the objects", BERTH_E_NOMEM);
        else
            fwrite(text, 1, text_len, stdout);
    }
    free(text);
    return code;
}

int cmd_import(int argc, char **argv)
{
    text_list operands = {0};
    options_result parsed = options_parse(&help, NULL, 0, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN) {
        if (operands.count == 0)
            code = exit_usage(help.name, "no trace named");
        else if (strcmp(operands.items[0], "openb") != 0)
            code = exit_usage(help.name, "unknown trace '%s'; known: openb", operands.items[0]);
        else if (operands.count != 3)
            code = exit_usage(help.name, "openb takes two files: NODES.csv PODS.csv");
        else
            code = import_openb(operands.items[1], operands.items[2]);
    }
    text_list_free(&operands);
    return code;
}
