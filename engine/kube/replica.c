/* Replicas: the finished pods of patterns, with defaults applied and everything in place except the
 * words of the gaps. They are kept by the pattern's place; another pattern in that place has
 * another serial. */
#include "kube/reader_state.h"

#include <stdatomic.h>
#include <string.h>

#include "objects/object_copy.h"

struct berth__replica {
    uint64_t serial;         /* 0: none */
    uint64_t classes_learnt; /* when it was kept; defaults depend on classes */
    berth_pod *pod;
    berth__arena arena;
};

static void drop(berth__replica *replica)
{
    if (replica->serial != 0)
        berth__arena_destroy(&replica->arena);
    *replica = (berth__replica){0};
}

void berth__replicas_free(berth_reader *reader)
{
    for (uint32_t i = 0; i < reader->replica_count; i++)
        drop(&reader->replicas[i]);
    berth__free(reader->allocator, reader->replicas,
                reader->replica_capacity * sizeof(*reader->replicas));
}

/* An empty place for a pattern; NULL when out of memory. */
static berth__replica *make_place(berth_reader *reader, uint32_t place)
{
    if (!berth__grow(reader->allocator, &reader->replicas, &reader->replica_capacity, place + 1,
                     sizeof(*reader->replicas)))
        return NULL;
    while (reader->replica_count <= place)
        reader->replicas[reader->replica_count++] = (berth__replica){0};
    drop(&reader->replicas[place]);
    return &reader->replicas[place];
}

/* Copy into an arena that has just enough room: there may be many. A first attempt measures the
 * size. */
static bool copy_exactly(berth_reader *reader, const berth_object *object, berth__arena *arena,
                         berth_object *out)
{
    berth__arena_reset(&reader->pod);
    if (berth__object_copy_into(&reader->pod, object, out) != BERTH_OK)
        return false;
    berth__arena_init_sized(arena, reader->allocator, berth__arena_used_bytes(&reader->pod));
    if (berth__object_copy_into(arena, object, out) == BERTH_OK)
        return true;
    berth__arena_destroy(arena);
    return false;
}

/* A new id for each finished pod that is kept: the same text may be finished differently later. */
static uint64_t next_template_id(void)
{
    static atomic_uint_least64_t last; /* sync: atomic, relaxed */
    /* Relaxed: callers need different numbers, and no order. */
    return BERTH_TEMPLATE_OF_READER + atomic_fetch_add_explicit(&last, 1, memory_order_relaxed);
}

void berth__replica_keep(berth_reader *reader, const berth_object *object)
{
    berth__pattern_id id = reader->registering;
    berth_object copy;
    reader->registering = (berth__pattern_id){0};
    if (id.serial == 0 || object->kind != BERTH_KIND_POD)
        return;
    berth__replica *replica = make_place(reader, id.place);
    if (replica == NULL)
        return;
    if (!copy_exactly(reader, object, &replica->arena, &copy))
        return;
    replica->serial = id.serial;
    replica->classes_learnt = reader->classes_learnt;
    memcpy(&replica->pod, &copy.as.any, sizeof(replica->pod)); /* our own copy: removes the const */
    replica->pod->template_id = next_template_id();
}

static void fill_gap(berth_str word, berth_str *out)
{
    if (word.data != NULL)
        *out = word;
}

berth_pod *berth__replica_of(const berth_reader *reader, const berth__ready_piece *ready)
{
    berth__pattern_id id = ready->pattern;
    if (!ready->is_replica || id.place >= reader->replica_count)
        return NULL;
    const berth__replica *replica = &reader->replicas[id.place];
    if (replica->serial != id.serial || replica->classes_learnt != reader->classes_learnt)
        return NULL;
    fill_gap(ready->gaps.word[BERTH__GAP_NAME], &replica->pod->meta.name);
    fill_gap(ready->gaps.word[BERTH__GAP_UID], &replica->pod->meta.uid);
    fill_gap(ready->gaps.word[BERTH__GAP_NODE], &replica->pod->node_name);
    return replica->pod;
}
