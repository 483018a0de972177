/* A progress bar on standard error, drawn only on a terminal and only for work that takes a
 * while. */
#ifndef BERTH_TOOLS_PROGRESS_H
#define BERTH_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    const char *label;
    uint64_t total; /* 0: unknown */
    uint64_t start_ns;
    uint64_t drawn_ns; /* when it was last drawn; 0: never */
    bool terminal;
} progress;

void progress_start(progress *p, const char *label, uint64_t total);

/* Reads the clock, and draws if it is time. Call it at most once per microsecond. */
void progress_update(progress *p, uint64_t done);

/* Remove any bar from the screen. Call this before writing to the terminal during work; the next
 * update draws the bar again. */
void progress_hide(void);

/* Remove the bar from the screen for good. */
void progress_end(progress *p);

#endif
