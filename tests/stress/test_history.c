/* The protocol of base/history.h alone: first scripts with fixed interleavings, then threads
 * against each other. With a part of the protocol removed (tests/mutants) the test must fail.
 *
 * Released objects are marked, not freed, so that a reader can notice an object that it must not
 * see.
 *
 * Usage: test_history [SNAPSHOTS]; BERTH_STRESS_SECONDS: how long the threads run, instead of that
 * many snapshots. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/history.h"

/* Called by the mutant whose pin first looks and then counts, between these two steps
 * (history_split_pin). */
void test_history_pause(void);

enum { READERS = 3, OBJECTS = 8, RING = 64 };

typedef struct object {
    atomic_int released;
    uint64_t born;
    uint64_t value; /* written before it is published, read under a pin: not atomic */
} object;

typedef struct shown {
    berth__snapshot_head head;
    uint64_t value;
    object *objects[OBJECTS];
    atomic_int dropped;
} shown;

static berth__history history;
static atomic_ulong objects_alive, snapshots_alive;
static atomic_bool stop;

/* Fail immediately: the program may crash after a broken protocol. */
static void expect(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "FAILED: %s\n", what);
    fflush(stderr);
    _Exit(1);
}

/* ---- memory: released objects stay readable until the end ---- */

typedef struct grave {
    struct grave *next;
    void *memory;
} grave;
static _Atomic(grave *) graves;

static void bury(void *memory)
{
    grave *one = malloc(sizeof(*one));
    if (one == NULL)
        abort();
    one->memory = memory;
    one->next = atomic_load(&graves);
    while (!atomic_compare_exchange_weak(&graves, &one->next, one))
        ;
}

static void empty_graves(void)
{
    for (grave *one = atomic_exchange(&graves, NULL), *next; one != NULL; one = next) {
        next = one->next;
        free(one->memory);
        free(one);
    }
}

static void release_object(const berth_allocator *allocator, void *context, void *memory,
                           size_t bytes)
{
    (void)allocator;
    (void)context;
    (void)bytes;
    object *one = memory;
    expect(atomic_exchange(&one->released, 1) == 0, "an object is released twice");
    atomic_fetch_sub(&objects_alive, 1);
    one->value = 0; /* not atomic: reads under a pin come before */
    bury(one);
}

static void drop(void *context, berth__snapshot_head *snapshot)
{
    (void)context;
    shown *one = (shown *)snapshot;
    expect(atomic_exchange(&one->dropped, 1) == 0, "a snapshot is dropped twice");
    atomic_fetch_sub(&snapshots_alive, 1);
    one->value = 0;
    bury(one);
}

static object *make_object(uint64_t born, uint64_t value)
{
    object *one = calloc(1, sizeof(*one));
    if (one == NULL)
        abort();
    one->born = born;
    one->value = value;
    atomic_fetch_add(&objects_alive, 1);
    return one;
}

/* ---- the writer ---- */

static object *present[OBJECTS];

static berth__retired *retire(berth__retired *list, object *one)
{
    berth__retired *note = malloc(sizeof(*note));
    if (note == NULL)
        abort();
    *note = (berth__retired){list, one->born, release_object, one, sizeof(*one), NULL};
    return note;
}

/* Replace the objects whose bits are set, and publish. */
static void publish(unsigned changed)
{
    uint64_t number = history.number + 1;
    berth__retired *retired = NULL;
    for (unsigned i = 0; i < OBJECTS; i++) {
        if (present[i] != NULL && (changed >> i & 1) == 0)
            continue;
        if (present[i] != NULL)
            retired = retire(retired, present[i]);
        present[i] = make_object(number, number * 31 + i);
    }
    shown *snapshot = calloc(1, sizeof(*snapshot));
    if (snapshot == NULL)
        abort();
    atomic_fetch_add(&snapshots_alive, 1);
    snapshot->value = number * 17;
    for (unsigned i = 0; i < OBJECTS; i++)
        snapshot->objects[i] = present[i];
    if (berth__history_reserve(&history, &snapshot->head) != BERTH_OK)
        abort();
    berth__history_publish(&history, &snapshot->head, retired);
}

