/* Linked into a test, this makes engines sweep at every opportunity (model/sweep.h). */
#include <stdbool.h>

extern bool berth__sweep_always;

__attribute__((constructor)) static void sweep_always(void)
{
    berth__sweep_always = true;
}
