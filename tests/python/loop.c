/* The loop with which test_speed.py compares batches: places pods like "plain" and "other" of a
 * cluster in turn and prints the processor's microseconds for each, the best of some batches.
 * Usage: python_loop CLUSTER BATCH ROUNDS */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <berth/berth.h>

static void require(berth_status status, const berth_error *error)
{
    char text[1024];
    if (status == BERTH_OK)
        return;
    berth_error_format(error, text, sizeof(text));
    fprintf(stderr, "python_loop: %s\n", text);
    exit(1);
}

static berth_status on_object(void *engine, const berth_object *object, const berth_error *origin,
                              berth_error *error)
{
    (void)origin;
    return berth_engine_add(engine, object, NULL, error);
}

static void load(berth_engine *engine, const char *path)
{
    const berth_read_options options = {.size = sizeof(options), .apply_defaults = true};
    berth_error error;
    berth_reader *reader;
    require(berth_reader_create(&options, &reader, &error), &error);
    require(berth_reader_file(reader, path, on_object, engine, &error), &error);
    berth_reader_destroy(reader);
}

static void add(berth_engine *engine, const char *kind, int round, int count, berth_pod_id *pods)
{
    const berth_str of = {kind, 5}; /* both names have the same length */
    const berth_pod_id like = berth_engine_find_pod(engine, BERTH_STR("default"), of);
    for (int i = 0; i < count; i++) {
        char name[64];
        const int length = snprintf(name, sizeof(name), "x-%s-%d-%d", kind, round, i);
        const berth_str text = {name, (uint32_t)length};
        berth_error error;
        require(berth_engine_add_like(engine, like, text, &pods[i], &error), &error);
    }
}

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
    const int batch = argc == 4 ? atoi(argv[2]) : 0, rounds = argc == 4 ? atoi(argv[3]) : 0;
    berth_pod_id *pods = calloc((size_t)batch + 1, sizeof(*pods));
    if (batch <= 0 || pods == NULL)
        return 2;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    berth_error error;
    berth_engine *engine;
    require(berth_engine_create(&config, &engine, &error), &error);
    load(engine, argv[1]);
    double best = 1e9;
    for (int round = 0; round < rounds; round++) {
        add(engine, "plain", round, batch / 2, pods);
        add(engine, "other", round, batch / 2, pods + batch / 2);
        const double start = now_us();
        for (int i = 0; i < batch; i++) {
            berth_placement placement;
            require(berth_engine_schedule(engine, pods[i], &placement, &error), &error);
        }
        const double each = (now_us() - start) / batch;
        best = each < best ? each : best;
    }
    printf("%.3f\n", best);
    berth_engine_destroy(engine);
    free(pods);
    return 0;
}
