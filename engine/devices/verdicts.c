/* Verdicts of selectors on devices. */
#include "devices/verdicts.h"

#include <string.h>

berth_status berth__verdicts_init(berth__verdicts *verdicts, berth__model *model)
{
    verdicts->model = model;
    berth__cel_room_init(&verdicts->room, model->allocator);
    berth__arena_init(&verdicts->arena, model->allocator);
    berth__arena_init_sized(&verdicts->scratch, model->allocator, 4096);
    return berth__keymap_init(&verdicts->programs, model->allocator);
}

static void free_program(const berth_allocator *allocator, berth__device_program *program)
{
    berth__cel_destroy(program->cel);
    berth__free(allocator, program->text, program->text_bytes + 1);
    berth__free(allocator, program->by_content, program->content_capacity);
    berth__free(allocator, program, sizeof(*program));
}

static void free_programs(berth__verdicts *verdicts)
{
    if (verdicts->programs.buckets == NULL)
        return;
    for (uint32_t b = 0; b < verdicts->programs.bucket_count; b++) {
        for (berth__keymap_entry *entry = verdicts->programs.buckets[b], *next; entry != NULL;
             entry = next) {
            void *program = entry;
            next = entry->next;
            free_program(verdicts->model->allocator, program);
        }
        verdicts->programs.buckets[b] = NULL;
    }
    verdicts->programs.count = 0;
}

void berth__verdicts_destroy(berth__verdicts *verdicts)
{
    if (verdicts->model == NULL)
        return;
    free_programs(verdicts);
    if (verdicts->programs.allocator != NULL)
        berth__keymap_destroy(&verdicts->programs);
    berth__cel_room_destroy(&verdicts->room);
    berth__arena_destroy(&verdicts->arena);
    berth__arena_destroy(&verdicts->scratch);
}

void berth__verdicts_follow(berth__verdicts *verdicts, const berth__catalog *catalog)
{
    verdicts->numbering = catalog->numbering;
    if (verdicts->closings == catalog->closings)
        return;
    verdicts->closings = catalog->closings;
    berth__arena_reset(&verdicts->arena);
}

void berth__verdicts_trim(berth__verdicts *verdicts)
{
    if (verdicts->programs.count > BERTH__PROGRAMS_MAX)
        free_programs(verdicts);
}

static berth__device_program *make(berth__verdicts *verdicts, berth_str text)
{
    const berth_allocator *allocator = verdicts->model->allocator;
    berth__device_program *program = berth__alloc_zero(allocator, sizeof(*program), 16);
    if (program == NULL)
        return NULL;
    program->text_bytes = text.len;
    program->text = berth__alloc(allocator, (size_t)text.len + 1, 1);
    const berth__cel_release release =
        verdicts->model->behaviours.cel_of_1_37 ? BERTH__CEL_1_37 : BERTH__CEL_1_36;
    if (program->text == NULL ||
        berth__cel_compile(allocator, release, text, &program->cel) != BERTH_OK) {
        free_program(allocator, program);
        return NULL;
    }
    if (text.len > 0)
        memcpy(program->text, text.data, text.len);
    program->entry.key = program->text;
    program->entry.key_bytes = text.len;
    berth__keymap_add(&verdicts->programs, &program->entry);
    return program;
}

berth__device_program *berth__device_program_get(berth__verdicts *verdicts, berth__sym expression)
{
    berth_str text = berth__text(verdicts->model, expression);
    void *found = berth__keymap_find(&verdicts->programs, text.len > 0 ? text.data : "", text.len);
    return found != NULL ? found : make(verdicts, text);
}

/* Bring a program up to date with the catalog, with room for the verdict on that content. */
static bool follow(berth__verdicts *verdicts, berth__device_program *program, uint32_t content)
{
    uint32_t before = program->numbering == verdicts->numbering ? program->content_capacity : 0;
    if (!berth__grow(verdicts->model->allocator, &program->by_content, &program->content_capacity,
                     content + 1, 1))
        return false;
    if (before < program->content_capacity)
        memset(program->by_content + before, BERTH__VERDICT_UNKNOWN,
               program->content_capacity - before);
    program->numbering = verdicts->numbering;
    if (program->likeness != NULL && program->closings == verdicts->closings)
        return true;
    program->closings = verdicts->closings;
    program->likeness = berth__arena_alloc_zero(
        &verdicts->arena, BERTH__LIKENESS_BUCKETS * sizeof(*program->likeness), 8);
    return program->likeness != NULL;
}

/* ---- a device as expressions see it ---- */

static berth_str domain_of(const berth__model *model, berth__device_name name, berth_str driver)
{
    return name.domain != 0 ? berth__text(model, name.domain) : driver;
}

