/* Reads lists of paths and thread counts from the command line of berth verify. */
#include "verify/verify_matrix.h"

#include <stdio.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/options.h"
#include "loading/engine_setup.h"

enum { WORD_BYTES_MAX = 16 };

/* Copies the next word of the list `*at` and moves behind its comma. Returns false at the end. A
 * word that is too long to be valid is truncated and stays invalid. */
static bool next_word(const char **at, char word[WORD_BYTES_MAX])
{
    if (*at == NULL)
        return false;
    const char *comma = strchr(*at, ',');
    const size_t len = comma != NULL ? (size_t)(comma - *at) : strlen(*at);
    snprintf(word, WORD_BYTES_MAX, "%.*s", (int)len, *at);
    *at = comma != NULL ? comma + 1 : NULL;
    return true;
}

static bool find_path(const char *word, int *path)
{
    for (int i = 0; engine_path_names[i] != NULL; i++) {
        if (strcmp(engine_path_names[i], word) == 0) {
            *path = i;
            return true;
        }
    }
    return false;
}

static bool add_path(verify_matrix *matrix, const char *word)
{
    int path = 0;
    if (matrix->path_count == VERIFY_PATHS_MAX || !find_path(word, &path))
        return false;
    matrix->paths[matrix->path_count++] = path;
    return true;
}

static bool add_threads(verify_matrix *matrix, const char *word)
{
    uint64_t threads = 0;
    if (matrix->thread_count == VERIFY_THREADS_MAX ||
        !options_number(word, 0, VERIFY_THREAD_COUNT_MAX, &threads))
        return false;
    matrix->threads[matrix->thread_count++] = threads;
    return true;
}

static bool parse_paths(verify_matrix *matrix, const char *list)
{
    char word[WORD_BYTES_MAX];
    while (next_word(&list, word))
        if (!add_path(matrix, word))
            return false;
    return true;
}

static bool parse_threads(verify_matrix *matrix, const char *list)
{
    char word[WORD_BYTES_MAX];
    while (next_word(&list, word))
        if (!add_threads(matrix, word))
            return false;
    return true;
}

bool verify_matrix_parse(verify_matrix *matrix, const char *command, const char *paths,
                         const char *threads)
{
    *matrix = (verify_matrix){.path_count = 0};
    if (!parse_paths(matrix, paths != NULL ? paths : engine_path_names[0])) {
        exit_usage(command,
                   "--paths is '%s'; expected up to %d of auto, scan, index, separated by commas",
                   paths, VERIFY_PATHS_MAX);
        return false;
    }
    if (!parse_threads(matrix, threads != NULL ? threads : "0")) {
        exit_usage(command,
                   "--threads is '%s'; expected up to %d numbers from 0 to %d, separated by commas",
                   threads, VERIFY_THREADS_MAX, VERIFY_THREAD_COUNT_MAX);
        return false;
    }
    return true;
}
