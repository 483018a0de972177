/* Maps a template's id to its pod class: a direct-mapped table. When two ids in use collide, the
 * table grows and forgets its contents. */
#include "model/class_memo.h"

enum { NOTES_MIN = 64, NOTES_MAX = 4096 };

struct berth__class_note {
    uint64_t template_id;  /* 0: free */
    uint64_t classes_gone; /* the memo's count when the note was made */
    struct berth__class *cls;
};

void berth__class_memo_destroy(berth__class_memo *memo, const berth_allocator *allocator)
{
    berth__free(allocator, memo->notes, memo->capacity * sizeof(*memo->notes));
    *memo = (berth__class_memo){0};
}

/* Ids may be consecutive numbers or addresses, so their bits are mixed. */
static berth__class_note *note_at(const berth__class_memo *memo, uint64_t template_id)
{
    uint64_t mixed = template_id * UINT64_C(0x9e3779b97f4a7c15);
    return &memo->notes[mixed >> 32 & (memo->capacity - 1)];
}

static bool is_valid(const berth__class_memo *memo, const berth__class_note *note)
{
    return note->template_id != 0 && note->classes_gone == memo->classes_gone;
}

struct berth__class *berth__class_recall(const berth__class_memo *memo, const berth_pod *pod)
{
    uint64_t id = pod->template_id;
    if (id == 0 || memo->capacity == 0)
        return NULL;
    const berth__class_note *note = note_at(memo, id);
    return note->template_id == id && is_valid(memo, note) ? note->cls : NULL;
}

/* Returns false, with nothing changed, when out of memory. */
static bool grow(berth__class_memo *memo, const berth_allocator *allocator)
{
    uint32_t capacity = memo->capacity == 0 ? NOTES_MIN : memo->capacity * 2;
    berth__class_note *notes = berth__alloc_zero(allocator, capacity * sizeof(*notes), 64);
    if (notes == NULL)
        return false;
    berth__free(allocator, memo->notes, memo->capacity * sizeof(*notes));
    memo->notes = notes;
    memo->capacity = capacity;
    return true;
}

/* Whether pods of one template differ because something is named after the pod: an ephemeral
 * volume's claim, or what prevents the pod from getting its devices. */
static bool is_named_after(const berth_pod *pod)
{
    if (pod->resource_claim_count > 0)
        return true;
    for (uint32_t i = 0; i < pod->volume_count; i++)
        if (pod->volumes[i].source.kind == BERTH_VOLUME_EPHEMERAL)
            return true;
    return false;
}

void berth__class_remember(berth__class_memo *memo, const berth_allocator *allocator,
                           const berth_pod *pod, struct berth__class *cls)
{
    uint64_t id = pod->template_id;
    if (id == 0 || is_named_after(pod))
        return;
    bool full = memo->capacity == 0 || is_valid(memo, note_at(memo, id));
    if (full && memo->capacity < NOTES_MAX && !grow(memo, allocator) && memo->capacity == 0)
        return;
    *note_at(memo, id) = (berth__class_note){id, memo->classes_gone, cls};
}
