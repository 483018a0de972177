/* Finds kubeconfig files. Several files are merged as documents before anything is checked, so that
 * an entry of an earlier file can hide an error in a later one, as with kubectl. */
#include "live/credentials/kubeconfig_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "live/credentials/yaml_tree.h"

static void make_absolute(json_t *object, const char *key, const char *folder)
{
    const char *path = yaml_tree_text(object, key);
    if (path == NULL || path[0] == '/' || folder[0] == '\0')
        return;
    size_t bytes = strlen(folder) + strlen(path) + 2;
    char *whole = heap_new(bytes, 1);
    snprintf(whole, bytes, "%s/%s", folder, path);
    json_object_set_new(object, key, json_string(whole));
    free(whole);
}

/* Makes relative paths independent of their file before a document is merged into another one. */
static void settle_paths(json_t *root, const char *folder)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(root, "clusters"), i, item)
    {
        make_absolute(json_object_get(item, "cluster"), "certificate-authority", folder);
    }
    json_array_foreach(json_object_get(root, "users"), i, item)
    {
        json_t *user = json_object_get(item, "user"), *exec = json_object_get(user, "exec");
        make_absolute(user, "client-certificate", folder);
        make_absolute(user, "client-key", folder);
        make_absolute(user, "tokenFile", folder);
        const char *command = yaml_tree_text(exec, "command");
        if (command != NULL && strchr(command, '/') != NULL)
            make_absolute(exec, "command", folder);
    }
}

/* Entries of earlier documents come first, so they are found first. */
static void merge(json_t *into, const json_t *root)
{
    static const char *const lists[] = {"contexts", "clusters", "users"};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        json_t *items = json_object_get(root, lists[i]);
        json_t *all = json_object_get(into, lists[i]);
        if (!json_is_array(items))
            continue;
        if (json_is_array(all))
            json_array_extend(all, items);
        else
            json_object_set_new(into, lists[i], json_copy(items));
    }
    if (yaml_tree_text(into, "current-context") == NULL &&
        yaml_tree_text(root, "current-context") != NULL)
        json_object_set(into, "current-context", json_object_get(root, "current-context"));
}

static berth_status merge_file(json_t *into, const char *path, berth_error *error)
{
    size_t length;
    char *text = small_file_read(path, &length);
    if (text == NULL)
        return error_set(error, BERTH_E_IO, path, "cannot read it: %s", strerror(errno));
    json_t *root = yaml_tree_read((berth_str){text, (uint32_t)length}, path, error);
    free(text);
    if (root == NULL)
        return BERTH_E_PARSE;
    const char *kind = yaml_tree_text(root, "kind");
    const bool good = json_is_object(root) && (kind == NULL || strcmp(kind, "Config") == 0);
    if (good) {
        char *folder = folder_of(path);
        settle_paths(root, folder);
        merge(into, root);
        free(folder);
    }
    json_decref(root);
    return good ? BERTH_OK
                : error_set(error, BERTH_E_INVALID, path, "expected a kubeconfig, of kind Config");
}

/* Skips files that do not exist; `*found` counts the others. */
static berth_status merge_list(json_t *into, const char *list, size_t *found, berth_error *error)
{
    char *copy = heap_text(list, strlen(list)), *rest = copy, *path;
    berth_status status = BERTH_OK;
    while (status == BERTH_OK && (path = strsep(&rest, ":")) != NULL) {
        if (path[0] == '\0' || access(path, F_OK) != 0)
            continue;
        ++*found;
        status = merge_file(into, path, error);
    }
    free(copy);
    return status;
}

static berth_status read_list(kubeconfig *config, const char *list, const kubeconfig_choice *choice,
                              berth_error *error)
{
    size_t found = 0;
    if (strchr(list, ':') == NULL)
        return kubeconfig_read_file(config, list, choice, error);
    json_t *root = json_object();
    berth_status status = merge_list(root, list, &found, error);
    if (status == BERTH_OK && found == 0)
        status = error_set(error, BERTH_E_NOT_FOUND, list,
                           "none of the files that KUBECONFIG names is there");
    if (status == BERTH_OK)
        status = kubeconfig_read_tree(config, root, list, "", choice, error);
    json_decref(root);
    return status;
}

/* Returns ~/.kube/config if it exists. The caller frees it. */
static char *of_home(void)
{
    const char *home = getenv("HOME");
    if (home == NULL || home[0] == '\0')
        return NULL;
    size_t bytes = strlen(home) + sizeof("/.kube/config");
    char *path = heap_new(bytes, 1);
    snprintf(path, bytes, "%s/.kube/config", home);
    if (access(path, F_OK) == 0)
        return path;
    free(path);
    return NULL;
}

berth_status kubeconfig_find(kubeconfig *config, const kubeconfig_search *search,
                             berth_error *error)
{
    const kubeconfig_choice *choice = &search->choice;
    const char *list = getenv("KUBECONFIG");
    if (search->path != NULL)
        return kubeconfig_read_file(config, search->path, choice, error);
    if (list != NULL && list[0] != '\0')
        return read_list(config, list, choice, error);
    char *path = search->home ? of_home() : NULL;
    if (path != NULL) {
        berth_status status = kubeconfig_read_file(config, path, choice, error);
        free(path);
        return status;
    }
    if (choice->context != NULL)
        return error_set(error, BERTH_E_NOT_FOUND, NULL,
                         "there is no kubeconfig that could have the context \"%s\": name one with "
                         "--kubeconfig or KUBECONFIG",
                         choice->context);
    if (choice->server != NULL)
        return kubeconfig_of_server(config, choice->server, error);
    berth_status status = kubeconfig_in_cluster(config, NULL, error);
    if (status == BERTH_E_NOT_FOUND && search->home)
        error_set(error, status, NULL,
                  "there is no kubeconfig: name one with --kubeconfig or KUBECONFIG, or write "
                  "~/.kube/config");
    return status;
}
