/* Recognizes files that contain no object: empty files, and YAML with nothing but comments. */
#ifndef BERTH_TOOLS_BLANK_FILE_H
#define BERTH_TOOLS_BLANK_FILE_H

#include <stdbool.h>

/* Whether a regular file, gzip or not, contains only blanks, comments and marks of YAML documents.
 * Returns false if the file cannot be read; its reader reports that. Cost: reads up to the first
 * object. */
bool blank_file(const char *path);

#endif
