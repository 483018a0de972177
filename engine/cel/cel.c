/* Compiles an expression and evaluates it for a device. */
#include "cel/cel.h"

#include "cel/checker.h"
#include "cel/compiled.h"
#include "cel/evaluate.h"
#include "cel/literals.h"
#include "cel/regex.h"

/* ---- compiling ---- */

static berth_status compile(berth__cel *cel, berth_str text)
{
    bool fine = true;
    berth__cel_source *source =
        berth__arena_alloc_zero(&cel->arena, sizeof(*source), _Alignof(berth__cel_source));
    berth_str copy = berth__arena_str(&cel->arena, text.data != NULL ? text : BERTH_STR(""), &fine);
    if (source == NULL || !fine)
        return BERTH_E_NOMEM;
    *source = (berth__cel_source){.arena = &cel->arena, .release = cel->release, .text = copy};
    berth__cel_node *root = berth__cel_parse(source);
    if (root != NULL)
        cel->problem = berth__cel_check(source, cel->allocator, root);
    if (source->fault_count == 0 && cel->problem.len == 0 && root != NULL && !source->no_memory) {
        berth_status status = berth__cel_literals_prepare(cel, source, root);
        if (status != BERTH_OK)
            return status;
    }
    if (source->fault_count > 0 && !source->no_memory)
        cel->problem = berth__cel_faults_text(source);
    cel->root = root;
    cel->slot_count = source->slot_count;
    if (source->no_memory || cel->problem.len > 0)
        return source->no_memory ? BERTH_E_NOMEM : BERTH_OK;
    cel->reads = berth__cel_reads_of(&cel->arena, root, &cel->read_count);
    return cel->reads == NULL ? BERTH_E_NOMEM : BERTH_OK;
}

berth_status berth__cel_compile(const berth_allocator *allocator, berth__cel_release release,
                                berth_str text, berth__cel **out)
{
    berth__cel *cel = berth__alloc_zero(allocator, sizeof(*cel), _Alignof(berth__cel));
    if (cel == NULL)
        return BERTH_E_NOMEM;
    cel->allocator = allocator;
    cel->release = release;
    berth__arena_init(&cel->arena, allocator);
    berth_status status = BERTH_OK;
    if (text.len > BERTH__CEL_TEXT_MAX)
        cel->problem = BERTH_STR("compilation failed: expression is longer than 10240 bytes");
    else
        status = compile(cel, text);
    if (status != BERTH_OK) {
        berth__cel_destroy(cel);
        return status;
    }
    *out = cel;
    return BERTH_OK;
}

void berth__cel_destroy(berth__cel *cel)
{
    if (cel == NULL)
        return;
    for (uint32_t i = 0; i < cel->pattern_count; i++)
        berth__cel_pattern_destroy(cel->patterns[i]);
    berth__arena_destroy(&cel->arena);
    berth__free(cel->allocator, cel, sizeof(*cel));
}

berth_str berth__cel_problem(const berth__cel *cel)
{
    return cel->problem;
}

/* ---- a device as a value ---- */

static void put(berth__cel_value map, berth_str key, berth__cel_value value)
{
    berth__cel_map *into = map.map;
    for (uint32_t i = 0; i < into->count; i++) {
        if (berth__str_eq(into->entries[i].key.text, key)) {
            into->entries[i].value = value;
            return;
        }
    }
    into->entries[into->count++] = (berth__cel_entry){berth__cel_string(key), value};
}

static berth__cel_value empty_map(berth__cel_run *run, uint32_t capacity)
{
    berth__cel_value map = berth__cel_map_make(run, capacity);
    if (!berth__cel_failed(map))
        map.map->count = 0;
    return map;
}

static berth__cel_value attribute(berth__cel_run *run, const berth__cel_attribute *a)
{
    switch (a->kind) {
    case BERTH__CEL_INT:
        return berth__cel_int(a->number);
    case BERTH__CEL_BOOL:
        return berth__cel_bool(a->number != 0);
    case BERTH__CEL_STRING:
        return berth__cel_string(a->text);
    case BERTH__CEL_VERSION:
        return berth__cel_semver_parse(run, a->text);
    default:
        return berth__cel_error(run, "unsupported attribute value");
    }
}

static berth__cel_value named_error(berth__cel_run *run, const berth__cel_attribute *a,
                                    berth__cel_value error)
{
    int domain = a->bare ? 0 : (int)a->domain.len;
    return berth__cel_error(run, "attribute %.*s%s%.*s: %s%.*s", domain, a->domain.data,
                            a->bare ? "" : "/", (int)a->id.len, a->id.data,
                            a->kind == BERTH__CEL_VERSION ? "parse semantic version: " : "",
                            (int)error.text.len, error.text.data);
}

/* The map of a domain's ids in a map of domains, made if it is missing. */
static berth__cel_value domain_of(berth__cel_run *run, berth__cel_value domains, berth_str domain,
                                  uint32_t capacity)
{
    for (uint32_t i = 0; i < domains.map->count; i++) {
        if (berth__str_eq(domains.map->entries[i].key.text, domain))
            return domains.map->entries[i].value;
    }
    berth__cel_value map = empty_map(run, capacity);
    if (!berth__cel_failed(map))
        put(domains, domain, map);
    return map;
}

static berth__cel_value attributes_of(berth__cel_run *run, const berth__cel_device *device)
{
    berth__cel_value domains = empty_map(run, device->attribute_count);
    for (uint32_t i = 0; i < device->attribute_count && !berth__cel_failed(domains); i++) {
        const berth__cel_attribute *a = &device->attributes[i];
        berth__cel_value value = attribute(run, a);
        if (berth__cel_failed(value))
            return run->stopped ? value : named_error(run, a, value);
        berth__cel_value ids = domain_of(run, domains, a->domain, device->attribute_count - i);
        if (berth__cel_failed(ids))
            return ids;
        put(ids, a->id, value);
    }
    if (!berth__cel_failed(domains))
        domains.map->filled = true;
    return domains;
}

