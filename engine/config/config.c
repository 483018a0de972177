/* KubeSchedulerConfiguration to profiles: opening and parsing, the choice by apiVersion, and all of
 * v1 and v1beta3 except plugin lists and arguments. Source of the rules: kube-scheduler v1.32.2,
 * apis/config/v1/defaults.go and apis/config/validation/validation.go.
 *
 * Unknown fields are refused, as in kube-scheduler's strict decoding. */
#include "config/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/text.h"
#include "text/input.h"
#include "text/text_format.h"
#include "text/yaml.h"

/* Much larger than any real configuration: a bigger file is a mistake. */
enum { FILE_MAX = 16 << 20, READ_MIN = 16 << 10 };

#define GROUP "kubescheduler.config.k8s.io/"

/* ---- opening and parsing ---- */

/* Make the path of a file that another file names, in `scratch`. */
static const char *join_path(berth__config_tree *tree, berth__arena *scratch, const char *base,
                             berth_str path)
{
    const char *slash = base == NULL ? NULL : strrchr(base, '/');
    size_t folder = slash == NULL || path.data[0] == '/' ? 0 : (size_t)(slash - base) + 1;
    char *joined = berth__arena_alloc(scratch, folder + path.len + 1, 1);
    if (joined == NULL) {
        berth__config_nomem(tree);
        return NULL;
    }
    memcpy(joined, base != NULL ? base : "", folder);
    memcpy(joined + folder, path.data, path.len);
    joined[folder + path.len] = '\0';
    return joined;
}

/* Read to the end of `input`, into growing pieces of the arena. */
static berth_status read_all(berth__input *input, berth__arena *scratch, berth_str *out,
                             berth_error *error)
{
    char *text = NULL;
    size_t capacity = 0;
    size_t len = 0;
    do {
        size_t larger = capacity == 0 ? READ_MIN : capacity * 2;
        char *grown = berth__arena_alloc(scratch, larger, 1);
        if (grown == NULL)
            return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
        if (len > 0)
            memcpy(grown, text, len);
        text = grown;
        capacity = larger;
        size_t got;
        BERTH_TRY(berth__input_read(input, text + len, capacity - len, &got, error));
        len += got;
        if (len > FILE_MAX)
            return berth__error_set(error, BERTH_E_INVALID, "larger than %d MiB", FILE_MAX >> 20);
    } while (len == capacity);
    *out = (berth_str){text, (uint32_t)len};
    return BERTH_OK;
}

berth_status berth__config_open(berth__config_tree *tree, berth__arena *scratch, const char *base,
                                berth_str path, berth__config_source *out)
{
    const char *joined = join_path(tree, scratch, base, path);
    if (joined == NULL)
        return BERTH_E_NOMEM;
    berth__input input;
    berth_str text = {0};
    berth_error fault = {0};
    berth_status status = berth__input_open(&input, scratch->allocator, joined, &fault);
    if (status == BERTH_OK) {
        status = read_all(&input, scratch, &text, &fault);
        berth__input_close(&input);
    }
    if (status != BERTH_OK && strcmp(joined, tree->source) == 0) /* the error names it already */
        return berth__config_fail(tree, status, "%s", fault.message);
    if (status != BERTH_OK)
        return berth__config_fail(tree, status, "%s: %s", joined, fault.message);
    tree->source = joined;
    *out = (berth__config_source){.text = text, .path = joined};
    return BERTH_OK;
}

/* Parsers know the position but not the file. */
static berth_status name_source(berth__config_tree *tree, berth_status status)
{
    if (status != BERTH_OK && tree->error != NULL && tree->error->source[0] == '\0')
        snprintf(tree->error->source, sizeof(tree->error->source), "%s", tree->source);
    return status;
}

static berth_status parse_json(berth__config_tree *tree, berth__arena *scratch, berth_str text,
                               const berth__json **out)
{
    berth__json_parser *parser;
    if (berth__json_parser_create(scratch->allocator, &parser) != BERTH_OK)
        return berth__config_nomem(tree);
    berth_status status = berth__json_parse(parser, scratch, text, out, tree->error);
    berth__json_parser_destroy(parser);
    return name_source(tree, status);
}

/* Overwrite lines that hold only three dots with blanks, so that offsets do not change. */
static void blank_dots(char *text, uint32_t len)
{
    for (uint32_t at = 0; at < len;) {
        char *line = text + at;
        char *newline = memchr(line, '\n', len - at);
        uint32_t end = newline == NULL ? len - at : (uint32_t)(newline - line);
        uint32_t used = end;
        while (used > 3 && strchr(" \t\r", line[used - 1]) != NULL)
            used--;
        if (used == 3 && memcmp(line, "...", 3) == 0)
            memset(line, ' ', 3);
        at += end + 1;
    }
}

