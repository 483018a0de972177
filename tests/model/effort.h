/* How many of its rounds a long test runs: all of them, or a part in a build with a sanitizer,
 * where a round takes ten to thirty times as long. BERTH_TEST_WHOLE in the environment requests all
 * of them; .ci/run --long sets it. A count from the command line is used unchanged. */
#ifndef BERTH_TESTS_EFFORT_H
#define BERTH_TESTS_EFFORT_H

#include <stdlib.h>

/* clang names its sanitizers as features, gcc as macros. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BERTH_TEST_PART 4
#elif __has_feature(address_sanitizer)
#define BERTH_TEST_PART 2
#endif
#elif defined(__SANITIZE_THREAD__)
#define BERTH_TEST_PART 4
#elif defined(__SANITIZE_ADDRESS__)
#define BERTH_TEST_PART 2
#endif
#ifndef BERTH_TEST_PART
#define BERTH_TEST_PART 1
#endif

static inline unsigned long effort(unsigned long rounds)
{
#if BERTH_TEST_PART > 1
    if (getenv("BERTH_TEST_WHOLE") == NULL)
        return (rounds + BERTH_TEST_PART - 1) / BERTH_TEST_PART;
#endif
    return rounds;
}

#endif
