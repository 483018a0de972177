/* Files written beside and renamed. */
#include "kube/file_beside.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(((berth__file_beside *)NULL)->path) >= PATH_MAX, "what realpath fills");

/* A new file has the permissions of the one that it replaces, or those that any new one gets. */
static bool set_mode(int fd, const char *path)
{
    struct stat there;
    if (stat(path, &there) == 0)
        return fchmod(fd, there.st_mode & 07777) == 0;
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(fd, 0666 & ~mask) == 0;
}

static bool open_beside(berth__file_beside *out)
{
    snprintf(out->beside, sizeof(out->beside), "%s.XXXXXX", out->path);
    int fd = mkstemp(out->beside);
    if (fd < 0)
        return false;
    out->file = set_mode(fd, out->path) ? fdopen(fd, "wb") : NULL;
    if (out->file != NULL)
        return true;
    int reason = errno;
    close(fd);
    unlink(out->beside);
    errno = reason;
    return false;
}

bool berth__file_beside_open(berth__file_beside *out, const char *path)
{
    struct stat there;
    out->file = NULL;
    out->beside[0] = '\0';
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {
        out->file = fopen(path, "wbe");
        return out->file != NULL;
    }
    if (realpath(path, out->path) == NULL) { /* not there yet */
        if (strlen(path) >= sizeof(out->path)) {
            errno = ENAMETOOLONG;
            return false;
        }
        snprintf(out->path, sizeof(out->path), "%s", path);
    }
    return open_beside(out);
}

bool berth__file_beside_close(berth__file_beside *out, bool whole)
{
    int reason = 0;
    if (whole && fflush(out->file) != 0)
        reason = errno;
    if (fclose(out->file) != 0 && reason == 0)
        reason = errno;
    if (out->beside[0] == '\0') {
        errno = reason;
        return whole && reason == 0;
    }
    if (whole && reason == 0 && rename(out->beside, out->path) == 0)
        return true;
    reason = reason != 0 ? reason : errno;
    unlink(out->beside);
    errno = reason;
    return false;
}
