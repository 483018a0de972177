/* Extended resources backed by devices: a node without the resource from a device plugin may
 * provide devices instead. Source: kube-scheduler v1.36, plugins/noderesources/fit.go,
 * plugins/dynamicresources. */
#ifndef BERTH_PLUGINS_EXTENDED_RESOURCES_H
#define BERTH_PLUGINS_EXTENDED_RESOURCES_H

#include "devices/devices.h"
#include "plugins/plugin.h"

/* Update the backing classes, for pods that request resources that may be backed, and the devices
 * if one is; returns false when out of memory. Without DynamicResources in the profile, nothing
 * else updates the devices that scores count. The epoch changes with each change of these classes;
 * it is 0 for other pods. Call both on the deciding thread. */
bool berth__backing_refresh(const berth__view *view, const berth__class *cls);
uint64_t berth__backing_epoch(const berth__view *view, const berth__class *cls);

/* The DeviceClass that backs a resource (a column) that a pod of the class requests; NULL: none. */
const berth__device_class *berth__resource_backing(const berth__view *view, const berth__class *cls,
                                                   uint32_t resource);

/* Whether devices back any resource that a pod of the class requests. */
bool berth__asks_backed(const berth__view *view, const berth__class *cls);

/* Whether the added or changed DeviceClass backs, or backed, a resource that pods of `cls` request.
 * kube-scheduler: NodeResourcesFit's isSchedulableAfterDeviceClassEvent. */
bool berth__class_backs(const berth__wake *wake, const berth__class *cls);

/* How many devices of a class the node of a slot has, and how many of these are in use, as scores
 * count them: in all slices for the node, of any generation. 0 if they can't be counted. Takes the
 * lock of the devices. */
typedef struct berth__backed_amounts {
    int64_t capacity, used;
} berth__backed_amounts;
berth__backed_amounts berth__backed_amounts_of(const berth__view *view,
                                               const berth__device_class *of, uint32_t slot);

#endif
