/* Output files: either the complete new file or the old one, with a fresh mode, and never through
 * another user's links. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "berth/output.h"

/* The calls that decide what survives a power failure, in order: 'f' a file is synced, 'd' a
 * folder, 'r' a file is renamed. The linker redirects the library's calls here (CMakeLists.txt). */
static char calls[16];
static int fsync_errno; /* error of fsync for files; 0: it succeeds */

static bool no_stream; /* there is no memory for a stream */

FILE *__real_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_renameat(int from_folder, const char *from, int to_folder, const char *to);
int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to);

static void record(char call)
{
    const size_t count = strlen(calls);
    if (count + 1 < sizeof(calls))
        calls[count] = call;
}

FILE *__wrap_fdopen(int fd, const char *mode)
{
    return no_stream ? NULL : __real_fdopen(fd, mode);
}

int __wrap_fsync(int fd)
{
    struct stat about;
    assert_int_equal(fstat(fd, &about), 0);
    record(S_ISDIR(about.st_mode) ? 'd' : 'f');
    if (fsync_errno == 0 || S_ISDIR(about.st_mode))
        return __real_fsync(fd);
    errno = fsync_errno;
    return -1;
}

int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    record('r');
    return __real_renameat(from_folder, from, to_folder, to);
}

static char folder[64];
static berth_error error;

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/berth-output-XXXXXX");
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void holds(const char *path, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof(found) - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

/* Count the files in the folder, so that a leftover is noticed. */
static void files_are(int wanted)
{
    char command[128];
    int count = 0;
    snprintf(command, sizeof(command), "find %s -mindepth 1 | wc -l", folder);
    FILE *pipe = popen(command, "r");
    assert_int_equal(fscanf(pipe, "%d", &count), 1);
    pclose(pipe);
    assert_int_equal(count, wanted);
}

static berth_status write_new(const char *path)
{
    berth_output_file *file = NULL;
    berth_status status = berth_output_file_open(path, &file, &error);
    if (status != BERTH_OK)
        return status;
    fputs("new", berth_output_file_stream(file));
    return berth_output_file_commit(file, &error);
}

static void refused(const char *path, const char *message)
{
    assert_int_equal(write_new(path), BERTH_E_IO);
    assert_string_equal(error.message, message);
    assert_memory_equal(error.source, path, strnlen(path, sizeof(error.source) - 1));
}

static mode_t mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

static void appears_when_it_is_complete(void **state)
{
    (void)state;
    berth_output_file *file = NULL;
    put("a", "old");
    assert_int_equal(berth_output_file_open("a", &file, &error), BERTH_OK);
    fputs("new", berth_output_file_stream(file));
    assert_int_equal(fflush(berth_output_file_stream(file)), 0);
    holds("a", "old");
    files_are(2);
    assert_int_equal(berth_output_file_commit(file, &error), BERTH_OK);
    holds("a", "new");
    files_are(1);
}

/* The file's name, a dot, and six characters that a shell leaves alone. */
static void has_a_short_name_until_then(void **state)
{
    (void)state;
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    berth_output_file *file = NULL;
    assert_int_equal(berth_output_file_open("a", &file, &error), BERTH_OK);
    DIR *listing = opendir(".");
    assert_non_null(listing);
    uint32_t found = 0;
    for (const struct dirent *one; (one = readdir(listing)) != NULL;) {
        if (strcmp(one->d_name, ".") == 0 || strcmp(one->d_name, "..") == 0)
            continue;
        found++;
        assert_memory_equal(one->d_name, "a.", 2);
        assert_int_equal(strlen(one->d_name), 8);
        assert_int_equal(strspn(one->d_name + 2, letters), 6);
    }
    closedir(listing);
    assert_int_equal(found, 1);
    berth_output_file_discard(file);
}

static void needs_memory(void **state)
{
    (void)state;
    put("a", "old");
    no_stream = true;
    refused("a", "Cannot allocate memory");
    no_stream = false;
    holds("a", "old");
    files_are(1);
}

static void is_discarded(void **state)
{
    (void)state;
    berth_output_file *file = NULL;
    put("a", "old");
    assert_int_equal(berth_output_file_open("a", &file, &error), BERTH_OK);
    fputs("new", berth_output_file_stream(file));
    berth_output_file_discard(file);
    berth_output_file_discard(NULL);
    holds("a", "old");
    files_are(1);
}

static void has_the_mode_of_a_new_file(void **state)
{
    (void)state;
    const mode_t before = umask(027);
    put("suid", "old");
    assert_int_equal(chmod("suid", 06777), 0);
    assert_int_equal(write_new("suid"), BERTH_OK);
    assert_int_equal(mode_of("suid"), 0640);
    umask(077);
    assert_int_equal(write_new("fresh"), BERTH_OK);
    assert_int_equal(mode_of("fresh"), 0600);
    umask(before);
}

static void is_on_disk_before_it_has_its_name(void **state)
{
    (void)state;
    memset(calls, 0, sizeof(calls));
    assert_int_equal(write_new("a"), BERTH_OK);
    assert_string_equal(calls, "frd");
    put("a", "old");
    fsync_errno = EIO;
    refused("a", strerror(EIO));
    fsync_errno = EINVAL; /* a file system without fsync */
    holds("a", "old");
    assert_int_equal(write_new("a"), BERTH_OK);
    fsync_errno = 0;
    holds("a", "new");
    files_are(1);
}

/* The file is replaced, not overwritten: other names of the old file keep its contents. */
static void leaves_hard_links_alone(void **state)
{
    (void)state;
    put("a", "old");
    assert_int_equal(link("a", "b"), 0);
    assert_int_equal(write_new("a"), BERTH_OK);
    holds("a", "new");
    holds("b", "old");
}

static void follows_links_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(mkdir("in", 0777), 0);
    assert_int_equal(symlink("in/file", "link"), 0);
    assert_int_equal(symlink("in", "inner"), 0);
    assert_int_equal(write_new("link"), BERTH_OK); /* to a file that does not exist yet */
    holds("in/file", "new");
    put("in/file", "old");
    assert_int_equal(write_new("inner/../inner/./file"), BERTH_OK);
    holds("in/file", "new");
    char absolute[128];
    snprintf(absolute, sizeof(absolute), "%s/in/other", folder);
    assert_int_equal(symlink(absolute, "far"), 0);
    assert_int_equal(write_new("far"), BERTH_OK);
    holds("in/other", "new");
    files_are(6);
}

