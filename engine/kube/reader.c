/* The reader: from text to objects for the caller. JSON is taken in pieces, one object at a time
 * (split.c); YAML one document at a time. After an object's callback, the reader keeps only what
 * later objects refer to. */
#include "kube/reader_state.h"

#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/sized.h"
#include "base/text.h"
#include "kube/ahead.h"
#include "text/heading.h"
#include "text/input.h"
#include "text/json_fault.h"
#include "text/split.h"
#include "text/text_format.h"
#include "text/yaml.h"

enum { NESTED_LISTS_MAX = 16 }; /* within the outermost one */

/* One input being read. */
typedef struct reading {
    berth_reader *reader;
    const char *source;
    berth__heading list;
    bool awaits_kind; /* in a list whose kind has not come yet */
    bool pass_over;   /* in an object with `items` that is not a list */
    char *waiting;    /* elements without a kind, from a list whose kind comes after them */
    size_t waiting_len;
    size_t waiting_capacity;
    uint64_t documents; /* number of YAML documents that are not empty */
} reading;

/* ---- values: objects, lists of them ---- */

static berth_status value_fault(const reading *r, const berth__item *at, const char *message)
{
    berth_error *error = r->reader->error;
    berth__error_set(error, BERTH_E_INVALID, "%s", message);
    berth__error_source(error, r->source);
    if (error != NULL) {
        error->line = at->line;
        error->offset = at->offset;
    }
    return BERTH_E_INVALID;
}

/* Take the value of `at->tree`; the elements of nested lists have its position. `list` is the
 * heading of the list around it. */
static berth_status take_value(const reading *r, const berth__item *at, const berth__heading *list,
                               unsigned depth)
{
    berth__item item = *at;
    const berth__json *items = berth__json_get(at->tree, "items");
    berth__heading inner = *list;
    if (at->tree->type == BERTH__JSON_NULL)
        return BERTH_OK;
    if (at->tree->type == BERTH__JSON_ARRAY)
        items = at->tree;
    else if (at->tree->type != BERTH__JSON_OBJECT)
        return value_fault(r, at, "expected a Kubernetes object");
    bool is_list = items != NULL && items->type == BERTH__JSON_ARRAY &&
                   (items == at->tree || berth__heading_read(at->tree, &inner));
    if (depth > NESTED_LISTS_MAX + 1)
        return value_fault(r, at, "lists are nested more than 16 levels deep");
    if (is_list)
        item.object = NULL;
    for (uint32_t i = 0; is_list && i < items->count; i++) {
        item.tree = &items->as.items[i];
        if (item.tree->line != 0)
            item.line = item.tree->line;
        BERTH_TRY(take_value(r, &item, &inner, depth + 1));
    }
    if (is_list)
        return BERTH_OK;
    item.kind =
        berth__heading_kind(list, r->reader->options.default_kind, at->tree, &item.api_version);
    if (berth__str_empty(item.kind))
        return value_fault(r, at, "the object has no kind");
    berth__arena_reset(&r->reader->object);
    return berth__reader_item(r->reader, &item);
}

/* ---- JSON ---- */

/* Convert a fault's position in a piece to its position in the input. */
static void move_fault(const berth__piece *piece, berth_error *error)
{
    size_t at = (size_t)error->offset;
    size_t ahead = at >= piece->ahead ? piece->ahead : 0;
    berth__text_position(piece->text.data + ahead, at - ahead, &error->line, &error->column);
    if (error->line == 1)
        error->column += piece->column - 1;
    error->line += piece->line - 1;
    error->offset = piece->offset + (at - ahead);
}

/* The tree of a piece, which may have been made ahead. */
static berth_status tree_of(const reading *r, const berth__ready_piece *ready,
                            const berth__json **out)
{
    berth_reader *reader = r->reader;
    const berth__piece *piece = &ready->piece;
    *out = ready->tree;
    if (ready->tree != NULL)
        return BERTH_OK;
    berth__arena_reset(&reader->tree);
    berth_status status = (ready->padded ? berth__json_parse_padded : berth__json_parse)(
        reader->json, &reader->tree, piece->text, out, reader->error);
    if (status == BERTH_E_PARSE && reader->error != NULL)
        move_fault(piece, reader->error);
    return status;
}

