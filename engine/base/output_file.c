/* Output files: written under a temporary name and renamed when they are complete. */
#include "berth/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/trusted_path.h"

enum { SUFFIX_LEN = 6, TRIES_MAX = 100 };

struct berth_output_file {
    FILE *stream;
    berth__trusted_path target;
    char written[NAME_MAX + 1]; /* the name until the commit; empty: written in place */
    char path[sizeof(((berth_error *)NULL)->source)]; /* as the caller wrote it, for errors */
};

static void free_file(berth_output_file *file)
{
    if (file->target.folder >= 0)
        close(file->target.folder);
    berth__free(berth__allocator_default(), file, sizeof(*file));
}

/* `reason` is an errno, or 0 if the stream no longer knows its reason. */
static berth_status set_reason(const berth_output_file *file, int reason, berth_error *error)
{
    const char *text = file->target.foreign_link
                           ? "a symbolic link in its path belongs to another user"
                       : reason != 0 ? strerror(reason)
                                     : "some of it could not be written";
    berth__error_set(error, BERTH_E_IO, "%s", text);
    if (error != NULL)
        snprintf(error->source, sizeof(error->source), "%s", file->path);
    return BERTH_E_IO;
}

static void name_anew(berth_output_file *file)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    unsigned char bytes[SUFFIX_LEN];
    char suffix[SUFFIX_LEN + 1] = "";
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        memset(bytes, 0, sizeof(bytes)); /* O_EXCL refuses a name that is taken */
    for (int i = 0; i < SUFFIX_LEN; i++)
        suffix[i] = letters[bytes[i] % (sizeof(letters) - 1)];
    snprintf(file->written, sizeof(file->written), "%.*s.%s", NAME_MAX - SUFFIX_LEN - 1,
             file->target.name, suffix);
}

/* Create a new file with the mode that the umask leaves; never open an existing file or follow a
 * link. */
static int create_new(berth_output_file *file)
{
    int fd = -1;
    for (int i = 0; i < TRIES_MAX && fd < 0 && (i == 0 || errno == EEXIST); i++) {
        name_anew(file);
        fd = openat(file->target.folder, file->written,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    }
    return fd;
}

static int open_target(berth_output_file *file)
{
    const berth__trusted_path *target = &file->target;
    struct stat there;
    const bool regular = !target->magic &&
                         (fstatat(target->folder, target->name, &there, AT_SYMLINK_NOFOLLOW) != 0 ||
                          S_ISREG(there.st_mode));
    if (regular)
        return create_new(file);
    return openat(target->folder, target->name,
                  O_WRONLY | O_NOCTTY | O_CLOEXEC | (target->magic ? 0 : O_NOFOLLOW));
}

static bool open_stream(berth_output_file *file)
{
    const int fd = open_target(file);
    if (fd < 0)
        return false;
    file->stream = fdopen(fd, "w");
    if (file->stream != NULL)
        return true;
    close(fd);
    unlinkat(file->target.folder, file->written, 0);
    errno = ENOMEM;
    return false;
}

berth_status berth_output_file_open(const char *path, berth_output_file **out, berth_error *error)
{
    if (path == NULL || out == NULL)
        return berth__error_set(error, BERTH_E_ARG, "there is no path, or nowhere to put the file");
    berth_output_file *file =
        berth__alloc_zero(berth__allocator_default(), sizeof(*file), _Alignof(berth_output_file));
    if (file == NULL)
        return berth__error_no_memory(error);
    snprintf(file->path, sizeof(file->path), "%s", path);
    file->target.folder = -1;
    if (!berth__trusted_path_open(&file->target, path) || !open_stream(file)) {
        const berth_status status = set_reason(file, errno, error);
        free_file(file);
        return status;
    }
    *out = file;
    return BERTH_OK;
}

FILE *berth_output_file_stream(berth_output_file *file)
{
    return file->stream;
}

/* Pipes and some file systems do not support fsync; that is not a failure. */
static bool sync_file(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}

/* Sync the folder, so that the new name survives a power failure. An O_PATH descriptor cannot be
 * synced itself. */
static bool sync_folder(int folder)
{
    const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == EACCES; /* a folder that may be written, but not read */
    const bool synced = sync_file(fd);
    const int reason = errno;
    close(fd);
    errno = reason;
    return synced;
}

/* Returns true if everything is on disk; otherwise errno says why not (0: the stream forgot).
 * Closes the stream. */
static bool close_stream(berth_output_file *file)
{
    errno = 0;
    bool whole = fflush(file->stream) == 0 && ferror(file->stream) == 0;
    whole = whole && (file->written[0] == '\0' || sync_file(fileno(file->stream)));
    int reason = errno;
    if (fclose(file->stream) != 0 && whole) {
        whole = false;
        reason = errno;
    }
    file->stream = NULL;
    errno = reason;
    return whole;
}

static bool commit(berth_output_file *file)
{
    const int folder = file->target.folder;
    if (!close_stream(file))
        return false;
    if (file->written[0] == '\0')
        return true;
    if (renameat(folder, file->written, folder, file->target.name) != 0)
        return false;
    file->written[0] = '\0';
    return sync_folder(folder);
}

berth_status berth_output_file_commit(berth_output_file *file, berth_error *error)
{
    if (file == NULL)
        return berth__error_set(error, BERTH_E_ARG, "there is no file");
    berth_status status = BERTH_OK;
    if (!commit(file))
        status = set_reason(file, errno, error);
    berth_output_file_discard(file);
    return status;
}

void berth_output_file_discard(berth_output_file *file)
{
    if (file == NULL)
        return;
    if (file->stream != NULL)
        fclose(file->stream);
    if (file->written[0] != '\0')
        unlinkat(file->target.folder, file->written, 0);
    free_file(file);
}
