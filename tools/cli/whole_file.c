/* Files of results, written beside and renamed. */
#include "cli/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/exits.h"
#include "cli/heap.h"

static void forget(whole_file *whole)
{
    free(whole->path);
    free(whole->beside);
    *whole = (whole_file){0};
}

void whole_file_drop(whole_file *whole)
{
    if (whole->file != NULL)
        fclose(whole->file);
    if (whole->file != NULL && whole->beside != NULL)
        unlink(whole->beside);
    forget(whole);
}

static berth_status fail(whole_file *whole, const char *path, int reason, berth_error *error)
{
    error_set(error, BERTH_E_IO, path, "%s",
              reason != 0 ? strerror(reason) : "some of it could not be written");
    whole_file_drop(whole);
    return BERTH_E_IO;
}

/* The permissions of the file that is replaced, or of a new one. */
static mode_t mode_of(const char *path)
{
    struct stat there;
    if (stat(path, &there) == 0)
        return there.st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static bool is_special(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && !S_ISREG(there.st_mode);
}

static FILE *open_beside(whole_file *whole)
{
    size_t bytes = strlen(whole->path) + sizeof(".XXXXXX");
    whole->beside = heap_new(bytes, 1);
    snprintf(whole->beside, bytes, "%s.XXXXXX", whole->path);
    int fd = mkstemp(whole->beside);
    if (fd < 0)
        return NULL;
    FILE *file = fchmod(fd, mode_of(whole->path)) == 0 ? fdopen(fd, "w") : NULL;
    if (file == NULL) {
        int reason = errno;
        close(fd);
        unlink(whole->beside);
        errno = reason;
    }
    return file;
}

berth_status whole_file_open(whole_file *whole, const char *path, berth_error *error)
{
    *whole = (whole_file){0};
    if (is_special(path)) {
        whole->path = strdup(path);
        whole->file = fopen(path, "w");
    } else {
        char *target = realpath(path, NULL); /* of a link, what it leads to */
        whole->path = target != NULL ? target : strdup(path);
        whole->file = whole->path != NULL ? open_beside(whole) : NULL;
    }
    return whole->file != NULL ? BERTH_OK : fail(whole, path, errno, error);
}

berth_status whole_file_close(whole_file *whole, berth_error *error)
{
    errno = 0;
    bool lost = fflush(whole->file) != 0 || ferror(whole->file) != 0;
    if (lost)
        return fail(whole, whole->path, errno, error);
    FILE *file = whole->file;
    whole->file = NULL;
    if (fclose(file) == 0 && (whole->beside == NULL || rename(whole->beside, whole->path) == 0)) {
        forget(whole);
        return BERTH_OK;
    }
    int reason = errno;
    if (whole->beside != NULL)
        unlink(whole->beside);
    return fail(whole, whole->path, reason, error);
}