typedef struct yaml_context {
    berth__config_tree *tree;
    const berth__json *root;
} yaml_context;

static berth_status keep_document(void *context, const berth__json *root, uint32_t line,
                                  berth_error *error)
{
    yaml_context *yaml = context;
    if (root->type == BERTH__JSON_NULL)
        return BERTH_OK;
    if (yaml->root != NULL) {
        berth__config_fail(yaml->tree, BERTH_E_INVALID,
                           "a second document follows; one configuration is read");
        if (error != NULL)
            error->line = line;
        return BERTH_E_INVALID;
    }
    yaml->root = root;
    return BERTH_OK;
}

static berth_status parse_yaml(berth__config_tree *tree, berth__arena *scratch, berth_str text,
                               const berth__json **out)
{
    yaml_context context = {.tree = tree};
    char *copy = berth__arena_alloc(scratch, text.len, 1);
    if (copy == NULL)
        return berth__config_nomem(tree);
    memcpy(copy, text.data, text.len);
    blank_dots(copy, text.len);
    berth_status status = berth__yaml_parse(scratch, (berth_str){copy, text.len}, keep_document,
                                            &context, tree->error);
    *out = context.root;
    return name_source(tree, status);
}

berth_status berth__config_parse(berth__config_tree *tree, berth__arena *scratch, berth_str text,
                                 const berth__json **out)
{
    uint32_t at = 0;
    while (at < text.len && strchr(" \t\r\n", text.data[at]) != NULL && text.data[at] != '\0')
        at++;
    if (at == text.len)
        return berth__config_fail(tree, BERTH_E_PARSE, "the configuration is empty");
    const berth__json *root = NULL;
    if (berth__text_is_json(text))
        BERTH_TRY(parse_json(tree, scratch, text, &root));
    else
        BERTH_TRY(parse_yaml(tree, scratch, text, &root));
    if (root == NULL)
        return berth__config_fail(tree, BERTH_E_PARSE, "the configuration is empty");
    *out = root;
    return BERTH_OK;
}

/* ---- members of both eras ---- */

berth_status berth__config_backoff_read(berth__config_tree *tree, const berth__json *object,
                                        berth_backoff *out)
{
    BERTH_TRY(berth__config_int(tree, object, "podInitialBackoffSeconds",
                                (berth__config_range){1, INT64_MAX}, &out->initial_seconds));
    BERTH_TRY(berth__config_int(tree, object, "podMaxBackoffSeconds",
                                (berth__config_range){1, INT64_MAX}, &out->max_seconds));
    if (out->max_seconds >= out->initial_seconds)
        return BERTH_OK;
    berth__config_enter(tree, "podMaxBackoffSeconds");
    return berth__config_fail(tree, BERTH_E_INVALID,
                              "must not be below podInitialBackoffSeconds, but %" PRId64
                              " is below %" PRId64,
                              out->max_seconds, out->initial_seconds);
}

berth_status berth__config_extenders_refuse(berth__config_tree *tree, const berth__json *object)
{
    const berth__json *list;
    BERTH_TRY(berth__config_list(tree, object, "extenders", &list));
    if (list == NULL || list->count == 0)
        return BERTH_OK;
    berth__config_enter(tree, "extenders");
    return berth__config_fail(
        tree, BERTH_E_UNSUPPORTED,
        "extenders are called over HTTP, which only `berth run` does; without "
        "them the placements would differ");
}

/* ---- v1, v1beta3 ---- */

/* A profile uses the percentage of the whole configuration unless it sets its own, which may be
 * 0. */
static berth_status read_profile(berth__config_tree *tree, const berth__json *json, bool alone,
                                 berth_profile *out, berth_scheduler_config *config)
{
    static const char *const fields[] = {"schedulerName", "percentageOfNodesToScore", "plugins",
                                         "pluginConfig", NULL};
    BERTH_TRY(berth__config_object(tree, json, fields));
    if (alone && berth__config_member(json, "schedulerName") == NULL)
        out->scheduler_name = berth_profile_default()->scheduler_name;
    else
        BERTH_TRY(berth__config_name(tree, json, "schedulerName", &out->scheduler_name));
    BERTH_TRY(berth__config_int32(tree, json, "percentageOfNodesToScore",
                                  (berth__config_range){0, 100},
                                  &out->percentage_of_nodes_to_score));
    berth__config_args_list args;
    BERTH_TRY(berth__config_args_read(tree, json, &args));
    BERTH_TRY(berth__config_plugins_read(tree, json, &args, out));
    BERTH_TRY(berth__config_plugins_note(tree, json, config));
    return berth__config_args_note(tree, json, &args, out, config);
}

