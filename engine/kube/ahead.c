/* Reading ahead: the helper thread, and the ring of batches between it and the caller's thread. */
#include "kube/ahead.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

/* With so many full batches, including the caller's present one, the helper has time to parse the
 * next one, or to decode it, too. */
enum { BATCHES = 4, TIME_TO_PARSE = 2, TIME_TO_DECODE = 3 };

typedef struct batch {
    berth__arena arena; /* texts, trees and objects */
    berth__ready_piece *pieces;
    uint32_t count;
    uint32_t capacity;
    size_t bytes; /* of text */
    bool reports; /* after its pieces: how far the input has been read */
    uint64_t done_bytes;
    uint64_t total_bytes;
    bool last;
} batch;

typedef struct ahead {
    const berth__ahead_options *options;
    berth__window *window;
    berth__json_parser *json;
    batch ring[BATCHES];
    pthread_t helper;
    pthread_mutex_t lock; /* guards the next three */
    uint64_t filled;
    uint64_t taken;
    bool stopped;
    pthread_cond_t can_fill;
    pthread_cond_t can_take;
    /* the helper's own until its last batch is filled */
    batch *at;
    uint64_t ahead; /* full batches when the present one was begun */
    bool quits;
    berth__heading list;
    berth_status status;
    berth_error error;
} ahead;

/* ---- the ring ---- */

/* The present batch is full: take the next. */
static void hand_over(ahead *a)
{
    pthread_mutex_lock(&a->lock); /* AHEAD-1 */
    bool last = a->at->last;
    a->filled++;
    pthread_cond_signal(&a->can_take);
    while (!last && !a->stopped && a->filled - a->taken == BATCHES) /* AHEAD-2 */
        pthread_cond_wait(&a->can_fill, &a->lock);
    a->quits = a->stopped;
    a->ahead = a->filled - a->taken;
    a->at = &a->ring[a->filled % BATCHES];
    pthread_mutex_unlock(&a->lock);
    if (last || a->quits)
        return;
    berth__arena_reset(&a->at->arena);
    a->at->count = 0;
    a->at->bytes = 0;
    a->at->reports = false;
}

static batch *wait_for_batch(ahead *a)
{
    pthread_mutex_lock(&a->lock); /* AHEAD-1 */
    while (a->filled == a->taken)
        pthread_cond_wait(&a->can_take, &a->lock);
    batch *b = &a->ring[a->taken % BATCHES];
    pthread_mutex_unlock(&a->lock);
    return b;
}

static void give_back(ahead *a)
{
    pthread_mutex_lock(&a->lock); /* AHEAD-2 */
    a->taken++;
    pthread_cond_signal(&a->can_fill);
    pthread_mutex_unlock(&a->lock);
}

/* ---- the helper ---- */

/* A piece that becomes a pattern is decoded even if there is little time, because it saves decoding
 * many others. */
static void prepare_object(ahead *a, berth__ready_piece *out)
{
    berth__patterns *patterns = a->options->patterns;
    berth__pattern_verdict verdict = berth__piece_match(patterns, out);
    bool wanted = verdict == BERTH__PATTERN_WANTED;
    if (verdict == BERTH__PATTERN_FOUND || (a->ahead < TIME_TO_PARSE && !wanted))
        return;
    berth__piece_parse(a->json, &a->at->arena, out);
    if (a->ahead >= TIME_TO_DECODE || wanted)
        berth__piece_decode(&a->at->arena, &a->list, a->options->default_kind, out);
    if (wanted)
        berth__piece_register(patterns, out);
}

/* Beginnings and ends of lists are always parsed: they describe the elements between them. */
static void prepare_list(ahead *a, berth__ready_piece *out)
{
    berth__piece_parse(a->json, &a->at->arena, out);
    if (out->tree == NULL)
        return;
    if (out->piece.kind != BERTH__PIECE_LIST || !berth__heading_read(out->tree, &a->list))
        a->list = (berth__heading){{0}, {0}};
}

static berth_status no_memory(berth_error *error)
{
    return berth__error_set(error, BERTH_E_NOMEM, "out of memory while reading");
}

static berth_status put_piece(void *context, const berth__piece *piece, berth_error *error)
{
    ahead *a = context;
    batch *b = a->at;
    if (a->quits)
        return BERTH_E_STATE; /* nobody will look at it */
    if (!berth__grow(a->options->allocator, &b->pieces, &b->capacity, b->count + 1,
                     sizeof(*b->pieces)))
        return no_memory(error);
    berth__ready_piece *out = &b->pieces[b->count];
    *out = (berth__ready_piece){.piece = *piece};
    if (!berth__piece_copy(&b->arena, out))
        return no_memory(error);
    b->count++;
    if (piece->kind == BERTH__PIECE_OBJECT || piece->kind == BERTH__PIECE_ELEMENT)
        prepare_object(a, out);
    else
        prepare_list(a, out);
    b->bytes += piece->text.len;
    if (b->bytes >= a->options->batch_bytes)
        hand_over(a);
    return BERTH_OK;
}

