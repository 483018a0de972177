/* Runs a fuzz driver without libFuzzer: every file of the corpus as it is, then RUNS seeded changes
 * to them. An input that breaks the property is left in a file and its name is printed.
 * Usage: fuzz_NAME CORPUS_DIR [RUNS [SEED]], or fuzz_NAME FILE to replay one input. */
#include "fuzz.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 256, INPUT_MAX = 1 << 16 };

typedef struct input {
    uint8_t *bytes;
    size_t size;
} input;

static input corpus[FILES_MAX];
static size_t corpus_count;
static input current; /* the input that is running, for the report of a crash */
static uint64_t state;

/* splitmix64: any seed will do. */
static uint64_t next_random(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static size_t below(size_t bound)
{
    return bound == 0 ? 0 : (size_t)(next_random() % bound);
}

static void *get_memory(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL) {
        perror("malloc");
        exit(3);
    }
    return memory;
}

static void add_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || corpus_count == FILES_MAX) {
        perror(path);
        exit(2);
    }
    input *added = &corpus[corpus_count++];
    added->bytes = get_memory(INPUT_MAX);
    added->size = fread(added->bytes, 1, INPUT_MAX, file);
    fclose(file);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, by_name);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            add_file(path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* A change to `bytes` in place; room for INPUT_MAX. Pieces are taken from the whole corpus, so that
 * the format's words occur in new places. */
static size_t change(uint8_t *bytes, size_t size)
{
    size_t at = below(size + 1);
    const input *other = &corpus[below(corpus_count)];
    size_t from = below(other->size);
    size_t len = 1 + below(32);
    switch (below(6)) {
    case 0:
        if (at < size)
            bytes[at] ^= (uint8_t)(1u << below(8));
        return size;
    case 1:
        if (at < size)
            bytes[at] = (uint8_t)next_random();
        return size;
    case 2: /* cut off the end */
        return at;
    case 3: /* cut out a piece */
        len = len < size - at ? len : size - at;
        memmove(bytes + at, bytes + at + len, size - at - len);
        return size - len;
    case 4: /* insert a piece of the corpus */
        len = len < other->size - from ? len : other->size - from;
        if (size + len > INPUT_MAX)
            return size;
        memmove(bytes + at + len, bytes + at, size - at);
        memcpy(bytes + at, other->bytes + from, len);
        return size + len;
    default: /* overwrite with a piece of the corpus */
        len = len < other->size - from ? len : other->size - from;
        len = len < size - at ? len : size - at;
        memcpy(bytes + at, other->bytes + from, len);
        return size;
    }
}

static void save_input(int signal_number)
{
    char path[64];
    snprintf(path, sizeof(path), "crash-%ld", (long)getpid());
    FILE *file = fopen(path, "wb");
    if (file != NULL) {
        fwrite(current.bytes, 1, current.size, file);
        fclose(file);
        fprintf(stderr, "input left in %s\n", path);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Each input is run from memory of its exact size, so that a sanitizer sees a read past its end. */
static void run(const uint8_t *bytes, size_t size)
{
    current = (input){get_memory(size), size};
    if (size > 0)
        memcpy(current.bytes, bytes, size);
    LLVMFuzzerTestOneInput(current.bytes, size);
    free(current.bytes);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strncmp(argv[1], "--", 2) == 0 && fuzz_self_driven != NULL)
        return fuzz_self_driven(argc, argv);
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: %s CORPUS_DIR [RUNS [SEED]] | FILE\n", argv[0]);
        return 2;
    }
    struct stat info;
    if (stat(argv[1], &info) == 0 && S_ISDIR(info.st_mode))
        add_folder(argv[1]);
    else
        add_file(argv[1]);
    uint64_t runs = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    state = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    printf("corpus %zu files, %" PRIu64 " runs, seed %" PRIu64 "\n", corpus_count, runs, state);

    signal(SIGABRT, save_input);
    signal(SIGSEGV, save_input);
    for (size_t i = 0; i < corpus_count; i++)
        run(corpus[i].bytes, corpus[i].size);
    uint8_t *scratch = get_memory(INPUT_MAX);
    for (uint64_t i = 0; i < runs && corpus_count > 0; i++) {
        const input *base = &corpus[below(corpus_count)];
        size_t size = base->size;
        memcpy(scratch, base->bytes, size);
        for (size_t changes = 1 + below(4); changes > 0; changes--)
            size = change(scratch, size);
        run(scratch, size);
    }
    free(scratch);
    for (size_t i = 0; i < corpus_count; i++)
        free(corpus[i].bytes);
    return corpus_count > 0 ? 0 : 2;
}
