/* Extended resources that devices stand behind: a node that has none of them for a device plugin
 * may give devices in their place. Source: kube-scheduler v1.36, plugins/noderesources/fit.go,
 * plugins/dynamicresources. */
#ifndef BERTH_PLUGINS_EXTENDED_RESOURCES_H
#define BERTH_PLUGINS_EXTENDED_RESOURCES_H

#include "devices/devices.h"
#include "plugins/plugin.h"

/* Follow the classes behind resources, for pods that ask for such as may be backed; the epoch
 * differs after a change, and is 0 for other pods. Refresh returns false when out of memory. On the
 * deciding thread. */
bool berth__backing_refresh(const berth__view *view, const berth__class *cls);
uint64_t berth__backing_epoch(const berth__view *view, const berth__class *cls);

/* The class behind a resource, by its column, that a pod of the class asks for; NULL: none. */
const berth__device_class *berth__resource_backing(const berth__view *view, const berth__class *cls,
                                                   uint32_t resource);

/* Whether devices stand behind something that a pod of the class asks for. */
bool berth__asks_backed(const berth__view *view, const berth__class *cls);

/* Whether the class that came or changed stands, or stood, behind something that pods of `cls` ask
 * for. kube-scheduler: NodeResourcesFit's isSchedulableAfterDeviceClassEvent. */
bool berth__class_backs(const berth__wake *wake, const berth__class *cls);

/* How many devices the node of a slot has of a class, and how many of these are in use, as scores
 * count them: every slice that is for the node, whatever its generation. 0 where that can't be
 * told. Takes the lock of the devices. */
typedef struct berth__backed_amounts {
    int64_t capacity, used;
} berth__backed_amounts;
berth__backed_amounts berth__backed_amounts_of(const berth__view *view,
                                               const berth__device_class *of, uint32_t slot);

#endif
