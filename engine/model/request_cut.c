/* Cuts a pod down to one resource after the other: its entries are sorted by resource, so that each
 * resource is one run of them. */
#include "model/request_cut.h"

#include "base/sort.h"

/* The list that an entry is in. */
typedef enum place {
    CONTAINER,
    STATUS_REQUESTS,
    STATUS_ALLOCATED,
    OVERHEAD,
    POD_REQUESTS,
    POD_STATUS_REQUESTS,
    POD_STATUS_ALLOCATED,
} place;

typedef struct berth__cut_entry {
    const berth_resource *item;
    place place;
    bool init;
    uint32_t container;
} berth__cut_entry;

bool berth__counted_pod_make(berth__arena *arena, const berth_pod *pod, berth__counted_pod *out)
{
    out->pod = pod;
    out->whole = NULL;
    return berth__names_make(arena, pod->container_statuses, sizeof(*pod->container_statuses),
                             pod->container_status_count, pod->container_status_count,
                             &out->statuses) &&
           berth__names_make(arena, pod->init_container_statuses,
                             sizeof(*pod->init_container_statuses),
                             pod->init_container_status_count, pod->init_container_status_count,
                             &out->init_statuses);
}

const berth_container_status *berth__counted_pod_status(const berth__counted_pod *own, bool init,
                                                        berth_str name)
{
    uint32_t at = berth__names_find(init ? &own->init_statuses : &own->statuses, name);
    if (at == BERTH__NAMES_NONE)
        return NULL;
    return init ? &own->pod->init_container_statuses[at] : &own->pod->container_statuses[at];
}

/* ---- entries ---- */

/* Record the entries of a list whose columns are not the fixed ones; while there is no memory yet,
 * only count them. */
static void note(berth__request_cut *cut, berth_resources list, berth__cut_entry entry)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (cut->entries != NULL) {
            uint32_t column = berth__resource_known(cut->model, list.items[i].name);
            if (column == BERTH__RESOURCE_NONE || column < BERTH__SCALARS)
                continue;
            entry.item = &list.items[i];
            cut->entries[cut->entry_count] = entry;
            cut->order[cut->entry_count] = (uint64_t)column << 32 | cut->entry_count;
        }
        cut->entry_count++;
    }
}

static void note_containers(berth__request_cut *cut, bool init, const berth_container *containers,
                            uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const berth_container_status *status =
            berth__counted_pod_status(cut->whole, init, containers[i].name);
        note(cut, containers[i].requests, (berth__cut_entry){NULL, CONTAINER, init, i});
        if (status == NULL)
            continue;
        note(cut, status->requests, (berth__cut_entry){NULL, STATUS_REQUESTS, init, i});
        note(cut, status->allocated, (berth__cut_entry){NULL, STATUS_ALLOCATED, init, i});
    }
}

static void note_all(berth__request_cut *cut)
{
    const berth_pod *pod = cut->whole->pod;
    cut->entry_count = 0;
    note_containers(cut, false, pod->containers, pod->container_count);
    note_containers(cut, true, pod->init_containers, pod->init_container_count);
    note(cut, pod->overhead, (berth__cut_entry){.place = OVERHEAD});
    note(cut, pod->pod_requests, (berth__cut_entry){.place = POD_REQUESTS});
    note(cut, pod->status_requests, (berth__cut_entry){.place = POD_STATUS_REQUESTS});
    note(cut, pod->status_allocated, (berth__cut_entry){.place = POD_STATUS_ALLOCATED});
}

static void *array(berth__model *model, uint32_t count, size_t element, bool *ok)
{
    void *memory = berth__arena_alloc(&model->scratch, (count + 1) * element, 8);
    *ok &= memory != NULL;
    return memory;
}

