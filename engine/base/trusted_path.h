/* Finds the folder that holds a file. Follows only symbolic links that the caller can trust. */
#ifndef BERTH_BASE_TRUSTED_PATH_H
#define BERTH_BASE_TRUSTED_PATH_H

#include <limits.h>
#include <stdbool.h>

typedef struct berth__trusted_path {
    int folder;              /* O_PATH descriptor of the folder; the caller closes it */
    char name[NAME_MAX + 1]; /* the file in it: need not exist; not a link, except a link of
                              * /proc */
    bool magic;              /* a link of /proc that stands for an open file: follow it */
    bool foreign_link; /* the reason for a failure: a link in the path belongs to another user */
} berth__trusted_path;

/* Walk `path` component by component. A link is followed if the effective user or root owns it.
 * While its descriptor is open, the folder stays the same, whatever happens to the path. On
 * failure, returns false and sets errno, and nothing is held: EPERM and foreign_link for a link of
 * another user, ELOOP for more than 40 links. Threads: any. */
bool berth__trusted_path_open(berth__trusted_path *out, const char *path);

#endif
