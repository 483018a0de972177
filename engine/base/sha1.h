/* SHA-1, with which Kubernetes builds a few names. Not for security. */
#ifndef BERTH_BASE_SHA1_H
#define BERTH_BASE_SHA1_H

#include <stddef.h>
#include <stdint.h>

enum { BERTH__SHA1_BYTES = 20 };

/* The digest of `bytes` bytes. */
void berth__sha1(const void *data, size_t bytes, uint8_t out[BERTH__SHA1_BYTES]);

#endif
