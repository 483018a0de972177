/* Finds the versions of kubelets in the text of an input, before the input is parsed. */
#include "loading/cluster_version.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "berth/profile.h"
#include "cli/heap.h"
#include "cli/terminal.h"

/* Text is read in blocks; a version may cross the end of one. */
enum { BLOCK = 1 << 20, OVERLAP = 256 };

static const char field[] = "kubeletVersion";

static void count_version(cluster_version *version, uint32_t minor, uint32_t patch)
{
    uint32_t at = 0;
    while (at < version->count &&
           (version->counts[at].minor != minor || version->counts[at].patch != patch))
        at++;
    if (at == CLUSTER_VERSIONS_MAX)
        return;
    if (at == version->count)
        version->counts[version->count++] = (cluster_version_count){minor, patch, 0};
    version->counts[at].nodes++;
}

static bool number(const char **at, const char *end, uint32_t *out)
{
    const char *begin = *at;
    for (*out = 0; *at < end && **at >= '0' && **at <= '9' && *at - begin < 4; (*at)++)
        *out = *out * 10 + (uint32_t)(**at - '0');
    return *at > begin;
}

/* Reads `": "v1.32.2"` or `: v1.32.2` after the name of the field. */
static void read_version(cluster_version *version, const char *at, const char *end)
{
    uint32_t minor, patch = 0;
    while (at < end && strchr("\": \t\n\r'", *at) != NULL && *at != '\0')
        at++;
    if (end - at < 4 || memcmp(at, "v1.", 3) != 0)
        return;
    at += 3;
    if (!number(&at, end, &minor))
        return;
    if (at < end && *at == '.') {
        at++;
        (void)number(&at, end, &patch);
    }
    count_version(version, minor, patch);
}

/* Looks at all fields that begin before `limit`. */
static void look_at(cluster_version *version, const char *text, size_t limit, size_t size)
{
    for (const char *at = text;;) {
        at = memmem(at, size - (size_t)(at - text), field, sizeof(field) - 1);
        if (at == NULL || (size_t)(at - text) >= limit)
            return;
        at += sizeof(field) - 1;
        read_version(version, at, text + size);
    }
}

static void look_through(cluster_version *version, gzFile file)
{
    char *text = heap_new(BLOCK + OVERLAP, 1);
    size_t kept = 0;
    for (;;) {
        const int got = gzread(file, text + kept, BLOCK);
        const size_t size = kept + (got > 0 ? (size_t)got : 0);
        const bool more = got > 0;
        const size_t limit = more && size > OVERLAP ? size - OVERLAP : size;
        look_at(version, text, more ? limit : size, size);
        if (!more)
            break;
        kept = size - limit;
        memmove(text, text + limit, kept);
    }
    free(text);
}

/* Copies standard input into memory, to be read from there. */
static bool keep_standard_input(void)
{
    const int memory = memfd_create("standard input", MFD_CLOEXEC);
    char *block = heap_new(BLOCK, 1);
    ssize_t got = memory < 0 ? -1 : 0;
    while (memory >= 0 && (got = read(STDIN_FILENO, block, BLOCK)) > 0)
        for (ssize_t done = 0, put; done < got; done += put)
            if ((put = write(memory, block + done, (size_t)(got - done))) <= 0) {
                got = -1;
                break;
            }
    free(block);
    const bool kept = memory >= 0 && got == 0 && lseek(memory, 0, SEEK_SET) == 0 &&
                      dup2(memory, STDIN_FILENO) >= 0;
    if (memory >= 0)
        close(memory);
    return kept;
}

static void look_at_file(cluster_version *version, const char *path)
{
    const bool standard = strcmp(path, "-") == 0;
    if (standard && (isatty(STDIN_FILENO) || !keep_standard_input()))
        return;
    const int file = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return;
    /* A pipe can be read only once. */
    gzFile text = lseek(file, 0, SEEK_CUR) < 0 ? NULL : gzdopen(file, "rb");
    if (text == NULL) {
        close(file);
        return;
    }
    look_through(version, text);
    gzclose(text);
    if (standard)
        lseek(STDIN_FILENO, 0, SEEK_SET);
}

static int newest_first(const void *a, const void *b)
{
    const cluster_version_count *left = a, *right = b;
    if (left->minor != right->minor)
        return left->minor < right->minor ? 1 : -1;
    return left->patch < right->patch ? 1 : left->patch > right->patch ? -1 : 0;
}

