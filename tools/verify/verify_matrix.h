/* The settings under which berth verify replays a file: each path with each number of threads. */
#ifndef BERTH_TOOLS_VERIFY_MATRIX_H
#define BERTH_TOOLS_VERIFY_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VERIFY_PATHS_MAX = 8, VERIFY_THREADS_MAX = 16, VERIFY_THREAD_COUNT_MAX = 1024 };

typedef struct verify_matrix {
    int paths[VERIFY_PATHS_MAX]; /* each a berth_path */
    size_t path_count;
    uint64_t threads[VERIFY_THREADS_MAX]; /* 0: one per core */
    size_t thread_count;
} verify_matrix;

/* Read the values of --paths and --threads, lists separated by commas. NULL means the default: the
 * engine's choice of path, and one thread per core. Returns false after printing a usage error for
 * `command`. */
bool verify_matrix_parse(verify_matrix *matrix, const char *command, const char *paths,
                         const char *threads);

#endif