/* 40 links are followed; one more is treated as a loop. */
static void follows_no_more_than_40_links(void **state)
{
    (void)state;
    char name[8], next[8];
    for (int i = 1; i <= 41; i++) {
        snprintf(name, sizeof(name), "l%d", i);
        snprintf(next, sizeof(next), "l%d", i - 1);
        assert_int_equal(symlink(next, name), 0);
    }
    assert_int_equal(write_new("l40"), BERTH_OK);
    holds("l0", "new");
    refused("l41", strerror(ELOOP));
    assert_int_equal(symlink("loop", "loop"), 0);
    refused("loop", strerror(ELOOP));
}

static const char foreign[] = "a symbolic link in its path belongs to another user";

static void refuses_links_of_others(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip(); /* only root can create a link that belongs to another user */
    put("secret", "old");
    assert_int_equal(symlink("secret", "planted"), 0);
    assert_int_equal(lchown("planted", 12345, 12345), 0);
    refused("planted", foreign);
    holds("secret", "old");
    assert_int_equal(mkdir("in", 0777), 0);
    assert_int_equal(symlink("in", "folder"), 0);
    assert_int_equal(lchown("folder", 12345, 12345), 0);
    refused("folder/file", foreign);
    assert_int_equal(symlink("planted", "own"), 0); /* a link of our own to that link */
    refused("own", foreign);
    files_are(5);
}

/* Links of root, such as /var/run, are trusted. */
static void trusts_links_of_root(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(mkdir("in", 0777), 0);
    assert_int_equal(chmod("in", 0777), 0);
    assert_int_equal(chmod(".", 0755), 0);
    assert_int_equal(symlink("in", "link"), 0);
    const pid_t child = fork();
    if (child == 0)
        _exit(seteuid(12345) == 0 && write_new("link/file") == BERTH_OK ? 0 : 1);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    holds("in/file", "new");
}

static void writes_in_place_what_is_no_regular_file(void **state)
{
    (void)state;
    assert_int_equal(write_new("/dev/null"), BERTH_OK);
    assert_int_equal(mkfifo("pipe", 0666), 0);
    const int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(write_new("pipe"), BERTH_OK);
    char text[8] = "";
    assert_int_equal(read(reader, text, sizeof(text)), 3);
    assert_string_equal(text, "new");
    close(reader);
    files_are(1);
}

/* A descriptor by its name in /proc: a pipe, or a file that a shell has opened. */
static void writes_to_descriptors(void **state)
{
    (void)state;
    char path[64], text[8] = "";
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
    assert_int_equal(write_new(path), BERTH_OK);
    assert_int_equal(read(ends[0], text, sizeof(text)), 3);
    assert_string_equal(text, "new");
    close(ends[0]);
    close(ends[1]);
    const int fd = open("file", O_WRONLY | O_CREAT, 0666);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    assert_int_equal(write_new(path), BERTH_OK);
    close(fd);
    holds("file", "new");
    files_are(1);
}

