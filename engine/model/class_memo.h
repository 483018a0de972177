/* Remembers the classes of pods by template_id (berth/objects.h), one class for each id; a later
 * class replaces an earlier one. A memo holds no use of a class, so all of it becomes invalid as
 * soon as any class is freed.
 * Threads: under the model's lock. */
#ifndef BERTH_MODEL_CLASS_MEMO_H
#define BERTH_MODEL_CLASS_MEMO_H

#include "base/memory.h"
#include "berth/objects.h"

struct berth__class;
typedef struct berth__class_note berth__class_note;

typedef struct berth__class_memo {
    berth__class_note *notes; /* by hash of the id */
    uint32_t capacity;        /* 0 or a power of two */
    uint64_t classes_gone;
} berth__class_memo;

void berth__class_memo_destroy(berth__class_memo *memo, const berth_allocator *allocator);

/* The class that was remembered for the pod's template, or NULL. The caller must check that the pod
 * keeps the template's promise. */
struct berth__class *berth__class_recall(const berth__class_memo *memo, const berth_pod *pod);

/* Remember the class if the pod has a template. Does nothing when out of memory. */
void berth__class_remember(berth__class_memo *memo, const berth_allocator *allocator,
                           const berth_pod *pod, struct berth__class *cls);

/* A class is being freed. */
static inline void berth__class_memo_void(berth__class_memo *memo)
{
    memo->classes_gone++;
}

#endif