bool berth__request_cut_make(berth__model *model, const berth__counted_pod *whole,
                             berth__request_cut *out)
{
    const berth_pod *pod = whole->pod;
    const uint32_t counts[2] = {pod->container_count, pod->init_container_count};
    bool ok = true;
    *out = (berth__request_cut){.model = model, .whole = whole, .pod = *pod};
    note_all(out);
    out->order = array(model, out->entry_count, sizeof(*out->order), &ok);
    out->entries = array(model, out->entry_count, sizeof(*out->entries), &ok);
    for (uint32_t i = 0; i < 2; i++) {
        out->containers[i] = array(model, counts[i], sizeof(berth_container), &ok);
        out->statuses[i] = array(model, counts[i], sizeof(berth_container_status), &ok);
    }
    if (!ok)
        return false;
    note_all(out);
    berth__sort_words(out->order, out->entry_count);
    return true;
}

/* ---- a resource ---- */

typedef struct cut_lists {
    uint32_t containers[2];
    uint32_t statuses[2];
    uint32_t last[2]; /* the last container that was put, by number */
} cut_lists;

/* If a list has a name twice, the first entry counts. */
static void put(berth_resources *list, const berth_resource *item)
{
    if (list->count == 0)
        *list = (berth_resources){item, 1};
}

/* A container is put together with its status, because the presence of a status matters. */
static void put_container(berth__request_cut *cut, cut_lists *lists, const berth__cut_entry *entry)
{
    bool init = entry->init;
    const berth_pod *pod = cut->whole->pod;
    const berth_container *whole =
        init ? &pod->init_containers[entry->container] : &pod->containers[entry->container];
    const berth_container_status *status = berth__counted_pod_status(cut->whole, init, whole->name);
    if (lists->containers[init] == 0 || lists->last[init] != entry->container) {
        berth_container *made = &cut->containers[init][lists->containers[init]++];
        *made = *whole;
        made->requests = (berth_resources){0};
        lists->last[init] = entry->container;
        if (status != NULL) {
            berth_container_status *copy = &cut->statuses[init][lists->statuses[init]++];
            *copy = *status;
            copy->requests = copy->allocated = (berth_resources){0};
        }
    }
    if (entry->place == CONTAINER)
        put(&cut->containers[init][lists->containers[init] - 1].requests, entry->item);
    else if (entry->place == STATUS_REQUESTS)
        put(&cut->statuses[init][lists->statuses[init] - 1].requests, entry->item);
    else
        put(&cut->statuses[init][lists->statuses[init] - 1].allocated, entry->item);
}

static void put_entry(berth__request_cut *cut, cut_lists *lists, const berth__cut_entry *entry)
{
    switch (entry->place) {
    case CONTAINER:
    case STATUS_REQUESTS:
    case STATUS_ALLOCATED:
        put_container(cut, lists, entry);
        break;
    case OVERHEAD:
        put(&cut->pod.overhead, entry->item);
        break;
    case POD_REQUESTS:
        put(&cut->pod.pod_requests, entry->item);
        break;
    case POD_STATUS_REQUESTS:
        put(&cut->pod.status_requests, entry->item);
        break;
    case POD_STATUS_ALLOCATED:
        put(&cut->pod.status_allocated, entry->item);
        break;
    }
}

bool berth__request_cut_next(berth__request_cut *cut, uint32_t column, berth__counted_pod *out)
{
    cut_lists lists = {{0}, {0}, {0}};
    berth_pod *pod = &cut->pod;
    const berth_resources none = {0};
    pod->overhead = pod->pod_requests = pod->status_requests = pod->status_allocated = none;
    while (cut->done < cut->entry_count && cut->order[cut->done] >> 32 < column)
        cut->done++;
    for (; cut->done < cut->entry_count && cut->order[cut->done] >> 32 == column; cut->done++)
        put_entry(cut, &lists, &cut->entries[(uint32_t)cut->order[cut->done]]);
    pod->containers = cut->containers[0];
    pod->container_count = lists.containers[0];
    pod->init_containers = cut->containers[1];
    pod->init_container_count = lists.containers[1];
    pod->container_statuses = cut->statuses[0];
    pod->container_status_count = lists.statuses[0];
    pod->init_container_statuses = cut->statuses[1];
    pod->init_container_status_count = lists.statuses[1];
    if (!berth__counted_pod_make(&cut->model->scratch, pod, out))
        return false;
    out->whole = cut->whole;
    return true;
}