/* ---- readers ---- */

static void look(const shown *snapshot)
{
    expect(snapshot != NULL, "a pin gives no snapshot");
    expect(!atomic_load(&snapshot->dropped), "a pinned snapshot is dropped");
    expect(snapshot->value == snapshot->head.number * 17, "a snapshot is not whole");
    for (unsigned i = 0; i < OBJECTS; i++) {
        const object *one = snapshot->objects[i];
        expect(!atomic_load(&one->released), "an object that a pinned snapshot shows is released");
        expect(one->born <= snapshot->head.number && one->value == one->born * 31 + i,
               "an object is not whole");
    }
}

/* Takes short pins, and some that are kept while many others come and go. */
static void *read_on(void *argument)
{
    shown *kept[RING] = {NULL};
    uint64_t last = 0, random = (uintptr_t)argument * 7919 + 1;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        shown *snapshot = (shown *)berth__history_pin(&history);
        expect(snapshot->head.number >= last, "a later pin goes back in time");
        last = snapshot->head.number;
        look(snapshot);
        if (random >> 60 == 0)
            sched_yield();
        look(snapshot);
        unsigned place = (unsigned)(random >> 40) % RING;
        if (random >> 61 != 0) {
            berth__history_unpin(&history, &snapshot->head);
            continue;
        }
        if (kept[place] != NULL) {
            look(kept[place]);
            berth__history_unpin(&history, &kept[place]->head);
        }
        kept[place] = snapshot;
    }
    for (unsigned i = 0; i < RING; i++)
        if (kept[i] != NULL) {
            look(kept[i]);
            berth__history_unpin(&history, &kept[i]->head);
        }
    return NULL;
}

/* ---- scripts ---- */

static shown *to_unpin, *publish_while_pinning;

static void unpin_during_pass(void *context)
{
    (void)context;
    shown *snapshot = to_unpin;
    to_unpin = NULL;
    if (snapshot != NULL)
        berth__history_unpin(&history, &snapshot->head);
}

void test_history_pause(void)
{
    if (publish_while_pinning != NULL) {
        publish_while_pinning = NULL;
        publish(1);
    }
}

static void open_history(void)
{
    berth__history_init(&history, berth__allocator_default(), NULL, drop, unpin_during_pass);
    for (unsigned i = 0; i < OBJECTS; i++)
        present[i] = NULL;
}

static void quiet(unsigned long snapshots)
{
    expect(atomic_load(&snapshots_alive) == snapshots, "snapshots that nobody can see are left");
    if (snapshots == 1)
        expect(atomic_load(&objects_alive) == OBJECTS, "objects that nobody can see are left");
}

static void close_history(void)
{
    berth__history_destroy(&history);
    for (unsigned i = 0; i < OBJECTS; i++)
        release_object(NULL, NULL, present[i], 0);
    expect(atomic_load(&snapshots_alive) == 0 && atomic_load(&objects_alive) == 0,
           "something is left at the end");
}

/* Old snapshots stay as long as they are pinned, and are freed in whatever order their pins end. */
static void script_pins(void)
{
    open_history();
    expect(berth__history_pin(&history) == NULL, "a pin of nothing");
    shown *pinned[6];
    for (unsigned i = 0; i < 6; i++) {
        publish(1u << i % 3);
        pinned[i] = (shown *)berth__history_pin(&history);
        expect(pinned[i] != NULL && pinned[i]->head.number == i + 1, "not the latest snapshot");
        for (unsigned k = 0; k <= i; k++)
            look(pinned[k]);
    }
    berth__history_pin_again(&pinned[2]->head);
    static const unsigned order[] = {2, 5, 0, 3, 1, 2, 4};
    static const unsigned long left[] = {6, 6, 5, 4, 3, 2, 1};
    for (unsigned i = 0; i < 7; i++) {
        berth__history_unpin(&history, &pinned[order[i]]->head);
        quiet(left[i]);
        for (unsigned k = 0; k < 6; k++)
            for (unsigned later = i + 1; later < 7; later++)
                if (order[later] == k)
                    look(pinned[k]);
    }
    publish(255);
    quiet(1);
    close_history();
}

