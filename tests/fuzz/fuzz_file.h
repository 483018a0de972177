/* Bytes as a file that a loader can open by its path: in memory, gone when it is closed. */
#ifndef BERTH_TESTS_FUZZ_FILE_H
#define BERTH_TESTS_FUZZ_FILE_H

#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

typedef struct fuzz_file {
    int fd;
    char path[32];
} fuzz_file;

static inline fuzz_file fuzz_file_make(const void *bytes, size_t size)
{
    fuzz_file file = {.fd = memfd_create("fuzz", MFD_CLOEXEC)};
    FUZZ_CHECK(file.fd >= 0);
    FUZZ_CHECK(write(file.fd, bytes, size) == (ssize_t)size);
    snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
    return file;
}

static inline void fuzz_file_drop(const fuzz_file *file)
{
    close(file->fd);
}

#endif
