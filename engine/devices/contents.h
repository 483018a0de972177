/* Numbers the contents of devices: devices that differ only in their names and the nodes they are
 * for get the same number. Verdicts are kept, and nodes compared, by this number: nodes of one
 * model have devices with the same contents, unless each device has a unique attribute such as a
 * serial number. */
#ifndef BERTH_DEVICES_CONTENTS_H
#define BERTH_DEVICES_CONTENTS_H

#include "devices/catalog.h"

/* Number the contents of all offers of the slices, from 0: sets `content` of each offer, and
 * `*count`. Returns false when out of memory. Cost: reads every device. */
bool berth__contents_number(const berth__catalog *catalog, uint32_t *count);

#endif
