/* The progress bar on standard error. The bar appears after half a second and is redrawn ten times
 * a second, so short work shows none. */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/stopwatch.h"
#include "cli/verbosity.h"

enum { BAR_CELLS = 30 };

#define APPEAR_NS UINT64_C(500000000)
#define REDRAW_NS UINT64_C(100000000)

/* Whether a bar is on the screen; it is removed before anything else is printed. */
static bool on_screen;

void progress_hide(void)
{
    if (!on_screen)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    on_screen = false;
}

void progress_start(progress *p, const char *label, uint64_t total)
{
    *p = (progress){.label = label,
                    .total = total,
                    .terminal = !verbosity_quiet() && isatty(STDERR_FILENO) != 0};
    if (p->terminal)
        p->start_ns = stopwatch_clock_ns();
}

void progress_update(progress *p, uint64_t done)
{
    if (!p->terminal)
        return;
    uint64_t now = stopwatch_clock_ns();
    if (now - p->start_ns < APPEAR_NS || now - p->drawn_ns < REDRAW_NS)
        return;
    p->drawn_ns = now;
    on_screen = true;
    if (p->total == 0) {
        fprintf(stderr, "\r%s %llu\033[K", p->label, (unsigned long long)done);
        fflush(stderr);
        return;
    }
    double part = done < p->total ? (double)done / (double)p->total : 1.0;
    double seconds = (double)(now - p->start_ns) / 1e9;
    char bar[BAR_CELLS + 1];
    for (int i = 0; i < BAR_CELLS; i++)
        bar[i] = (double)i < part * BAR_CELLS ? '#' : '.';
    bar[BAR_CELLS] = '\0';
    fprintf(stderr, "\r%s [%s] %3.0f%%", p->label, bar, part * 100.0);
    if (part > 0.01)
        fprintf(stderr, " %.0f s left", seconds / part - seconds);
    fputs("\033[K", stderr);
    fflush(stderr);
}

void progress_end(progress *p)
{
    if (p->terminal && p->drawn_ns != 0)
        progress_hide();
}