/* Put an element aside until its list's kind is known. */
static berth_status keep_waiting(reading *r, const berth__piece *piece)
{
    const berth_allocator *allocator = r->reader->allocator;
    size_t need = r->waiting_len + sizeof(*piece) + piece->text.len;
    if (need > r->waiting_capacity) {
        char *grown = berth__alloc(allocator, need * 2, 1);
        if (grown == NULL)
            return berth__reader_no_memory(r->reader);
        if (r->waiting_len > 0)
            memcpy(grown, r->waiting, r->waiting_len);
        berth__free(allocator, r->waiting, r->waiting_capacity);
        r->waiting = grown;
        r->waiting_capacity = need * 2;
    }
    memcpy(r->waiting + r->waiting_len, piece, sizeof(*piece));
    memcpy(r->waiting + r->waiting_len + sizeof(*piece), piece->text.data, piece->text.len);
    r->waiting_len = need;
    return BERTH_OK;
}

static berth_status take_piece(reading *r, const berth__ready_piece *ready)
{
    const berth__piece *piece = &ready->piece;
    berth__item item = {.object = ready->object,
                        .object_kind = ready->kind,
                        .source = r->source,
                        .line = piece->line,
                        .offset = piece->offset};
    if (r->pass_over)
        return BERTH_OK;
    const berth_pod *replica = berth__replica_of(r->reader, ready);
    if (replica != NULL)
        return berth__reader_emit(r->reader, &item, BERTH_KIND_POD, replica);
    BERTH_TRY(tree_of(r, ready, &item.tree));
    if (r->awaits_kind && item.tree->type == BERTH__JSON_OBJECT &&
        berth__json_get(item.tree, "kind") == NULL)
        return keep_waiting(r, piece);
    r->reader->registering = ready->pattern;
    const unsigned depth = piece->kind == BERTH__PIECE_ELEMENT ? 1 : 0; /* in a list, or not */
    berth_status status = take_value(r, &item, &r->list, depth);
    r->reader->registering = (berth__pattern_id){0};
    return status;
}

static berth_status begin_list(reading *r, const berth__ready_piece *ready)
{
    const berth__json *list;
    BERTH_TRY(tree_of(r, ready, &list));
    r->awaits_kind = berth__json_get(list, "kind") == NULL;
    r->pass_over = !berth__heading_read(list, &r->list);
    return BERTH_OK;
}

static berth_status end_list(reading *r, const berth__ready_piece *ready)
{
    const berth__json *list;
    BERTH_TRY(tree_of(r, ready, &list));
    if (r->awaits_kind)
        r->pass_over = !berth__heading_read(list, &r->list);
    r->awaits_kind = false;
    for (size_t at = 0; at < r->waiting_len;) {
        berth__ready_piece kept = {.tree = NULL};
        memcpy(&kept.piece, r->waiting + at, sizeof(kept.piece));
        kept.piece.text.data = r->waiting + at + sizeof(kept.piece);
        BERTH_TRY(take_piece(r, &kept));
        at += sizeof(kept.piece) + kept.piece.text.len;
    }
    r->waiting_len = 0;
    r->pass_over = false;
    r->list = (berth__heading){{0}, {0}};
    return BERTH_OK;
}

static berth_status each_ready(void *context, const berth__ready_piece *ready)
{
    reading *r = context;
    BERTH_TRY(berth__cancel_check(r->reader->options.cancel, r->reader->error));
    switch (ready->piece.kind) {
    case BERTH__PIECE_LIST:
        return begin_list(r, ready);
    case BERTH__PIECE_LIST_END:
        return end_list(r, ready);
    case BERTH__PIECE_OBJECT:
    case BERTH__PIECE_ELEMENT:
        return take_piece(r, ready);
    }
    return BERTH_OK;
}

