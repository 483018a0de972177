/* Fuzz drivers: each fuzz_NAME.c defines a property as one function over bytes. It is driven by
 * libFuzzer, or by fuzz_main.c from the files of corpus/NAME and seeded changes to them. */
#ifndef BERTH_TESTS_FUZZ_H
#define BERTH_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns 0; a broken property aborts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Defined by drivers that need no corpus: handles their own arguments, which all begin with --. */
int fuzz_self_driven(int argc, char **argv) __attribute__((weak));

#define FUZZ_CHECK(expression)                                                              \
    do {                                                                                    \
        if (!(expression)) {                                                                \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #expression); \
            abort();                                                                        \
        }                                                                                   \
    } while (0)

#endif
