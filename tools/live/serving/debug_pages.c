/* Heap profiles come from jemalloc, if the program is linked with it. */
#include "live/serving/debug_pages.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "berth/berth.h"
#include "live/log/log.h"

enum { LEVEL_MAX = 10 };

/* jemalloc's; NULL with another allocator. */
extern __attribute__((weak)) int mallctl(const char *name, void *old, size_t *old_bytes, void *new,
                                         size_t new_bytes);
extern __attribute__((weak)) void malloc_stats_print(void (*write)(void *, const char *),
                                                     void *context, const char *options);

static const char plain_text[] = "text/plain; charset=utf-8";

static debug_page say(unsigned status, const char *text)
{
    return (debug_page){status, plain_text, strdup(text), strlen(text)};
}

/* ---- status and flags ---- */

static debug_page statusz(const debug_facts *facts)
{
    debug_page p = {MHD_HTTP_OK, plain_text, NULL, 0};
    FILE *out = open_memstream(&p.text, &p.length);
    time_t began = (time_t)facts->began_s;
    long up_s = (long)time(NULL) - facts->began_s;
    char date[64];
    struct tm utc;
    if (out == NULL)
        return p;
    strftime(date, sizeof(date), "%a %b %e %H:%M:%S UTC %Y", gmtime_r(&began, &utc));
    fprintf(out,
            "berth run statusz\n"
            "Warning: this page is meant for people; its form may change.\n\n"
            "Started: %s\nUp: %ld hr %02ld min %02ld sec\nBinary version: berth %s\n",
            date, up_s / 3600, up_s / 60 % 60, up_s % 60, berth_version());
    if (facts->rules_minor > 0)
        fprintf(out, "Emulation version: 1.%d\n", facts->rules_minor);
    fputs("Paths: /configz /debug/flags/v /debug/pprof/ /flagz /healthz /livez /metrics "
          "/metrics/slis /readyz /statusz\n",
          out);
    fclose(out);
    return p;
}

static debug_page flagz(const debug_facts *facts)
{
    debug_page p = {MHD_HTTP_OK, plain_text, NULL, 0};
    FILE *out = open_memstream(&p.text, &p.length);
    if (out == NULL)
        return p;
    fprintf(out,
            "berth run flagz\n"
            "Warning: this page is meant for people; its form may change.\n\n%s",
            facts->flags != NULL ? facts->flags : "");
    fclose(out);
    return p;
}

static debug_page verbosity(const char *method, const char *body)
{
    char text[128], *end;
    if (strcmp(method, "PUT") != 0) {
        snprintf(text, sizeof(text), "%d\n", log_level());
        return say(MHD_HTTP_OK, text);
    }
    unsigned long level = strtoul(body, &end, 10);
    end += strspn(end, "\r\n ");
    if (body[0] < '0' || body[0] > '9' || *end != '\0' || level > LEVEL_MAX)
        return say(MHD_HTTP_BAD_REQUEST, "the body is no log level: a number from 0 to 10\n");
    log_set_level((int)level);
    snprintf(text, sizeof(text), "successfully set klog.logging.verbosity to %lu\n", level);
    LOG_INFO(0, "the log level was set over HTTP", "level", body);
    return say(MHD_HTTP_OK, text);
}

/* ---- profiles ---- */

static void write_part(void *context, const char *text)
{
    fputs(text, context);
}

static debug_page heap_statistics(void)
{
    debug_page p = {MHD_HTTP_OK, plain_text, NULL, 0};
    FILE *out = open_memstream(&p.text, &p.length);
    if (out == NULL)
        return p;
    malloc_stats_print(write_part, out, "a");
    fclose(out);
    return p;
}

/* Reads a file into the page. */
static bool read_profile(int fd, debug_page *p)
{
    char part[4096];
    ssize_t count;
    FILE *out = open_memstream(&p->text, &p->length);
    if (out == NULL)
        return false;
    while ((count = read(fd, part, sizeof(part))) > 0)
        fwrite(part, 1, (size_t)count, out);
    fclose(out);
    return count == 0 && p->length > 0;
}

static debug_page heap_profile(void)
{
    debug_page p = {MHD_HTTP_OK, "application/octet-stream", NULL, 0};
    char path[40];
    const char *name = path;
    bool profiles = false;
    size_t bytes = sizeof(profiles);
    if (mallctl("opt.prof", &profiles, &bytes, NULL, 0) != 0 || !profiles)
        return say(MHD_HTTP_NOT_FOUND,
                   "the heap is not profiled: start berth run with MALLOC_CONF=prof:true; "
                   "?debug=1 shows statistics\n");
    const int fd = memfd_create("berth-heap", MFD_CLOEXEC); /* no file system need be writable */
    if (fd < 0)
        return say(MHD_HTTP_INTERNAL_SERVER_ERROR, "there is no memory for the profile\n");
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    bool good = mallctl("prof.dump", NULL, NULL, &name, sizeof(name)) == 0 && read_profile(fd, &p);
    close(fd);
    if (good)
        return p;
    free(p.text);
    return say(MHD_HTTP_INTERNAL_SERVER_ERROR, "the profile can't be written\n");
}

static debug_page heap(bool detailed)
{
    if (mallctl == NULL || malloc_stats_print == NULL)
        return say(MHD_HTTP_NOT_FOUND,
                   "there is no heap profile: this program is not linked with jemalloc\n");
    return detailed ? heap_statistics() : heap_profile();
}

static debug_page profile(const char *name, bool detailed)
{
    if (name[0] == '\0')
        return say(MHD_HTTP_OK,
                   "profiles:\n"
                   "heap: for jeprof and pprof, with MALLOC_CONF=prof:true; ?debug=1: statistics\n"
                   "profile: none; perf record --call-graph fp -p PID profiles the processor\n");
    if (strcmp(name, "heap") == 0)
        return heap(detailed);
    if (strcmp(name, "profile") == 0)
        return say(MHD_HTTP_NOT_FOUND,
                   "the processor is not profiled here: perf record --call-graph fp -p PID does it "
                   "from outside, as the program keeps its frame pointers\n");
    return say(MHD_HTTP_NOT_FOUND, "there is no such profile: that is for programs in Go\n");
}

bool debug_page_takes(const char *method, const char *path)
{
    return strcmp(method, "PUT") == 0 && strcmp(path, "/debug/flags/v") == 0;
}

bool debug_page_is_local(const char *method, const char *path)
{
    return debug_page_takes(method, path) || strcmp(path, "/debug/pprof/heap") == 0;
}

bool debug_page_find(const debug_facts *facts, const char *method, const char *path, bool detailed,
                     const char *body, debug_page *out)
{
    static const char profiles[] = "/debug/pprof/";
    if (strcmp(path, "/statusz") == 0)
        *out = statusz(facts);
    else if (strcmp(path, "/flagz") == 0)
        *out = flagz(facts);
    else if (strcmp(path, "/debug/flags/v") == 0)
        *out = verbosity(method, body);
    else if (!facts->no_profiles && strncmp(path, profiles, strlen(profiles)) == 0)
        *out = profile(path + strlen(profiles), detailed);
    else
        return false;
    return true;
}
