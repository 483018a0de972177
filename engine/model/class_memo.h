/* Classes of replicas (replica_hint.h), by their serial: one place for each, the later one
 * wins. A memo holds no use of a class; it is void as soon as any class has gone.
 * Threads: under the model's lock. */
#ifndef BERTH_MODEL_CLASS_MEMO_H
#define BERTH_MODEL_CLASS_MEMO_H

#include "base/memory.h"
#include "berth/objects.h"

struct berth__class;
typedef struct berth__class_note berth__class_note;

typedef struct berth__class_memo {
    berth__class_note *notes; /* by the low bits of the serial */
    uint32_t capacity;        /* 0 or a power of two */
    uint64_t classes_gone;
} berth__class_memo;

void berth__class_memo_destroy(berth__class_memo *memo, const berth_allocator *allocator);

/* The class of that pod if it is a replica whose class is known, or NULL. */
struct berth__class *berth__class_recall(const berth__class_memo *memo, const berth_pod *pod);

/* Remember the class if the pod is a replica. Without memory for it nothing is remembered. */
void berth__class_remember(berth__class_memo *memo, const berth_allocator *allocator,
                           const berth_pod *pod, struct berth__class *cls);

/* A class is being freed. */
static inline void berth__class_memo_void(berth__class_memo *memo)
{
    memo->classes_gone++;
}

#endif