static void takes_names_up_to_the_longest(void **state)
{
    (void)state;
    char name[NAME_MAX + 2];
    memset(name, 'n', sizeof(name) - 1);
    name[NAME_MAX + 1] = '\0';
    refused(name, strerror(ENAMETOOLONG));
    name[NAME_MAX] = '\0';
    assert_int_equal(write_new(name), BERTH_OK);
    holds(name, "new");
    char *path = malloc(PATH_MAX + 1); /* "./././": up to the longest path, then one byte more */
    memset(path, '/', PATH_MAX);
    for (int i = 0; i < PATH_MAX - 2; i += 2)
        path[i] = '.';
    strcpy(path + PATH_MAX - 2, "a");
    assert_int_equal(write_new(path), BERTH_OK);
    holds("a", "new");
    strcpy(path + PATH_MAX - 2, "/a");
    assert_int_equal(write_new(path), BERTH_E_IO);
    assert_string_equal(error.message, strerror(ENAMETOOLONG));
    free(path);
}

static void refuses_what_cannot_be(void **state)
{
    (void)state;
    berth_output_file *file = NULL;
    assert_int_equal(berth_output_file_open(NULL, &file, &error), BERTH_E_ARG);
    assert_int_equal(berth_output_file_open("a", NULL, &error), BERTH_E_ARG);
    assert_int_equal(berth_output_file_commit(NULL, &error), BERTH_E_ARG);
    refused("", strerror(ENOENT));
    refused("nowhere/file", strerror(ENOENT));
    refused(".", strerror(EISDIR));
    refused("/tmp/", strerror(EISDIR));
    put("plain", "old");
    refused("plain/file", strerror(ENOTDIR));
    files_are(1);
}

static void keeps_the_old_file_on_a_full_disk(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) == 0)
        refused("/dev/full", strerror(ENOSPC));
    put("a", "old");
    berth_output_file *file = NULL;
    assert_int_equal(berth_output_file_open("a", &file, &error), BERTH_OK);
    fputs("new", berth_output_file_stream(file));
    assert_int_equal(dup2(open("/dev/full", O_WRONLY), fileno(berth_output_file_stream(file))) >= 0,
                     true);
    assert_int_equal(berth_output_file_commit(file, &error), BERTH_E_IO);
    assert_string_equal(error.message, strerror(ENOSPC));
    holds("a", "old");
    files_are(1);
}

/* An error in the middle counts, even if all that follows can be written. */
static void remembers_what_was_lost(void **state)
{
    (void)state;
    berth_output_file *file = NULL;
    put("a", "old");
    assert_int_equal(berth_output_file_open("a", &file, &error), BERTH_OK);
    FILE *stream = berth_output_file_stream(file);
    const int fd = fileno(stream), disk = dup(fd), full = open("/dev/full", O_WRONLY);
    if (full < 0) {
        close(disk);
        berth_output_file_discard(file);
        skip();
    }
    assert_true(dup2(full, fd) >= 0);
    fputs("lost", stream);
    assert_int_not_equal(fflush(stream), 0);
    assert_true(dup2(disk, fd) >= 0);
    fputs("new", stream);
    close(full);
    close(disk);
    assert_int_equal(berth_output_file_commit(file, &error), BERTH_E_IO);
    assert_string_equal(error.message, "some of it could not be written");
    holds("a", "old");
    files_are(1);
}

/* A folder that has taken the name meanwhile stays, and nothing is left beside it. */
static void cannot_take_a_name_that_became_a_folder(void **state)
{
    (void)state;
    berth_output_file *file = NULL;
    assert_int_equal(berth_output_file_open("a", &file, &error), BERTH_OK);
    fputs("new", berth_output_file_stream(file));
    assert_int_equal(mkdir("a", 0700), 0);
    assert_int_equal(berth_output_file_commit(file, &error), BERTH_E_IO);
    assert_string_equal(error.message, strerror(EISDIR));
    files_are(1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(appears_when_it_is_complete),
        T(has_a_short_name_until_then),
        T(needs_memory),
        T(is_discarded),
        T(has_the_mode_of_a_new_file),
        T(is_on_disk_before_it_has_its_name),
        T(leaves_hard_links_alone),
        T(follows_links_of_its_own),
        T(follows_no_more_than_40_links),
        T(refuses_links_of_others),
        T(trusts_links_of_root),
        T(writes_in_place_what_is_no_regular_file),
        T(writes_to_descriptors),
        T(takes_names_up_to_the_longest),
        T(refuses_what_cannot_be),
        T(keeps_the_old_file_on_a_full_disk),
        T(remembers_what_was_lost),
        T(cannot_take_a_name_that_became_a_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
