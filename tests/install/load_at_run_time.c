/* Loads libberth.so at run time, uses it and unloads it: on this thread, again, and on another one.
 * The program does not link the library, so that no static TLS is reserved for it beforehand.
 * Usage: load_at_run_time LIBRARY */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <berth/berth.h>

static const char *library_path;

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

/* Stores the library's function with this name in `*slot`, a pointer to a function. */
static void find(void *library, const char *name, void *slot)
{
    void *found = dlsym(library, name);
    if (found == NULL)
        stop(name, dlerror());
    memcpy(slot, &found, sizeof(found));
}

#define FIND(library, name)         \
    __typeof__(&berth_##name) name; \
    find(library, "berth_" #name, &name)

static void *use(void *nothing)
{
    void *library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        stop("dlopen", dlerror());
    FIND(library, engine_config_init_sized);
    FIND(library, engine_create);
    FIND(library, engine_destroy);
    FIND(library, engine_add_node_sized);
    FIND(library, engine_add_pod_sized);
    FIND(library, engine_schedule_sized);

    const berth_resource room[] = {{BERTH_STR("cpu"), {4, 0}}, {BERTH_STR("pods"), {110, 0}}};
    const berth_node node = {.meta = {.name = BERTH_STR("a")}, .allocatable = {room, 2}};
    const berth_pod pod = {
        .meta = {.namespace_name = BERTH_STR("default"), .name = BERTH_STR("p")}};
    berth_engine_config config;
    berth_engine *engine;
    berth_error error = {0};
    berth_placement placement = {0};
    berth_pod_id id;
    engine_config_init_sized(&config, sizeof(config));
    config.threads = 2;
    if (engine_create(&config, &engine, &error) != BERTH_OK ||
        engine_add_node_sized(engine, &node, sizeof(node), NULL, &error) != BERTH_OK ||
        engine_add_pod_sized(engine, &pod, sizeof(pod), &id, &error) != BERTH_OK ||
        engine_schedule_sized(engine, id, &placement, sizeof(placement), &error) != BERTH_OK)
        stop("berth", error.message);
    if (placement.verdict != BERTH_VERDICT_PLACED)
        stop("berth", "the pod was not placed");
    engine_destroy(engine);
    if (dlclose(library) != 0)
        stop("dlclose", dlerror());
    return nothing;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    library_path = argv[1];
    (void)use(NULL);
    (void)use(NULL);
    pthread_t thread;
    if (pthread_create(&thread, NULL, use, NULL) != 0 || pthread_join(thread, NULL) != 0)
        stop("pthread", "no thread");
    puts("loaded three times");
    return 0;
}