static berth__cel_value capacity_of(berth__cel_run *run, const berth__cel_device *device)
{
    berth__cel_value domains = empty_map(run, device->capacity_count);
    for (uint32_t i = 0; i < device->capacity_count && !berth__cel_failed(domains); i++) {
        const berth__cel_capacity *c = &device->capacities[i];
        berth__cel_value value = berth__cel_quantity(run, c->nanos, berth__cel_is_whole(c->nanos));
        berth__cel_value ids = domain_of(run, domains, c->domain, device->capacity_count - i);
        if (berth__cel_failed(value) || berth__cel_failed(ids))
            return berth__cel_stopped(run);
        put(ids, c->id, value);
    }
    if (!berth__cel_failed(domains))
        domains.map->filled = true;
    return domains;
}

static berth__cel_value device_value(berth__cel_run *run, const berth__cel_device *device)
{
    enum { FIELDS = 4 };
    berth__cel_value map = empty_map(run, FIELDS);
    berth__cel_value attributes = attributes_of(run, device);
    if (berth__cel_failed(attributes))
        return attributes;
    berth__cel_value capacity = capacity_of(run, device);
    if (berth__cel_failed(capacity) || berth__cel_failed(map))
        return berth__cel_stopped(run);
    put(map, BERTH_STR("driver"), berth__cel_string(device->driver));
    put(map, BERTH_STR("allowMultipleAllocations"), berth__cel_bool(device->allow_multiple));
    put(map, BERTH_STR("attributes"), attributes);
    put(map, BERTH_STR("capacity"), capacity);
    return map;
}

/* ---- evaluating ---- */

void berth__cel_room_init(berth__cel_room *room, const berth_allocator *allocator)
{
    berth__arena_init(&room->arena, allocator);
}

void berth__cel_room_destroy(berth__cel_room *room)
{
    berth__arena_destroy(&room->arena);
}

/* What cel-go says about a value that is not a bool; it depends on the kind of type. */
static berth__cel_value why_no_bool(berth__cel_run *run, berth__cel_value value)
{
    const char *kind = berth__cel_kind_name(value);
    switch (value.kind) {
    case BERTH__CEL_TYPE_INT:
    case BERTH__CEL_TYPE_UINT:
        return berth__cel_error(run, "unsupported type conversion from '%s' to bool", kind);
    case BERTH__CEL_TYPE_STRING:
        return berth__cel_error(run, "unsupported native conversion from string to 'bool'");
    case BERTH__CEL_TYPE_DOUBLE:
        return berth__cel_error(run, "type conversion error from Double to 'bool'");
    case BERTH__CEL_TYPE_BYTES:
        return berth__cel_error(run, "type conversion error from Bytes to 'bool'");
    case BERTH__CEL_TYPE_LIST:
    case BERTH__CEL_TYPE_MAP:
        return berth__cel_error(run, "type conversion error from %s to 'bool'", kind);
    case BERTH__CEL_TYPE_TYPE:
        return berth__cel_error(run, "type conversion not supported for 'type'");
    default:
        break; /* a Kubernetes type: kubernetes.Semver becomes Semver */
    }
    const char *dot = strrchr(kind, '.');
    return berth__cel_error(run, "type conversion error from '%s' to 'bool'",
                            dot != NULL ? dot + 1 : kind);
}

/* The result as a bool: it may be inside of optionals. */
static berth__cel_value to_bool(berth__cel_run *run, berth__cel_value value)
{
    berth__cel_value inner = value;
    while (inner.kind == BERTH__CEL_TYPE_OPTIONAL && inner.inner != NULL)
        inner = *inner.inner;
    if (inner.kind == BERTH__CEL_TYPE_BOOL || berth__cel_failed(inner))
        return inner;
    berth__cel_value why = inner.kind == BERTH__CEL_TYPE_OPTIONAL
                               ? berth__cel_error(run, "optional.none() dereference")
                               : why_no_bool(run, inner);
    return berth__cel_error(run, "CEL result of type %s could not be converted to bool: %.*s",
                            berth__cel_kind_name(value), (int)why.text.len, why.text.data);
}

static berth__cel_verdict verdict_of(berth__cel_run *run, berth__cel_value value, berth_str *error)
{
    value = to_bool(run, value);
    if (value.kind == BERTH__CEL_TYPE_BOOL)
        return value.flag ? BERTH__CEL_TRUE : BERTH__CEL_FALSE;
    if (run->no_memory)
        return BERTH__CEL_NO_MEMORY;
    *error = value.text;
    return BERTH__CEL_RUNTIME_ERROR;
}

berth__cel_verdict berth__cel_evaluate(const berth__cel *cel, const berth__cel_device *device,
                                       berth__cel_room *room, berth_str *error)
{
    if (cel->problem.len > 0) {
        *error = cel->problem;
        return BERTH__CEL_COMPILE_ERROR;
    }
    berth__arena_reset(&room->arena);
    berth__cel_run run = {.arena = &room->arena, .release = cel->release};
    run.slots = berth__cel_alloc(&run, ((size_t)cel->slot_count + 1) * sizeof(*run.slots));
    if (run.slots == NULL)
        return BERTH__CEL_NO_MEMORY;
    berth__cel_value value = run.slots[0] = device_value(&run, device);
    run.cost = 0; /* building the device's value costs no work */
    if (!berth__cel_failed(value))
        value = berth__cel_node_value(&run, cel->root);
    return verdict_of(&run, value, error);
}