/* The caller reports progress, between the same two pieces. */
static void put_progress(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
    ahead *a = context;
    if (a->quits)
        return;
    a->at->reports = true;
    a->at->done_bytes = done_bytes;
    a->at->total_bytes = total_bytes;
    hand_over(a);
}

static void *helper_main(void *context)
{
    ahead *a = context;
    a->status = berth__split(a->window, put_piece, a, &a->error);
    if (a->quits)
        return NULL;
    a->at->last = true;
    hand_over(a);
    return NULL;
}

/* ---- the caller ---- */

static berth_status take_batch(const ahead *a, const batch *b, berth__ready_fn each, void *context)
{
    for (uint32_t i = 0; i < b->count; i++)
        BERTH_TRY(each(context, &b->pieces[i]));
    if (b->reports && a->options->progress != NULL)
        a->options->progress(a->options->progress_context, b->done_bytes, b->total_bytes);
    return BERTH_OK;
}

static berth_status take_all(ahead *a, berth__ready_fn each, void *context, berth_error *error)
{
    for (;;) {
        batch *b = wait_for_batch(a);
        BERTH_TRY(take_batch(a, b, each, context));
        if (b->last)
            break;
        give_back(a);
    }
    if (a->status != BERTH_OK && error != NULL)
        *error = a->error;
    return a->status;
}

/* ---- life ---- */

/* Signals are the caller's business: none may arrive on a thread that the caller does not know. */
static bool start_helper(ahead *a)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&a->helper, NULL, helper_main, a);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed == 0;
}

static void stop_helper(ahead *a)
{
    pthread_mutex_lock(&a->lock);
    a->stopped = true;
    pthread_cond_signal(&a->can_fill);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->helper, NULL);
}

static ahead *create(const berth__ahead_options *options, berth__window *window)
{
    ahead *a = berth__alloc_zero(options->allocator, sizeof(*a), _Alignof(ahead));
    if (a == NULL)
        return NULL;
    if (berth__json_parser_create(options->allocator, &a->json) != BERTH_OK) {
        berth__free(options->allocator, a, sizeof(*a));
        return NULL;
    }
    a->options = options;
    a->window = window;
    a->at = &a->ring[0];
    for (int i = 0; i < BATCHES; i++)
        berth__arena_init(&a->ring[i].arena, options->allocator);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->can_fill, NULL);
    pthread_cond_init(&a->can_take, NULL);
    return a;
}

static void destroy(ahead *a)
{
    const berth_allocator *allocator = a->options->allocator;
    pthread_cond_destroy(&a->can_take);
    pthread_cond_destroy(&a->can_fill);
    pthread_mutex_destroy(&a->lock);
    for (int i = 0; i < BATCHES; i++) {
        batch *b = &a->ring[i];
        berth__arena_destroy(&b->arena);
        berth__free(allocator, b->pieces, b->capacity * sizeof(*b->pieces));
    }
    berth__json_parser_destroy(a->json);
    berth__free(allocator, a, sizeof(*a));
}

/* Whether reading the input never waits for its writer. */
static bool is_steady(const berth__input *input)
{
    struct stat info;
    return input->fd < 0 || (fstat(input->fd, &info) == 0 && S_ISREG(info.st_mode));
}

static bool has_core_to_spare(void)
{
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof(cores), &cores) != 0 || CPU_COUNT(&cores) > 1;
}

bool berth__ahead_is_due(const berth__ahead_options *options, const berth__window *window)
{
    return options->threads != 1 && window->end - window->start > options->batch_bytes &&
           is_steady(window->input) && (options->threads > 1 || has_core_to_spare());
}

berth_status berth__ahead_run(const berth__ahead_options *options, berth__window *window,
                              berth__ready_fn each, void *context, bool *begun, berth_error *error)
{
    ahead *a = create(options, window);
    *begun = a != NULL;
    if (a == NULL)
        return BERTH_E_NOMEM;
    /* From here on only the helper uses the input. */
    window->input->progress = options->progress != NULL ? put_progress : NULL;
    window->input->progress_context = a;
    *begun = start_helper(a);
    berth_status status = BERTH_E_NOMEM;
    if (*begun) {
        status = take_all(a, each, context, error);
        stop_helper(a);
    }
    window->input->progress = options->progress;
    window->input->progress_context = options->progress_context;
    destroy(a);
    return status;
}
