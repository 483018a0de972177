/* Lists and watches: bytes in pieces of any size, ended in any way. Each reported object is added
 * once and removed once. The first byte chooses the size of a piece, the next one the server's
 * action after it. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "../unit/scripted_transport.h"
#include "live/log/log.h"
#include "live/watch/reflector.h"

typedef struct told {
    object_table there;
    uint64_t number;
} told;

static uint64_t on_change(void *context, const watch_change *change)
{
    told *t = context;
    object_entry *entry = object_table_find(&t->there, change->namespace_name, change->name);
    FUZZ_CHECK((entry == NULL) == (change->operation == WATCH_ADD));
    FUZZ_CHECK((change->object == NULL) == (change->operation == WATCH_REMOVE));
    if (change->operation == WATCH_ADD)
        object_table_add(&t->there, change->namespace_name, change->name, BERTH_STR(""));
    else if (change->operation == WATCH_REMOVE)
        object_table_remove(&t->there, entry);
    return ++t->number;
}

static void on_listed(void *context, berth_kind kind)
{
    (void)context;
    (void)kind;
}

/* Answer the waiting request in one of several ways. */
static void answer(scripted_transport *s, uint8_t how)
{
    static const int statuses[] = {200, 200, 200, 410, 429, 403, 500, 504};
    scripted_request *request = scripted_find(s, "GET", "");
    if (request == NULL)
        return;
    if (how % 16 == 15)
        scripted_fail(s, request, how % 32 == 15 ? LIVE_NOT_SENT : LIVE_UNKNOWN);
    else if (how % 16 >= 8)
        scripted_answer(s, request, statuses[how % 8], "{}");
    if (how % 16 >= 8)
        scripted_advance(s, INT64_C(200000000000));
}

static void feed(scripted_transport *s, const char *bytes, size_t size)
{
    scripted_request *request = scripted_find(s, "GET", "");
    if (request != NULL)
        (void)scripted_data(s, request, bytes, size);
    scripted_advance(s, 1);
}

static void play(scripted_transport *s, const uint8_t *data, size_t size)
{
    size_t step = (size_t)data[0] % 97 + 1;
    for (size_t at = 1; at < size;) {
        /* A zero byte, which JSON does not contain, is a command to the server. */
        if (data[at] == 0) {
            answer(s, at + 1 < size ? data[at + 1] : 8);
            at += 2;
            continue;
        }
        const uint8_t *zero = memchr(data + at, 0, size - at);
        size_t end = zero != NULL ? (size_t)(zero - data) : size;
        size_t count = end - at < step ? end - at : step;
        feed(s, (const char *)data + at, count);
        at += count;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static berth_reader *reader;
    static const watch_resource pods = {BERTH_KIND_POD, "/api/v1/pods", "", "pods", false};
    told t = {.number = 0};
    const watch_sink sink = {.change = on_change, .listed = on_listed, .context = &t};
    const berth_read_options options = {.size = sizeof(options), .templates = true, .threads = 1};
    if (size == 0)
        return 0;
    log_setup(false, -1);
    if (reader == NULL)
        FUZZ_CHECK(berth_reader_create(&options, &reader, NULL) == BERTH_OK);
    scripted_transport *s = scripted_create();
    reflector *r = calloc(1, sizeof(*r));
    FUZZ_CHECK(r != NULL);
    reflector_init(r, &s->transport, &pods, &sink, reader);
    reflector_start(r);
    scripted_advance(s, 1);
    play(s, data, size);
    FUZZ_CHECK(s->request_count + s->timer_count > 0); /* the reflector never gives up */
    FUZZ_CHECK(t.there.count <= r->table.count);
    reflector_stop(r);
    FUZZ_CHECK(s->request_count == 0 && s->timer_count == 0);
    reflector_free(r);
    object_table_free(&t.there);
    free(r);
    scripted_destroy(s);
    return 0;
}
