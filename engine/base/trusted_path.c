/* Walks a path one component at a time, with a descriptor for each, so that nobody can exchange a
 * component between the check and its use. */
#include "base/trusted_path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LINKS_MAX = 40 };

typedef struct walk {
    int folder;
    char rest[PATH_MAX]; /* what is left to walk, relative to the folder */
    int links;
} walk;

static void enter(walk *w, int folder)
{
    close(w->folder);
    w->folder = folder;
}

/* Move the next component of the rest to `name`, which is empty at the end. Returns false if the
 * component is too long. */
static bool next_component(walk *w, char name[NAME_MAX + 1])
{
    const char *at = w->rest + strspn(w->rest, "/");
    const size_t len = strcspn(at, "/");
    if (len > NAME_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(name, at, len);
    name[len] = '\0';
    memmove(w->rest, at + len, strlen(at + len) + 1);
    return true;
}

/* Put the text of a link in front of the rest. */
static bool splice_link(walk *w, int link)
{
    char text[PATH_MAX];
    char rest[PATH_MAX];
    const ssize_t len = readlinkat(link, "", text, sizeof(text) - 1);
    if (len < 0)
        return false;
    text[len] = '\0';
    memcpy(rest, w->rest, sizeof(rest));
    if (++w->links > LINKS_MAX) {
        errno = ELOOP;
        return false;
    }
    if ((size_t)snprintf(w->rest, sizeof(w->rest), "%s%s", text, rest) >= sizeof(w->rest)) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (text[0] != '/')
        return true;
    const int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root >= 0)
        enter(w, root);
    return root >= 0;
}

/* A link in /proc/PID/fd leads to an open file, but its text is not a path to it. */
static bool is_magic(const walk *w, const char *name)
{
    struct statfs system;
    struct stat target;
    return fstatfs(w->folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC &&
           fstatat(w->folder, name, &target, 0) == 0 && !S_ISDIR(target.st_mode);
}

static bool is_trusted(berth__trusted_path *out, const struct stat *link)
{
    out->foreign_link = link->st_uid != geteuid() && link->st_uid != 0;
    if (out->foreign_link)
        errno = EPERM;
    return !out->foreign_link;
}

typedef enum step { STEP_ON, STEP_FOUND, STEP_FAILED } step;

/* Enter a folder, follow a link, or find the file. */
static step take_step(walk *w, berth__trusted_path *out)
{
    if (!next_component(w, out->name))
        return STEP_FAILED;
    const bool last = w->rest[0] == '\0';
    if (out->name[0] == '\0') /* the path ends with a slash: the folder itself */
        snprintf(out->name, sizeof(out->name), ".");
    struct stat there;
    const int fd = openat(w->folder, out->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return last && errno == ENOENT ? STEP_FOUND : STEP_FAILED;
    step result = STEP_FAILED;
    if (fstat(fd, &there) != 0)
        result = STEP_FAILED;
    else if (S_ISLNK(there.st_mode) && last && is_magic(w, out->name))
        result = (out->magic = is_trusted(out, &there)) ? STEP_FOUND : STEP_FAILED;
    else if (S_ISLNK(there.st_mode))
        result = is_trusted(out, &there) && splice_link(w, fd) ? STEP_ON : STEP_FAILED;
    else if (last)
        result = STEP_FOUND;
    else {
        enter(w, fd);
        return STEP_ON;
    }
    const int reason = errno;
    close(fd);
    errno = reason;
    return result;
}

bool berth__trusted_path_open(berth__trusted_path *out, const char *path)
{
    walk w = {.links = 0};
    out->magic = false;
    out->foreign_link = false;
    const size_t len = strlen(path);
    if (len == 0 || len >= sizeof(w.rest)) {
        errno = len == 0 ? ENOENT : ENAMETOOLONG;
        return false;
    }
    memcpy(w.rest, path, len + 1);
    w.folder = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (w.folder < 0)
        return false;
    step result = STEP_ON;
    while (result == STEP_ON)
        result = take_step(&w, out);
    if (result == STEP_FOUND) {
        out->folder = w.folder;
        return true;
    }
    const int reason = errno;
    close(w.folder);
    errno = reason;
    return false;
}