/* The last pin of a snapshot ends while another snapshot is being reclaimed. */
static void script_request_during_pass(void)
{
    open_history();
    publish(1);
    shown *first = (shown *)berth__history_pin(&history);
    publish(2);
    shown *second = (shown *)berth__history_pin(&history);
    publish(4);
    to_unpin = first;
    berth__history_unpin(&history, &second->head);
    quiet(1);
    close_history();
}

/* A snapshot is published between the two halves of a pin that is not atomic. */
static void script_split_pin(void)
{
    open_history();
    publish(1);
    publish_while_pinning = (shown *)history.current;
    shown *snapshot = (shown *)berth__history_pin(&history);
    publish_while_pinning = NULL;
    look(snapshot);
    publish(2);
    look(snapshot);
    berth__history_unpin(&history, &snapshot->head);
    quiet(1);
    close_history();
}

static atomic_bool has_left;

/* Pins once, and reports its end without any memory ordering. */
static void *look_and_leave(void *argument)
{
    (void)argument;
    shown *snapshot = (shown *)berth__history_pin(&history);
    look(snapshot);
    berth__history_unpin(&history, &snapshot->head);
    atomic_store_explicit(&has_left, true, memory_order_relaxed); /* relaxed: see above */
    return NULL;
}

/* Only a reader's unpin says that its reads are over. A writer that finds no pins may then write
 * the objects that were visible, and the end of the history may free them. */
static void script_last_reader(bool asks)
{
    pthread_t reader;
    open_history();
    publish(1);
    /* relaxed: the thread has not started yet */
    atomic_store_explicit(&has_left, false, memory_order_relaxed);
    if (pthread_create(&reader, NULL, look_and_leave, NULL) != 0)
        abort();
    /* relaxed: this flag must not order the two threads */
    while (!atomic_load_explicit(&has_left, memory_order_relaxed))
        sched_yield();
    if (asks) {
        expect(berth__history_pins(&history) == 0, "a pin that was given back is counted");
        ((shown *)history.current)->value = 0;
    }
    close_history();
    pthread_join(reader, NULL);
}

/* More snapshots than a row of the table can hold. */
static void script_many(void)
{
    enum { MANY = 3 * BERTH__HISTORY_ROW };
    static shown *pinned[MANY];
    open_history();
    for (unsigned i = 0; i < MANY; i++) {
        publish(1u << i % OBJECTS);
        pinned[i] = (shown *)berth__history_pin(&history);
    }
    for (unsigned i = 0; i < MANY; i++) {
        look(pinned[i]);
        expect(pinned[i]->head.number == i + 1, "a place was given twice");
    }
    for (unsigned i = 0; i < MANY; i++)
        berth__history_unpin(&history, &pinned[i * 5 % MANY]->head);
    quiet(1);
    close_history();
}

/* ---- objects of any age ---- */

/* Publish a snapshot that no longer shows this object. */
static shown *publish_without(object *one)
{
    shown *snapshot = calloc(1, sizeof(*snapshot));
    if (snapshot == NULL)
        abort();
    atomic_fetch_add(&snapshots_alive, 1);
    if (berth__history_reserve(&history, &snapshot->head) != BERTH_OK)
        abort();
    berth__history_publish(&history, &snapshot->head, one != NULL ? retire(NULL, one) : NULL);
    return (shown *)berth__history_pin(&history);
}

/* Shuffle the numbers below `count`. */
static void shuffle(unsigned *order, unsigned count, uint64_t random)
{
    for (unsigned i = 0; i < count; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        unsigned at = (unsigned)(random >> 33) % (i + 1);
        order[i] = order[at];
        order[at] = i;
    }
}

