/* Reads the nodes and tasks of the openb trace from its files. */
#include "traces/openb.h"

#include <string.h>

#include "cli/exits.h"
#include "cli/words.h"

enum {
    OPENB_PODS_A_NODE = 1001,
    MODELS_MAX = 16,
};

const char openb_gpu_milli[] = "alibabacloud.com/gpu-milli";
static const char count_name[] = "alibabacloud.com/gpu-count";
static const char model_name[] = "alibabacloud.com/gpu-card-model";

/* ---- nodes ---- */

static berth_status find_node_columns(openb_nodes *c, berth_error *error)
{
    const csv_table *t = &c->table;
    const bool found = (c->name = csv_table_column(t, "sn", error)) != CSV_COLUMN_NONE &&
                       (c->cpu = csv_table_column(t, "cpu_milli", error)) != CSV_COLUMN_NONE &&
                       (c->memory = csv_table_column(t, "memory_mib", error)) != CSV_COLUMN_NONE &&
                       (c->gpus = csv_table_column(t, "gpu", error)) != CSV_COLUMN_NONE &&
                       (c->model = csv_table_column(t, "model", error)) != CSV_COLUMN_NONE;
    return found ? BERTH_OK : BERTH_E_INVALID;
}

berth_status openb_nodes_open(openb_nodes *nodes, const char *path, berth_error *error)
{
    *nodes = (openb_nodes){.table = {.file = NULL}};
    berth_status status = csv_table_open(&nodes->table, path, error);
    return status == BERTH_OK ? find_node_columns(nodes, error) : status;
}

void openb_nodes_close(openb_nodes *nodes)
{
    csv_table_close(&nodes->table);
}

berth_status openb_nodes_next(openb_nodes *nodes, draft *d, bool *more, berth_error *error)
{
    uint64_t cpu_milli = 0;
    uint64_t mem_mib = 0;
    uint64_t gpus = 0;
    const csv_table *t = &nodes->table;
    TRY(csv_table_next(&nodes->table, more, error));
    if (!*more)
        return BERTH_OK;
    TRY(csv_table_number(t, nodes->cpu, INT32_MAX, &cpu_milli, error));
    TRY(csv_table_number(t, nodes->memory, INT32_MAX, &mem_mib, error));
    TRY(csv_table_number(t, nodes->gpus, 1000000, &gpus, error));
    berth_str name = words_of(t->cells[nodes->name]);
    draft_reset(d);
    draft_node(d, name);
    if (t->cells[nodes->model][0] != '\0')
        draft_label(d, model_name, words_of(t->cells[nodes->model]));
    draft_label(d, "beta.kubernetes.io/os", words_of("linux"));
    draft_label(d, "kubernetes.io/hostname", name);
    draft_label(d, "kubernetes.io/os", words_of("linux"));
    if (gpus > 0) {
        draft_resource(d, count_name, draft_units((int64_t)gpus));
        draft_resource(d, openb_gpu_milli, draft_units((int64_t)gpus * 1000));
    }
    draft_resource(d, "cpu", draft_milli((int64_t)cpu_milli));
    draft_resource(d, "memory", draft_mebibytes((int64_t)mem_mib));
    draft_resource(d, "pods", draft_units(OPENB_PODS_A_NODE));
    return BERTH_OK;
}

/* ---- pods ---- */

static berth_status find_pod_columns(openb_pods *c, berth_error *error)
{
    berth_error ignored;
    const csv_table *t = &c->table;
    c->created = csv_table_column(t, "creation_time", &ignored);
    c->deleted = csv_table_column(t, "deletion_time", &ignored);
    c->scheduled = csv_table_column(t, "scheduled_time", &ignored);
    if (c->deleted == CSV_COLUMN_NONE || c->scheduled == CSV_COLUMN_NONE)
        c->created = CSV_COLUMN_NONE;
    c->models = csv_table_column(t, "gpu_spec", &ignored);
    c->qos = csv_table_column(t, "qos", &ignored);
    const bool found = (c->name = csv_table_column(t, "name", error)) != CSV_COLUMN_NONE &&
                       (c->cpu = csv_table_column(t, "cpu_milli", error)) != CSV_COLUMN_NONE &&
                       (c->memory = csv_table_column(t, "memory_mib", error)) != CSV_COLUMN_NONE &&
                       (c->gpus = csv_table_column(t, "num_gpu", error)) != CSV_COLUMN_NONE &&
                       (c->milli = csv_table_column(t, "gpu_milli", error)) != CSV_COLUMN_NONE;
    return found ? BERTH_OK : BERTH_E_INVALID;
}

