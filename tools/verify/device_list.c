/* Lists the devices that a placement took. */
#include "verify/device_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "traces/json_slice.h"

/* ---- devices of claims ---- */

/* Add a device of a written claim, unless claims share it: kube-scheduler does not count shared
 * devices of written claims. Of placements in progress it counts every device. */
static void add_result(device_list *list, const json_t *result)
{
    const char *driver = json_string_value(json_object_get(result, "driver"));
    const char *pool = json_string_value(json_object_get(result, "pool"));
    const char *device = json_string_value(json_object_get(result, "device"));
    if (driver == NULL || pool == NULL || device == NULL ||
        json_object_get(result, "shareID") != NULL ||
        json_is_true(json_object_get(result, "adminAccess")))
        return;
    json_t *name = json_sprintf("%s/%s/%s", driver, pool, device);
    json_object_set_new(list->used, json_string_value(name), json_true());
    json_decref(name);
}

void device_list_begin(device_list *list, berth_str claims)
{
    berth_str element = {0};
    size_t at = 0;
    list->used = json_object();
    while (claims.data != NULL && json_slice_next(claims, &at, &element)) {
        json_t *claim = json_loadb(element.data, element.len, 0, NULL);
        const json_t *status = json_object_get(claim, "status");
        const json_t *allocation = json_object_get(status, "allocation");
        const json_t *results = json_object_get(json_object_get(allocation, "devices"), "results");
        for (size_t i = 0; i < json_array_size(results); i++)
            add_result(list, json_array_get(results, i));
        json_decref(claim);
    }
}

void device_list_end(device_list *list)
{
    json_decref(list->used);
    list->used = NULL;
}

/* ---- devices of a placement ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(json_string_value(*(json_t *const *)a), json_string_value(*(json_t *const *)b));
}

json_t *device_list_taken(device_list *list, const berth_engine *engine, berth_pod_id pod)
{
    uint32_t count = berth_engine_pod_devices(engine, pod, NULL, 0);
    berth_taken_device *devices = heap_new(count + 1, sizeof(*devices));
    json_t **names = heap_new(count + 1, sizeof(*names));
    size_t name_count = 0;
    (void)berth_engine_pod_devices(engine, pod, devices, count);
    for (uint32_t i = 0; i < count; i++) {
        const berth_taken_device *one = &devices[i];
        json_t *name = json_sprintf("%.*s/%.*s/%.*s", (int)one->driver.len, one->driver.data,
                                    (int)one->pool.len, one->pool.data, (int)one->device.len,
                                    one->device.data);
        if (one->admin_access || json_object_get(list->used, json_string_value(name)) != NULL) {
            json_decref(name);
            continue;
        }
        json_object_set_new(list->used, json_string_value(name), json_true());
        names[name_count++] = name;
    }
    qsort(names, name_count, sizeof(*names), by_text);
    json_t *out = json_array();
    for (size_t i = 0; i < name_count; i++)
        json_array_append_new(out, names[i]);
    free(names);
    free(devices);
    return out;
}
