/* A model for tests of interned things; each test ends with no class and no part in use. */
#ifndef BERTH_TESTS_UNIT_ONE_MODEL_H
#define BERTH_TESTS_UNIT_ONE_MODEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/pod_class.h"

static berth__model model;

static int model_set_up(void **state)
{
    (void)state;
    return berth__model_init(&model, berth__allocator_default(), NULL) == BERTH_OK ? 0 : -1;
}

static int model_tear_down(void **state)
{
    (void)state;
    int left = (int)(model.class_count + model.classes.count + model.parts.count);
    berth__model_destroy(&model);
    return left;
}

static inline berth__class *class_of(const berth_pod *pod)
{
    berth__class *cls;
    berth_error error;
    if (berth__class_of(&model, pod, &cls, &error) != BERTH_OK)
        fail_msg("%s: %s", error.field, error.message);
    return cls;
}

#endif
