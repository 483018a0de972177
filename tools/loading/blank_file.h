/* Files of a folder that hold no object: empty ones, and YAML of comments alone. */
#ifndef BERTH_TOOLS_BLANK_FILE_H
#define BERTH_TOOLS_BLANK_FILE_H

#include <stdbool.h>

/* Whether a regular file, gzip or not, has nothing but blanks, comments and the marks between YAML
 * documents. False if it cannot be read: its reader reports that. Cost: up to the first object. */
bool blank_file(const char *path);

#endif