/* After each unpin exactly those objects are left that a pinned snapshot shows. */
static void script_any_order(uint64_t seed)
{
    enum { SNAPSHOTS = 120 };
    shown *pinned[SNAPSHOTS + 1];
    unsigned born[SNAPSHOTS + 1], order[SNAPSHOTS];
    uint64_t random = seed;
    open_history();
    pinned[0] = publish_without(NULL);
    for (unsigned i = 1; i <= SNAPSHOTS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        born[i] = 1 + (unsigned)(random >> 33) % i; /* snapshots born[i] to i show it */
        pinned[i] = publish_without(make_object(born[i], 0));
    }
    shuffle(order, SNAPSHOTS, seed);
    for (unsigned k = 0; k < SNAPSHOTS; k++) {
        berth__history_unpin(&history, &pinned[order[k]]->head);
        pinned[order[k]] = NULL;
        unsigned long left = 0;
        for (unsigned i = 1; i <= SNAPSHOTS; i++) {
            bool visible = false;
            for (unsigned number = born[i]; number <= i && !visible; number++)
                visible = pinned[number - 1] != NULL;
            left += visible;
        }
        expect(atomic_load(&objects_alive) == left, "not the objects that pinned snapshots show");
        expect(atomic_load(&snapshots_alive) == SNAPSHOTS - k, "a snapshot is left");
    }
    berth__history_unpin(&history, &pinned[SNAPSHOTS]->head);
    berth__history_destroy(&history);
    expect(atomic_load(&snapshots_alive) == 0, "a snapshot is left at the end");
}

/* As many snapshots as can live, each with an object that all older ones show, end one by one. This
 * takes a fraction of a second; it would take over a minute if each end walked over all living
 * snapshots. */
static void script_one_by_one(bool newest_first)
{
    enum { ALL = 60000 };
    static shown *pinned[ALL];
    open_history();
    pinned[0] = publish_without(NULL);
    for (unsigned i = 1; i < ALL; i++)
        pinned[i] = publish_without(make_object(1, 0));
    clock_t begin = clock();
    for (unsigned i = 0; i < ALL; i++)
        berth__history_unpin(&history, &pinned[newest_first ? ALL - 1 - i : i]->head);
    expect(clock() - begin < 5 * CLOCKS_PER_SEC, "unpinning takes longer the more is pinned");
    expect(atomic_load(&objects_alive) == 0, "an object is left");
    berth__history_destroy(&history);
    expect(atomic_load(&snapshots_alive) == 0, "a snapshot is left at the end");
}

/* ---- threads ---- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void race(unsigned long snapshots, double duration)
{
    pthread_t threads[READERS];
    double end = seconds() + duration;
    open_history();
    atomic_store(&stop, false);
    publish(255);
    for (unsigned i = 0; i < READERS; i++)
        if (pthread_create(&threads[i], NULL, read_on, (void *)(uintptr_t)(i + 1)) != 0)
            abort();
    for (unsigned long i = 0; duration > 0 ? seconds() < end : i < snapshots; i++) {
        publish((unsigned)(i * 2654435761u >> 8) & 255);
        if (i % 16 == 0)
            sched_yield();
    }
    atomic_store(&stop, true);
    for (unsigned i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    quiet(1);
    printf("%lu snapshots, %u readers\n", (unsigned long)history.number, READERS);
    close_history();
}

int main(int argc, char **argv)
{
    const char *duration = getenv("BERTH_STRESS_SECONDS");
    script_pins();
    script_request_during_pass();
    script_split_pin();
    script_last_reader(false);
    script_last_reader(true);
    script_many();
    empty_graves();
    for (uint64_t seed = 1; seed <= 20; seed++)
        script_any_order(seed);
    script_one_by_one(false);
    script_one_by_one(true);
    empty_graves();
    race(argc > 1 ? strtoul(argv[1], NULL, 10) : 20000, duration != NULL ? atof(duration) : 0);
    empty_graves();
    return 0;
}
