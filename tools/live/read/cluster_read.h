/* Reads a live cluster once: the lists that `berth dump` makes kubectl fetch, as one document. */
#ifndef BERTH_LIVE_CLUSTER_READ_H
#define BERTH_LIVE_CLUSTER_READ_H

#include "loading/cluster_source.h"

/* The `read` of a cluster_source. It sends only GET requests, one at a time. */
berth_status cluster_read(const cluster_request *request, cluster_text *out, berth_error *error);

#endif