/* Without a helper, prepare only pieces that may become patterns. */
static void make_ready(const reading *r, berth__ready_piece *out)
{
    berth_reader *reader = r->reader;
    bool is_object =
        out->piece.kind == BERTH__PIECE_OBJECT || out->piece.kind == BERTH__PIECE_ELEMENT;
    if (!is_object || berth__piece_match(reader->patterns, out) != BERTH__PATTERN_WANTED)
        return;
    berth__ready_piece bare = *out;
    berth__arena_reset(&reader->tree);
    if (berth__piece_copy(&reader->tree, out))
        berth__piece_parse(reader->json, &reader->tree, out);
    if (out->tree == NULL) { /* the arena will be needed again */
        *out = bare;
        return;
    }
    berth__piece_decode(&reader->tree, &r->list, reader->options.default_kind, out);
    berth__piece_register(reader->patterns, out);
}

static berth_status each_piece(void *context, const berth__piece *piece, berth_error *error)
{
    berth__ready_piece ready = {.piece = *piece};
    (void)error; /* the same as the reader's */
    make_ready(context, &ready);
    return each_ready(context, &ready);
}

static berth_status read_json(reading *r, berth__window *window)
{
    const berth_reader *reader = r->reader;
    const berth__ahead_options options = {
        .allocator = reader->allocator,
        .default_kind = reader->options.default_kind,
        .patterns = reader->patterns,
        .threads = reader->options.threads,
        .batch_bytes = reader->batch_bytes,
        .progress = window->input->progress,
        .progress_context = window->input->progress_context,
    };
    if (berth__ahead_is_due(&options, window)) {
        bool begun = false;
        berth_status status =
            berth__ahead_run(&options, window, each_ready, r, &begun, reader->error);
        if (begun)
            return status;
    }
    return berth__split(window, each_piece, r, reader->error);
}

/* ---- YAML ---- */

/* A list written by kubectl has its kind after its items. */
static bool is_cut_off(const reading *r, const berth__json *root)
{
    const berth__json *items = berth__json_get(root, "items");
    return r->reader->options.default_kind == NULL && items != NULL &&
           items->type == BERTH__JSON_ARRAY && berth__json_get(root, "kind") == NULL &&
           berth__json_get(root, "apiVersion") != NULL;
}

static berth_status each_document(void *context, const berth__json *root, uint32_t line,
                                  berth_error *error)
{
    reading *r = context;
    berth__item item = {.tree = root, .source = r->source, .line = line, .offset = UINT64_MAX};
    (void)error;
    BERTH_TRY(berth__cancel_check(r->reader->options.cancel, r->reader->error));
    r->documents += root->type != BERTH__JSON_NULL;
    if (is_cut_off(r, root))
        return value_fault(r, &item,
                           "the list has no kind, which stands behind its items: the text was cut "
                           "off");
    BERTH_TRY(take_value(r, &item, &r->list, 0));
    berth__arena_reset(&r->reader->tree);
    return BERTH_OK;
}

/* Whether the faulty line contains an action of a template that was not rendered. */
static bool is_template(berth_str text, const berth_error *error)
{
    const char *at = text.data, *end = text.data + text.len;
    for (uint32_t line = 1; line < error->line && at < end; line++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next != NULL ? next + 1 : end;
    }
    const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    return at < end && memmem(at, (size_t)((stop != NULL ? stop : end) - at), "{{", 2) != NULL;
}

static berth_status read_yaml(reading *r, berth__window *window)
{
    berth_reader *reader = r->reader;
    while (!window->ended)
        BERTH_TRY(berth__window_fill(window, reader->error));
    berth__arena_reset(&reader->tree);
    berth_str text = {window->data + window->start, (uint32_t)(window->end - window->start)};
    berth_status status = berth__yaml_parse(&reader->tree, text, each_document, r, reader->error);
    if (status == BERTH_E_PARSE && reader->error != NULL && is_template(text, reader->error))
        snprintf(reader->error->message, sizeof(reader->error->message),
                 "found a template's {{, expected YAML: `helm template` renders a chart");
    return status;
}

/* ---- inputs ---- */