static bool describe(const berth__model *model, berth__arena *arena, const berth__offer *offer,
                     berth__cel_device *out)
{
    static const berth__cel_attribute_kind KINDS[] = {
        [BERTH__ATTRIBUTE_INT] = BERTH__CEL_INT,
        [BERTH__ATTRIBUTE_BOOL] = BERTH__CEL_BOOL,
        [BERTH__ATTRIBUTE_STRING] = BERTH__CEL_STRING,
        [BERTH__ATTRIBUTE_VERSION] = BERTH__CEL_VERSION,
        [BERTH__ATTRIBUTE_UNSUPPORTED] = BERTH__CEL_UNSUPPORTED,
    };
    const berth__device *device = offer->device;
    berth_str driver = berth__text(model, offer->slice->facts->driver);
    berth__cel_attribute *attributes =
        berth__arena_alloc(arena, (device->attribute_count + 1) * sizeof(*attributes), 16);
    berth__cel_capacity *capacities =
        berth__arena_alloc(arena, (device->capacity_count + 1) * sizeof(*capacities), 16);
    if (attributes == NULL || capacities == NULL)
        return false;
    for (uint32_t i = 0; i < device->attribute_count; i++) {
        const berth__device_attribute *from = &device->attributes[i];
        attributes[i] = (berth__cel_attribute){
            .domain = domain_of(model, from->name, driver),
            .id = berth__text(model, from->name.id),
            .bare = from->name.domain == 0,
            .kind = KINDS[from->kind],
            .number = from->number,
            .text = from->text != 0 ? berth__text(model, from->text) : (berth_str){0},
        };
    }
    for (uint32_t i = 0; i < device->capacity_count; i++)
        capacities[i] = (berth__cel_capacity){
            .domain = domain_of(model, device->capacities[i].name, driver),
            .id = berth__text(model, device->capacities[i].name.id),
            .nanos = device->capacities[i].value,
        };
    *out = (berth__cel_device){
        .driver = driver,
        .allow_multiple = device->allow_multiple,
        .attributes = attributes,
        .attribute_count = device->attribute_count,
        .capacities = capacities,
        .capacity_count = device->capacity_count,
    };
    return true;
}

/* ---- evaluating ---- */

static berth__device_likeness *find_alike(berth__verdicts *verdicts, berth__arena *arena,
                                          const berth__device_program *program, uint64_t hash,
                                          const berth__cel_device *device, bool *ok)
{
    berth__device_likeness *alike = program->likeness[hash % BERTH__LIKENESS_BUCKETS];
    for (; alike != NULL; alike = alike->next) {
        berth__cel_device other;
        if (alike->hash != hash)
            continue;
        if (!describe(verdicts->model, arena, alike->offer, &other)) {
            *ok = false;
            return NULL;
        }
        if (berth__cel_alike(program->cel, device, &other))
            return alike;
    }
    return NULL;
}

static berth__device_verdict evaluate(berth__verdicts *verdicts,
                                      const berth__device_program *program,
                                      const berth__cel_device *device, bool *ok)
{
    berth_str error = {0};
    verdicts->asked++;
    switch (berth__cel_evaluate(program->cel, device, &verdicts->room, &error)) {
    case BERTH__CEL_FALSE:
        return BERTH__VERDICT_NO;
    case BERTH__CEL_TRUE:
        return BERTH__VERDICT_YES;
    case BERTH__CEL_NO_MEMORY:
        *ok = false;
        return BERTH__VERDICT_UNKNOWN;
    case BERTH__CEL_COMPILE_ERROR:
    case BERTH__CEL_RUNTIME_ERROR:
        break;
    }
    return BERTH__VERDICT_FAILED;
}

static berth__device_verdict ask_anew(berth__verdicts *verdicts, berth__device_program *program,
                                      const berth__offer *offer, bool *ok)
{
    berth__arena *local = &verdicts->scratch;
    berth__cel_device device;
    berth__device_verdict verdict = BERTH__VERDICT_UNKNOWN;
    berth__arena_reset(local);
    if (!describe(verdicts->model, local, offer, &device)) {
        *ok = false;
        return verdict;
    }
    uint64_t hash = berth__cel_hash(program->cel, &device);
    const berth__device_likeness *alike = find_alike(verdicts, local, program, hash, &device, ok);
    if (alike != NULL)
        verdict = alike->verdict;
    else if (*ok)
        verdict = evaluate(verdicts, program, &device, ok);
    if (alike != NULL || !*ok)
        return verdict;
    berth__device_likeness *added = berth__arena_alloc(&verdicts->arena, sizeof(*added), 8);
    if (added != NULL) { /* otherwise equal devices are evaluated again */
        berth__device_likeness **bucket = &program->likeness[hash % BERTH__LIKENESS_BUCKETS];
        *added = (berth__device_likeness){*bucket, hash, offer, verdict};
        *bucket = added;
    }
    return verdict;
}

berth__device_verdict berth__device_program_ask(berth__verdicts *verdicts,
                                                berth__device_program *program,
                                                const berth__offer *offer, bool *ok)
{
    if (!follow(verdicts, program, offer->content)) {
        *ok = false;
        return BERTH__VERDICT_UNKNOWN;
    }
    if (program->by_content[offer->content] == BERTH__VERDICT_UNKNOWN)
        program->by_content[offer->content] = (uint8_t)ask_anew(verdicts, program, offer, ok);
    return (berth__device_verdict)program->by_content[offer->content];
}

berth_str berth__device_program_problem(berth__verdicts *verdicts, berth__device_program *program,
                                        const berth__offer *offer)
{
    berth_str out = {0};
    berth_str error = {0};
    berth__cel_device device;
    berth__arena_reset(&verdicts->scratch);
    if (describe(verdicts->model, &verdicts->scratch, offer, &device)) {
        berth__cel_verdict verdict =
            berth__cel_evaluate(program->cel, &device, &verdicts->room, &error);
        if (verdict == BERTH__CEL_COMPILE_ERROR || verdict == BERTH__CEL_RUNTIME_ERROR)
            out = berth__device_text(&verdicts->arena, "CEL %s error: %.*s",
                                     verdict == BERTH__CEL_COMPILE_ERROR ? "compile" : "runtime",
                                     (int)error.len, error.data);
    }
    return out;
}
