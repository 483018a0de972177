/* Reading and filling public structs whose size differs from this library's. */
#include "base/sized.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"

/* Every struct is far smaller; a larger size was read from uninitialised memory. */
enum { SIZE_MAX_SANE = 4096 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

void berth__sized_init(void *caller, size_t size, const void *defaults, size_t known)
{
    uint32_t stated = (uint32_t)size;
    memset(caller, 0, size);
    memcpy(caller, defaults, smaller(size, known));
    memcpy(caller, &stated, smaller(size, sizeof(stated)));
}

static bool all_zero(const unsigned char *bytes, size_t count)
{
    while (count > 0 && bytes[count - 1] == 0)
        count--;
    return count == 0;
}

berth_status berth__sized_check(const void *caller, const char *name, berth_error *error)
{
    uint32_t size;
    memcpy(&size, caller, sizeof(size));
    if (size >= sizeof(size) && size <= SIZE_MAX_SANE)
        return BERTH_OK;
    return berth__error_set(error, BERTH_E_ARG,
                            "%s.size is %u: the caller sets it to the sizeof of the struct", name,
                            (unsigned)size);
}

void berth__sized_write(void *caller, const void *own, size_t known)
{
    uint32_t size;
    memcpy(&size, caller, sizeof(size));
    memset(caller, 0, size);
    memcpy(caller, own, smaller(size, known));
    memcpy(caller, &size, sizeof(size));
}

berth_status berth__sized_read(void *out, size_t known, const void *caller, const char *name,
                               berth_error *error)
{
    uint32_t size, own;
    memcpy(&size, caller, sizeof(size));
    memcpy(&own, out, sizeof(own));
    if (size < sizeof(size) || size > SIZE_MAX_SANE)
        return berth__error_set(error, BERTH_E_ARG,
                                "%s.size is %u: it is the sizeof of the struct, as %s_init sets it",
                                name, (unsigned)size, name);
    if (size > known && !all_zero((const unsigned char *)caller + known, size - known))
        return berth__error_set(error, BERTH_E_ARG,
                                "%s has members set that this library does not know: it knows %u "
                                "bytes of %u",
                                name, (unsigned)known, (unsigned)size);
    memcpy(out, caller, smaller(size, known));
    memcpy(out, &own, sizeof(own));
    return BERTH_OK;
}

berth_status berth__sized_take(void *out, size_t known, const void *caller, size_t size,
                               const char *name, berth_error *error)
{
    if (size > SIZE_MAX_SANE)
        return berth__error_set(error, BERTH_E_ARG, "the size of a %s is %zu", name, size);
    if (size > known && !all_zero((const unsigned char *)caller + known, size - known))
        return berth__error_set(error, BERTH_E_ARG,
                                "the %s has members set that this library does not know: it knows "
                                "%zu bytes of %zu",
                                name, known, size);
    memset(out, 0, known);
    memcpy(out, caller, smaller(size, known));
    return BERTH_OK;
}

void berth__sized_give(void *caller, size_t size, const void *own, size_t known)
{
    memcpy(caller, own, smaller(size, known));
    if (size > known)
        memset((char *)caller + known, 0, size - known);
}

void berth__sized_give_at(void *array, uint64_t i, size_t size, const void *own, size_t known)
{
    berth__sized_give((char *)array + i * size, size, own, known);
}