/* Whether the text begins like UTF-16: with its mark, or with a zero next to a character. */
static bool is_utf16(const berth__window *window)
{
    const char *at = window->data + window->at;
    return window->end - window->at >= 2 &&
           (memcmp(at, "\xff\xfe", 2) == 0 || memcmp(at, "\xfe\xff", 2) == 0 ||
            (at[0] == '\0') != (at[1] == '\0'));
}

/* Skip the byte order mark of UTF-8. */
static void skip_mark(berth__window *window)
{
    if (window->end >= 3 && memcmp(window->data, "\xef\xbb\xbf", 3) == 0)
        window->start = window->at = 3;
}

static bool is_json(const berth__window *window)
{
    size_t len = window->end - window->at;
    return berth__text_is_json((berth_str){window->data + window->at, (uint32_t)len});
}

static berth_status read_window(reading *r, berth__window *window)
{
    berth_error *error = r->reader->error;
    int first;
    BERTH_TRY(berth__window_fill(window, error));
    if (is_utf16(window))
        return berth__error_set(error, BERTH_E_PARSE,
                                "the text is UTF-16, expected UTF-8 (iconv -f UTF-16 -t UTF-8 "
                                "converts it)");
    skip_mark(window);
    BERTH_TRY(berth__window_peek(window, &first, error));
    if (first < 0)
        return berth__error_set(error, BERTH_E_PARSE, "the input is empty, expected JSON or YAML");
    if (is_json(window))
        return read_json(r, window);
    BERTH_TRY(read_yaml(r, window));
    return r->documents > 0 ? BERTH_OK
                            : berth__error_set(error, BERTH_E_PARSE, "the input holds no object");
}

static berth_status read_input(berth_reader *reader, berth__input *input, const char *source)
{
    berth__window window;
    reading r = {.reader = reader, .source = source};
    berth__window_init(&window, input, reader->allocator);
    berth_status status = read_window(&r, &window);
    berth__free(reader->allocator, r.waiting, r.waiting_capacity);
    berth__window_destroy(&window);
    berth__input_close(input);
    return status;
}

static berth_status start_call(berth_reader *reader, berth_object_fn each, void *context,
                               berth_error *error)
{
    if (reader == NULL || each == NULL)
        return berth__error_set(error, BERTH_E_ARG, "a reader and a function are required");
    reader->each = each;
    reader->context = context;
    reader->error = error;
    reader->refused = false;
    return BERTH_OK;
}

/* Keep the name of an input as long as objects deferred from it may report it. */
static berth_status keep_source(berth_reader *reader, const char *source, const char **out)
{
    bool ok = true;
    *out = berth__arena_str(&reader->kept, berth__text_of(source), &ok).data;
    return ok ? BERTH_OK : berth__reader_no_memory(reader);
}

/* Every error except the caller's own names the input. */
static berth_status end_call(const berth_reader *reader, berth_status status, const char *source)
{
    if (status != BERTH_OK && !reader->refused && reader->error != NULL &&
        reader->error->source[0] == '\0')
        berth__error_source(reader->error, source);
    return status;
}

berth_status berth_reader_file(berth_reader *reader, const char *path, berth_object_fn each,
                               void *context, berth_error *error)
{
    berth__input input;
    const char *source;
    BERTH_TRY(start_call(reader, each, context, error));
    if (path == NULL)
        return berth__error_set(error, BERTH_E_ARG, "a path is required");
    BERTH_TRY(keep_source(reader, strcmp(path, "-") == 0 ? "standard input" : path, &source));
    berth_status status = berth__input_open(&input, reader->allocator, path, error);
    input.progress = reader->options.progress;
    input.progress_context = reader->options.progress_context;
    if (status == BERTH_OK)
        status = read_input(reader, &input, source);
    return end_call(reader, status, source);
}

berth_status berth_reader_text(berth_reader *reader, berth_str text, const char *source,
                               berth_object_fn each, void *context, berth_error *error)
{
    berth__input input;
    BERTH_TRY(start_call(reader, each, context, error));
    BERTH_TRY(keep_source(reader, source, &source));
    berth_status status = berth__input_open_text(&input, reader->allocator, text, error);
    if (status == BERTH_OK)
        status = read_input(reader, &input, source);
    return end_call(reader, status, source);
}

