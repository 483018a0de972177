/* Devices that differ in nothing but their names and whom they are for. They get one number, by
 * which verdicts are kept and nodes compared: nodes of one model have devices of the same contents,
 * unless each carries a mark of its own, as a serial number. */
#ifndef BERTH_DEVICES_CONTENTS_H
#define BERTH_DEVICES_CONTENTS_H

#include "devices/catalog.h"

/* Number the contents of all offers of the slices, from 0: sets `content` of each, and `*count`.
 * Returns false when out of memory. Cost: a look at every device. */
bool berth__contents_number(const berth__catalog *catalog, uint32_t *count);

#endif
