/* Folders are read with scandir and sorted by bytes, so that no locale changes the order. */
#include "loading/input_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "loading/blank_file.h"

/* One expansion in progress. */
typedef struct expansion {
    input_files *files;
    text_list out;
    bool recursive;
    bool subfolders; /* subfolders were left out */
    bool blanks;     /* files without an object were left out */
} expansion;

static const char *keep(input_files *files, char *name)
{
    files->made =
        heap_grow(files->made, &files->made_capacity, files->made_count + 1, sizeof(*files->made));
    files->made[files->made_count++] = name;
    return name;
}

static const char *join(input_files *files, const char *folder, const char *name)
{
    const size_t folder_len = strlen(folder), name_len = strlen(name);
    const bool slash = folder_len > 0 && folder[folder_len - 1] != '/';
    char *path = heap_new(folder_len + name_len + 2, 1);
    snprintf(path, folder_len + name_len + 2, "%s%s%s", folder, slash ? "/" : "", name);
    return keep(files, path);
}

static bool ends_in(const char *name, size_t len, const char *end)
{
    const size_t end_len = strlen(end);
    return len > end_len && memcmp(name + len - end_len, end, end_len) == 0;
}

static bool is_manifest(const char *name)
{
    size_t len = strlen(name);
    if (ends_in(name, len, ".gz"))
        len -= strlen(".gz");
    return ends_in(name, len, ".json") || ends_in(name, len, ".yaml") || ends_in(name, len, ".yml");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

bool input_files_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static berth_status add_folder(expansion *e, const char *folder, berth_error *error);

static berth_status add_entry(expansion *e, const char *folder, const char *name,
                              berth_error *error)
{
    struct stat about;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return BERTH_OK;
    const char *path = join(e->files, folder, name);
    if (lstat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        e->subfolders = true;
        return e->recursive ? add_folder(e, path, error) : BERTH_OK;
    }
    if (!is_manifest(name) || input_files_is_folder(path))
        return BERTH_OK;
    if (blank_file(path))
        e->blanks = true;
    else
        text_list_add(&e->out, path);
    return BERTH_OK;
}

static berth_status add_folder(expansion *e, const char *folder, berth_error *error)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, NULL, by_bytes);
    if (count < 0)
        return error_set(error, BERTH_E_IO, folder, "%s", strerror(errno));
    berth_status status = BERTH_OK;
    for (int i = 0; i < count; i++) {
        if (status == BERTH_OK)
            status = add_entry(e, folder, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    return status;
}

/* Add a file or a folder's files. A name that does not exist is added as well: its reader reports
 * it. */
static berth_status add_name(expansion *e, const char *name, berth_error *error)
{
    const size_t before = e->out.count;
    if (!input_files_is_folder(name)) {
        text_list_add(&e->out, name);
        return BERTH_OK;
    }
    e->subfolders = e->blanks = false;
    TRY(add_folder(e, name, error));
    if (e->out.count > before)
        return BERTH_OK;
    if (e->blanks)
        return error_set(error, BERTH_E_NOT_FOUND, name, "no file of the folder holds an object");
    return error_set(error, BERTH_E_NOT_FOUND, name,
                     "the folder has no file to read: expected names that end in .json, .yaml or "
                     ".yml, or in one of these and .gz%s",
                     e->subfolders && !e->recursive ? " (--recursive reads its subfolders, too)"
                                                    : "");
}

static bool exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

/* Add a list with commas, or one name. */
static berth_status add_word(expansion *e, const char *word, berth_error *error)
{
    if (strchr(word, ',') == NULL || exists(word))
        return add_name(e, word, error);
    for (const char *at = word;; at++) {
        const size_t len = strcspn(at, ",");
        if (len == 0)
            return error_set(error, BERTH_E_INVALID, word,
                             "there is no such file, and as a list it has an empty name");
        TRY(add_name(e, keep(e->files, heap_text(at, len)), error));
        at += len;
        if (*at == '\0')
            return BERTH_OK;
    }
}

int input_files_expand(input_files *files, text_list *list, bool recursive, const char *command)
{
    berth_error error = {.code = BERTH_OK};
    expansion e = {.files = files, .recursive = recursive};
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < list->count; i++)
        text_list_add(&files->given, list->items[i]);
    for (size_t i = 0; i < list->count && status == BERTH_OK; i++)
        status = add_word(&e, list->items[i], &error);
    text_list_free(list);
    *list = e.out;
    return status == BERTH_OK ? EXIT_DONE : exit_error(command, &error);
}

void input_files_free(input_files *files)
{
    for (size_t i = 0; i < files->made_count; i++)
        free(files->made[i]);
    free(files->made);
    text_list_free(&files->given);
    *files = (input_files){0};
}