berth_status berth_reader_finish(berth_reader *reader, berth_engine *engine, berth_object_fn each,
                                 void *context, berth_error *error)
{
    BERTH_TRY(start_call(reader, each, context, error));
    reader->engine = engine;
    reader->finishing = true;
    berth_status status = berth__deferred_finish(reader);
    reader->engine = NULL;
    reader->finishing = false;
    return status;
}

/* ---- life ---- */

static const berth_read_options default_options = {.size = sizeof(default_options)};

void berth_read_options_init_sized(berth_read_options *options, size_t size)
{
    berth__sized_init(options, size, &default_options, sizeof(default_options));
}

berth_status berth_reader_create_sized(const berth_read_options *options, const uint32_t *sizes,
                                       berth_reader **out, berth_error *error)
{
    bool ok = true;
    berth_read_options own = default_options;
    *out = NULL;
    if (options != NULL)
        BERTH_TRY(berth__sized_read(&own, sizeof(own), options, "berth_read_options", error));
    const berth_allocator *allocator =
        own.allocator != NULL ? own.allocator : berth__allocator_default();
    berth_reader *reader = berth__alloc_zero(allocator, sizeof(*reader), _Alignof(berth_reader));
    if (reader == NULL)
        return berth__error_no_memory(error);
    reader->allocator = allocator;
    reader->options = own;
    reader->sizes = sizes;
    reader->batch_bytes = BERTH__AHEAD_BATCH_BYTES;
    berth__arena_init(&reader->tree, allocator);
    berth__arena_init(&reader->object, allocator);
    berth__arena_init(&reader->pod, allocator);
    berth__arena_init(&reader->kept, allocator);
    const char *kind = reader->options.default_kind;
    if (kind != NULL)
        reader->options.default_kind =
            berth__arena_str(&reader->kept, berth__text_of(kind), &ok).data;
    if (own.whole_kinds != NULL)
        reader->options.whole_kinds =
            berth__arena_str(&reader->kept, berth__text_of(own.whole_kinds), &ok).data;
    bool named = own.namespace_name != NULL && own.namespace_name[0] != '\0';
    reader->options.namespace_name =
        named ? berth__arena_str(&reader->kept, berth__text_of(own.namespace_name), &ok).data
              : "default";
    if (!reader->options.templates) /* their pods are named after them */
        reader->patterns = berth__patterns_create(allocator);
    if (!ok || berth__json_parser_create(allocator, &reader->json) != BERTH_OK ||
        berth__keymap_init(&reader->templates, allocator) != BERTH_OK ||
        berth__keymap_init(&reader->seen_workloads, allocator) != BERTH_OK ||
        berth__keymap_init(&reader->changes, allocator) != BERTH_OK) {
        berth_reader_destroy(reader);
        return berth__error_no_memory(error);
    }
    *out = reader;
    return BERTH_OK;
}

void berth_reader_destroy(berth_reader *reader)
{
    if (reader == NULL)
        return;
    const berth_allocator *allocator = reader->allocator;
    berth__json_parser_destroy(reader->json);
    berth__patterns_destroy(reader->patterns);
    berth__replicas_free(reader);
    berth__keymap_destroy(&reader->templates);
    berth__keymap_destroy(&reader->seen_workloads);
    berth__keymap_destroy(&reader->changes);
    berth__arena_destroy(&reader->tree);
    berth__arena_destroy(&reader->object);
    berth__arena_destroy(&reader->pod);
    berth__arena_destroy(&reader->kept);
    berth__free(allocator, reader->classes, reader->class_capacity * sizeof(*reader->classes));
    berth__free(allocator, reader->runtime_classes,
                reader->runtime_class_capacity * sizeof(*reader->runtime_classes));
    berth__free(allocator, reader->deferred, reader->deferred_capacity * sizeof(*reader->deferred));
    berth__free(allocator, reader->claims_seen, reader->claim_capacity * sizeof(uint64_t));
    berth__free(allocator, reader, sizeof(*reader));
}