/* Require one of the models in a list such as "V100M16|V100M32|V100M32". */
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

berth_status openb_pods_open(openb_pods *pods, const char *path, berth_error *error)
{
    *pods = (openb_pods){.table = {.file = NULL}};
    berth_status status = csv_table_open(&pods->table, path, error);
    return status == BERTH_OK ? find_pod_columns(pods, error) : status;
}

void openb_pods_close(openb_pods *pods)
{
    csv_table_close(&pods->table);
}

static berth_status read_seconds(const openb_pods *pods, uint32_t column, int64_t *out_s,
                                 berth_error *error)
{
    uint64_t seconds = 0;
    TRY(csv_table_number(&pods->table, column, UINT32_MAX, &seconds, error));
    *out_s = (int64_t)seconds;
    return BERTH_OK;
}

static berth_status read_times(const openb_pods *pods, openb_times *times, berth_error *error)
{
    *times = (openb_times){.known = pods->created != CSV_COLUMN_NONE};
    if (!times->known)
        return BERTH_OK;
    TRY(read_seconds(pods, pods->created, &times->created_s, error));
    TRY(read_seconds(pods, pods->deleted, &times->deleted_s, error));
    times->was_scheduled = pods->table.cells[pods->scheduled][0] != '\0';
    return times->was_scheduled ? read_seconds(pods, pods->scheduled, &times->scheduled_s, error)
                                : BERTH_OK;
}

static void add_gpus(const openb_pods *pods, draft *d, uint64_t gpus, uint64_t milli)
{
    if (gpus == 0)
        return;
    draft_annotation(d, count_name, words_of(pods->table.cells[pods->gpus]));
    draft_annotation(d, openb_gpu_milli, words_of(pods->table.cells[pods->milli]));
    draft_resource(d, openb_gpu_milli, draft_units((int64_t)(gpus * milli)));
    if (milli == 1000)
        draft_resource(d, count_name, draft_units((int64_t)gpus));
}

berth_status openb_pods_next(openb_pods *pods, draft *d, openb_times *times, bool *more,
                             berth_error *error)
{
    uint64_t cpu_milli = 0;
    uint64_t mem_mib = 0;
    uint64_t gpus = 0;
    uint64_t gpu_milli = 0;
    const csv_table *t = &pods->table;
    TRY(csv_table_next(&pods->table, more, error));
    if (!*more)
        return BERTH_OK;
    TRY(csv_table_number(t, pods->cpu, INT32_MAX, &cpu_milli, error));
    TRY(csv_table_number(t, pods->memory, INT32_MAX, &mem_mib, error));
    TRY(csv_table_number(t, pods->gpus, 1000000, &gpus, error));
    TRY(csv_table_number(t, pods->milli, 1000, &gpu_milli, error));
    TRY(read_times(pods, times, error));
    draft_reset(d);
    draft_pod(d, words_of("default"), words_of(t->cells[pods->name]));
    if (pods->qos != CSV_COLUMN_NONE && t->cells[pods->qos][0] != '\0')
        draft_label(d, "alibabacloud.com/qos", words_of(t->cells[pods->qos]));
    draft_image(d, words_of("pause:3.10"));
    draft_resource(d, "cpu", draft_milli((int64_t)cpu_milli));
    draft_resource(d, "memory", draft_mebibytes((int64_t)mem_mib));
    add_gpus(pods, d, gpus, gpu_milli);
    if (pods->models != CSV_COLUMN_NONE)
        require_models(d, t->cells[pods->models]);
    return BERTH_OK;
}