static berth_status check_name(berth__config_tree *tree, const berth_profile *profiles, uint32_t i)
{
    for (uint32_t j = 0; j < i; j++) {
        if (!berth__str_eq(profiles[j].scheduler_name, profiles[i].scheduler_name))
            continue;
        berth__config_enter(tree, "schedulerName");
        return berth__config_fail(tree, BERTH_E_INVALID, "\"%.*s\" names profiles[%" PRIu32 "] too",
                                  (int)profiles[i].scheduler_name.len,
                                  profiles[i].scheduler_name.data, j);
    }
    return BERTH_OK;
}

/* A configuration without profiles has the default one. */
static berth_status read_profiles(berth__config_tree *tree, const berth__json *root,
                                  int32_t percentage, berth_scheduler_config *config)
{
    static const berth__json_member no_members[1];
    static const berth__json empty_profile = {.type = BERTH__JSON_OBJECT, .as.members = no_members};
    const berth__json *list;
    BERTH_TRY(berth__config_short_list(tree, root, "profiles", &list));
    bool given = list != NULL && list->count > 0;
    uint32_t count = given ? list->count : 1;
    berth_profile *profiles = berth__config_array(tree, count, sizeof(*profiles));
    if (profiles == NULL)
        return BERTH_E_NOMEM;
    size_t outer = berth__config_enter(tree, "profiles");
    for (uint32_t i = 0; i < count; i++) {
        size_t before = berth__config_enter_at(tree, i);
        profiles[i].percentage_of_nodes_to_score = percentage;
        BERTH_TRY(read_profile(tree, given ? &list->as.items[i] : &empty_profile, count == 1,
                               &profiles[i], config));
        BERTH_TRY(check_name(tree, profiles, i));
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    if (given)
        BERTH_TRY(berth__config_queue_sort_check(tree, list, profiles));
    config->profiles = profiles;
    config->profile_count = count;
    return BERTH_OK;
}

static berth_status read_modern(berth__config_tree *tree, const berth__json *root,
                                berth_scheduler_config *config)
{
    static const char *const fields[] = {"apiVersion",
                                         "kind",
                                         "parallelism",
                                         "leaderElection",
                                         "clientConnection",
                                         "enableProfiling",
                                         "enableContentionProfiling",
                                         "percentageOfNodesToScore",
                                         "podInitialBackoffSeconds",
                                         "podMaxBackoffSeconds",
                                         "profiles",
                                         "extenders",
                                         "delayCacheUntilActive",
                                         NULL};
    int32_t parallelism = 16;
    int32_t percentage = 0;
    BERTH_TRY(berth__config_object(tree, root, fields));
    BERTH_TRY(berth__config_process_check(tree, root));
    BERTH_TRY(berth__config_int32(tree, root, "parallelism", (berth__config_range){1, INT32_MAX},
                                  &parallelism));
    BERTH_TRY(berth__config_int32(tree, root, "percentageOfNodesToScore",
                                  (berth__config_range){0, 100}, &percentage));
    BERTH_TRY(berth__config_backoff_read(tree, root, &config->backoff));
    if (!tree->extenders)
        BERTH_TRY(berth__config_extenders_refuse(tree, root));
    BERTH_TRY(read_profiles(tree, root, percentage, config));
    return tree->extenders ? berth__config_extenders_read(tree, root, config) : BERTH_OK;
}

/* ---- entry ---- */

static berth_status refuse_type(berth__config_tree *tree, const char *key, berth_status status,
                                const char *wanted, berth_str found)
{
    berth__config_enter(tree, key);
    if (found.data == NULL)
        return berth__config_fail(tree, BERTH_E_INVALID, "must be given: %s", wanted);
    return berth__config_fail(tree, status, "must be %s, not \"%.*s\"", wanted, (int)found.len,
                              found.data);
}

static berth_status read_root(berth__config_tree *tree, const berth__json *root, const char *path,
                              berth_scheduler_config *config)
{
    berth_str version = {0};
    berth_str kind = {0};
    if (root->type != BERTH__JSON_OBJECT)
        return berth__config_fail(tree, BERTH_E_INVALID, "the configuration must be an object");
    BERTH_TRY(berth__config_string(tree, root, "apiVersion", &version));
    BERTH_TRY(berth__config_string(tree, root, "kind", &kind));
    if (berth__str_is(kind, "Policy"))
        return berth__config_policy_read(tree, root, config);
    if (!berth__str_is(kind, "KubeSchedulerConfiguration"))
        return refuse_type(tree, "kind", BERTH_E_UNSUPPORTED,
                           "KubeSchedulerConfiguration or Policy", kind);
    if (berth__str_is(version, GROUP "v1") || berth__str_is(version, GROUP "v1beta3"))
        return read_modern(tree, root, config);
    if (berth__str_is(version, GROUP "v1alpha1"))
        return berth__config_legacy_read(tree, root, path, config);
    return refuse_type(tree, "apiVersion", BERTH_E_UNSUPPORTED, GROUP "v1, v1beta3 or v1alpha1",
                       version);
}

static berth_scheduler_config *create_config(const berth_allocator *allocator)
{
    berth_scheduler_config *config =
        berth__alloc_zero(allocator, sizeof(*config), _Alignof(berth_scheduler_config));
    if (config == NULL)
        return NULL;
    berth__arena_init(&config->arena, allocator);
    config->backoff = (berth_backoff){.initial_seconds = 1, .max_seconds = 10};
    return config;
}

berth_status berth__config_read(const berth_allocator *allocator, berth__config_source from,
                                const char *name, berth_scheduler_config **out, berth_error *error)
{
    if (berth_profile_default_of(from.release) == NULL)
        return berth__error_set(error, BERTH_E_UNSUPPORTED, "Kubernetes 1.%u is not known",
                                (unsigned)(from.release & UINT16_MAX));
    berth_scheduler_config *config = create_config(allocator);
    berth__config_tree tree = {
        .error = error, .release = from.release, .extenders = from.extenders, .source = name};
    if (config == NULL)
        return berth__config_nomem(&tree);
    tree.arena = &config->arena;
    berth__arena scratch;
    berth__arena_init(&scratch, allocator);
    const berth__json *root = NULL;
    berth_status status = BERTH_OK;
    if (from.path != NULL)
        status = berth__config_open(&tree, &scratch, NULL, berth__text_of(from.path), &from);
    if (status == BERTH_OK)
        status = berth__config_parse(&tree, &scratch, from.text, &root);
    if (status == BERTH_OK) {
        BERTH_ASSERT(root != NULL);
        status = read_root(&tree, root, from.path, config);
        if (status != BERTH_OK && error != NULL && error->line == 0 && error->field[0] != '\0' &&
            strcmp(error->source, name) == 0)
            error->line = berth__json_line_of(root, error->field);
    }
    berth__arena_destroy(&scratch);
    if (status == BERTH_OK)
        *out = config;
    else
        berth_scheduler_config_destroy(config);
    return status;
}

static berth_status read_file(const char *path, berth__config_source from,
                              berth_scheduler_config **out, berth_error *error)
{
    if (out != NULL)
        *out = NULL;
    if (path == NULL || path[0] == '\0' || out == NULL)
        return berth__error_set(error, BERTH_E_ARG, "a path and a result are needed");
    return berth__config_read(berth__allocator_default(), from, path, out, error);
}

berth_status berth_scheduler_config_file(const char *path, uint32_t kubernetes,
                                         berth_scheduler_config **out, berth_error *error)
{
    return read_file(path, (berth__config_source){.path = path, .release = kubernetes}, out, error);
}

berth_status berth_scheduler_config_file_with_extenders(const char *path, uint32_t kubernetes,
                                                        berth_scheduler_config **out,
                                                        berth_error *error)
{
    return read_file(path,
                     (berth__config_source){.path = path, .release = kubernetes, .extenders = true},
                     out, error);
}

berth_status berth_scheduler_config_text(berth_str text, const char *source, uint32_t kubernetes,
                                         berth_scheduler_config **out, berth_error *error)
{
    if (out != NULL)
        *out = NULL;
    if ((text.data == NULL && text.len > 0) || out == NULL)
        return berth__error_set(error, BERTH_E_ARG, "a text and a result are needed");
    return berth__config_read(berth__allocator_default(),
                              (berth__config_source){.text = text, .release = kubernetes},
                              source != NULL ? source : "", out, error);
}

void berth_scheduler_config_destroy(berth_scheduler_config *config)
{
    if (config == NULL)
        return;
    const berth_allocator *allocator = config->arena.allocator;
    berth__arena_destroy(&config->arena);
    berth__free(allocator, config, sizeof(*config));
}

const berth_profile *berth_scheduler_config_profiles(const berth_scheduler_config *config,
                                                     uint32_t *count)
{
    *count = config->profile_count;
    return config->profiles;
}

uint32_t berth_scheduler_config_extender_count(const berth_scheduler_config *config)
{
    return config->extender_count;
}

void berth_scheduler_config_extender_sized(const berth_scheduler_config *config, uint32_t i,
                                           berth_extender_config *out, size_t size)
{
    static const berth_extender_config none;
    berth__sized_give(out, size, i < config->extender_count ? &config->extenders[i] : &none,
                      sizeof(none));
}

void berth_scheduler_config_backoff_sized(const berth_scheduler_config *config, berth_backoff *out,
                                          size_t size)
{
    berth__sized_give(out, size, &config->backoff, sizeof(config->backoff));
}
