/* Expands the names of input files: files, folders, and lists with commas. */
#ifndef BERTH_TOOLS_INPUT_FILES_H
#define BERTH_TOOLS_INPUT_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/options.h"

/* Memory for the expanded names. Starts zeroed. */
typedef struct input_files {
    text_list given; /* the names as given; the texts are argv's own */
    char **made;     /* names that were built; lists of files refer to them */
    size_t made_count;
    size_t made_capacity;
} input_files;

/* Replace each folder in `list` by its files, in the order of their names: those that end in .json,
 * .yaml, .yml or one of these and .gz. With `recursive`, subfolders are read, too, as in kubectl
 * apply. Files of a folder without any object (blank_file.h) are left out. "a,b" is two names
 * unless a file of exactly that name exists. Inside a folder, symbolic links to folders are not
 * followed. A folder without such files, or without any object, is an error. Returns EXIT_DONE, or
 * another exit code after a message on standard error. */
int input_files_expand(input_files *files, text_list *list, bool recursive, const char *command);

bool input_files_is_folder(const char *path);

void input_files_free(input_files *files);

#endif