/* The nearest minor version that Berth knows. */
static uint32_t nearest(uint32_t minor)
{
    enum { OLDEST = 32, FARTHEST = 999 };
    uint32_t found = minor < OLDEST ? OLDEST : minor < FARTHEST ? minor : FARTHEST;
    while (found > OLDEST && berth_profile_default_of(found) == NULL)
        found--;
    return found;
}

void cluster_version_find(cluster_version *version, const cluster_version_live *live,
                          const text_list *files, engine_setup *setup)
{
    if (live->text != NULL)
        look_at(version, live->text, live->bytes, live->bytes);
    for (size_t i = 0; i < files->count; i++)
        look_at_file(version, files->items[i]);
    if (version->count == 0 && live->text != NULL) {
        read_version(version, live->server, live->server + strlen(live->server));
        version->of_server = version->count > 0;
    }
    if (version->count == 0)
        return;
    qsort(version->counts, version->count, sizeof(*version->counts), newest_first);
    const cluster_version_count *newest = &version->counts[0];
    const uint32_t minor = nearest(newest->minor);
    version->known = minor == newest->minor;
    if (version->known)
        snprintf(version->chosen, sizeof(version->chosen), "1.%" PRIu32 ".%" PRIu32, minor,
                 newest->patch);
    else
        snprintf(version->chosen, sizeof(version->chosen), "1.%" PRIu32, minor);
    if (setup->kubernetes == NULL)
        setup->kubernetes = version->chosen;
}

/* ---- output ---- */

static void say_counts(const cluster_version *version, char *text, size_t size)
{
    size_t at = 0;
    for (uint32_t i = 0; i < version->count && at < size; i++) {
        const cluster_version_count *one = &version->counts[i];
        int len = snprintf(text + at, size - at, "%s%" PRIu64 " of 1.%" PRIu32 ".%" PRIu32,
                           i == 0 ? "" : ", ", one->nodes, one->minor, one->patch);
        at += len > 0 ? (size_t)len : 0;
    }
}

void cluster_version_decides(const engine_setup *setup, char *text, size_t size)
{
    if (setup->kubernetes != NULL)
        snprintf(text, size, "%s", setup->kubernetes + (setup->kubernetes[0] == 'v'));
    else
        snprintf(text, size, "1.%" PRIu32, nearest(UINT32_MAX));
}

void cluster_version_say(const cluster_version *version, const engine_setup *setup, char *text,
                         size_t size, char *warning, size_t warning_size)
{
    char counts[256] = "", decides[32];
    const bool chosen = version->count > 0 && setup->kubernetes == version->chosen;
    cluster_version_decides(setup, decides, sizeof(decides));
    say_counts(version, counts, sizeof(counts));
    warning[0] = '\0';
    if (version->count == 0)
        snprintf(text, size, "kube-scheduler %s%s", decides,
                 setup->kubernetes == NULL ? ", because no node reports its version" : "");
    else if (chosen && version->count == 1)
        snprintf(text, size, "kube-scheduler %s, the version of the %s", decides,
                 version->of_server ? "API server" : "nodes");
    else if (version->of_server)
        snprintf(text, size, "kube-scheduler %s (API server: 1.%" PRIu32 ".%" PRIu32 ")", decides,
                 version->counts[0].minor, version->counts[0].patch);
    else
        snprintf(text, size, "kube-scheduler %s (nodes: %s)", decides, counts);
    if (!chosen || version->count == 0)
        return;
    if (!version->known && version->of_server)
        snprintf(warning, warning_size,
                 "the API server runs an unknown version (1.%" PRIu32 ".%" PRIu32
                 "): kube-scheduler %s decides, the nearest known one",
                 version->counts[0].minor, version->counts[0].patch, decides);
    else if (!version->known)
        snprintf(warning, warning_size,
                 "the nodes run an unknown version (%s): kube-scheduler %s decides, the nearest "
                 "known one",
                 counts, decides);
    else if (version->counts[version->count - 1].minor != version->counts[0].minor)
        snprintf(warning, warning_size,
                 "the nodes run several versions (%s): kube-scheduler %s decides, the newest",
                 counts, decides);
}

void cluster_version_print(const cluster_version *version, const engine_setup *setup, FILE *file)
{
    char text[512], warning[512];
    cluster_version_say(version, setup, text, sizeof(text), warning, sizeof(warning));
    fputs("\nDecided by   ", file);
    terminal_wrap(file, text, strlen(text), 13, 15);
    fputc('\n', file);
}
