/* Names of input files as the command line has them: files, folders, and lists with commas. */
#ifndef BERTH_TOOLS_INPUT_FILES_H
#define BERTH_TOOLS_INPUT_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/options.h"

/* What the expanded names are made of. Zeroed at first. */
typedef struct input_files {
    text_list given; /* the names as they were before; the texts are argv's own */
    char **made;     /* names that were put together; lists of files refer to them */
    size_t made_count;
    size_t made_capacity;
} input_files;

/* Replace folders in `list` by their files whose names end in .json, .yaml, .yml or one of these
 * and .gz, in the order of their names; with `recursive` those of their subfolders, too, as kubectl
 * apply does. Files of a folder that hold no object (blank_file.h) are left out. "a,b" is two names
 * unless a file of exactly that name exists. Symbolic links to folders are not followed inside of a
 * folder. Returns EXIT_DONE, or another exit code after saying on standard error what is wrong: a
 * folder without such files, or without any object, is an error. */
int input_files_expand(input_files *files, text_list *list, bool recursive, const char *command);

bool input_files_is_folder(const char *path);

void input_files_free(input_files *files);

#endif
