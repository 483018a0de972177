/* Translates the identity of in-tree volumes to that of their CSI drivers. */
#include "store/in_tree_handle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* Three texts in a row, in memory of the arena. */
static berth_str join(berth__arena *arena, const char *first, berth_str second, const char *third,
                      bool *ok)
{
    size_t bytes = strlen(first) + second.len + strlen(third) + 1;
    char *text = berth__arena_alloc(arena, bytes, 1);
    if (text == NULL) {
        *ok = false;
        return (berth_str){0};
    }
    int len = snprintf(text, bytes, "%s%.*s%s", first, (int)second.len,
                       second.len > 0 ? second.data : "", third);
    return (berth_str){text, (uint32_t)len};
}

/* ---- AWS ---- */

/* "aws://ZONE/vol-X" becomes vol-X; an id that is no such URL stays as it is. */
static berth__in_tree_handle ebs(berth__arena *arena, berth_str id, bool *ok)
{
    if (!berth__str_starts(id, "aws://"))
        return (berth__in_tree_handle){.handle = id};
    uint32_t begin = 6, end = id.len;
    while (begin < id.len && id.data[begin] != '/')
        begin++; /* skip the zone */
    while (begin < end && id.data[begin] == '/')
        begin++;
    while (end > begin && id.data[end - 1] == '/')
        end--;
    berth_str volume = {id.data + begin, end - begin};
    if (berth__str_starts(volume, "vol-") && memchr(volume.data, '/', volume.len) == NULL)
        return (berth__in_tree_handle){.handle = volume};
    return (berth__in_tree_handle){
        .problem = join(arena,
                        "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS "
                        "volume (",
                        id, ")", ok)};
}

/* ---- GCE ---- */

/* Take the first zone off a list. Returns false if the list is used up. */
static bool next_zone(berth_str *list, berth_str *zone)
{
    if (list->data == NULL)
        return false;
    const char *joint = memmem(list->data, list->len, "__", 2);
    *zone = joint != NULL ? (berth_str){list->data, (uint32_t)(joint - list->data)} : *list;
    *list = joint != NULL ? (berth_str){joint + 2, list->len - zone->len - 2} : (berth_str){0};
    return true;
}

/* "LOCALE-REGION" from a zone "LOCALE-REGION-X"; absent for a zone of another form. */
static berth_str region_of(berth_str zone)
{
    uint32_t dashes = 0, last = 0;
    for (uint32_t i = 0; i < zone.len; i++) {
        if (zone.data[i] != '-')
            continue;
        dashes++;
        last = i;
    }
    return dashes == 2 ? (berth_str){zone.data, last} : (berth_str){0};
}

static int compare_regions(const void *a, const void *b)
{
    const berth_str *left = a, *right = b;
    return berth__str_cmp(*left, *right);
}

/* The regions of the zones in ascending order, some more than once. */
static berth_strs sorted_regions(berth__arena *arena, berth_str zones, bool *ok)
{
    berth_str zone, *items = berth__arena_alloc(arena, (zones.len / 2 + 1) * sizeof(*items), 8);
    uint32_t count = 0;
    *ok &= items != NULL;
    while (items != NULL && next_zone(&zones, &zone))
        items[count++] = region_of(zone);
    if (items != NULL)
        qsort(items, count, sizeof(*items), compare_regions);
    return (berth_strs){items, count};
}

/* The library prints the set of regions as a map. */
static berth_str many_regions(berth__arena *arena, berth_str zones, bool *ok)
{
    static const char begin[] = "failed to get region from zones: multiple or no regions gotten "
                                "from zones, got: map[";
    const berth_strs regions = sorted_regions(arena, zones, ok);
    const size_t bytes = sizeof(begin) + zones.len + 4 * (size_t)regions.count + 1;
    char *text = *ok ? berth__arena_alloc(arena, bytes, 1) : NULL;
    *ok &= text != NULL;
    if (text == NULL)
        return (berth_str){0};
    uint32_t len = sizeof(begin) - 1;
    memcpy(text, begin, len);
    for (uint32_t i = 0; i < regions.count; i++) {
        const berth_str region = regions.items[i];
        if (i > 0 && berth__str_eq(region, regions.items[i - 1]))
            continue;
        const char *gap = i > 0 ? " " : "";
        len += (uint32_t)snprintf(text + len, bytes - len, "%s%.*s:{}", gap, (int)region.len,
                                  region.data);
    }
    text[len++] = ']';
    return (berth_str){text, len};
}

/* The common region of the zones. */
static berth__in_tree_handle common_region(berth__arena *arena, berth_str zones, bool *ok)
{
    berth_str rest = zones, zone, common = {0};
    bool several = false;
    while (next_zone(&rest, &zone)) {
        const berth_str region = region_of(zone);
        if (region.data == NULL)
            return (berth__in_tree_handle){
                .problem = join(arena,
                                "failed to get region from zones: zone in unexpected format, "
                                "expected: {locale}-{region}-{zone}, got: ",
                                zone, "", ok)};
        several |= common.data != NULL && !berth__str_eq(region, common);
        common = region;
    }
    if (several)
        return (berth__in_tree_handle){.problem = many_regions(arena, zones, ok)};
    return (berth__in_tree_handle){.handle = common};
}

/* A handle made of the project, the zone or region, and the disk. */
static berth__in_tree_handle gce(berth__arena *arena, berth_str name, berth_str zones, bool *ok)
{
    const bool regional = zones.len > 1 && memmem(zones.data, zones.len, "__", 2) != NULL;
    berth_str place = zones.len > 0 ? zones : BERTH_STR("UNSPECIFIED");
    if (regional) {
        const berth__in_tree_handle region = common_region(arena, zones, ok);
        if (region.handle.data == NULL)
            return region;
        place = region.handle;
    }
    place = join(arena, regional ? "projects/UNSPECIFIED/regions/" : "projects/UNSPECIFIED/zones/",
                 place, "/disks/", ok);
    return (berth__in_tree_handle){.handle = *ok ? join(arena, place.data, name, "", ok)
                                                 : (berth_str){0}};
}

/* ---- Azure ---- */

static berth__in_tree_handle azure(berth__arena *arena, const berth__in_tree_volume *volume,
                                   bool *ok)
{
    static const char managed[] = "Managed";
    const berth_str kind = volume->disk_kind;
    if (kind.data != NULL && (kind.len != sizeof(managed) - 1 ||
                              strncasecmp(kind.data, managed, sizeof(managed) - 1) != 0))
        return (berth__in_tree_handle){
            .problem = join(arena, "kind(", kind, ") is not supported in csi migration", ok)};
    return (berth__in_tree_handle){.handle =
                                       volume->uri.data != NULL ? volume->uri : volume->handle};
}

berth__in_tree_handle berth__in_tree_translate(berth__arena *arena,
                                               const berth__in_tree_volume *volume, bool *ok)
{
    switch (volume->plugin) {
    case BERTH__IN_TREE_EBS:
        return ebs(arena, volume->handle, ok);
    case BERTH__IN_TREE_GCE_PD:
        return gce(arena, volume->handle, volume->zones, ok);
    case BERTH__IN_TREE_AZURE_DISK:
        return azure(arena, volume, ok);
    default:
        return (berth__in_tree_handle){.handle = volume->handle};
    }
}
