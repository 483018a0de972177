/* The writes of one cluster against a scripted server, with the outcome of the last binding; for
 * tests of writes that precede a binding. */
#ifndef BERTH_TESTS_SCRIPTED_WRITES_H
#define BERTH_TESTS_SCRIPTED_WRITES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "live/writes/writes.h"
#include "scripted_transport.h"

static scripted_transport *server;
static writes *w;
static size_t settled;
static bind_verdict verdict;
static char why[256];
static bool writes_volumes; /* while the outcome comes */

static void on_bound(void *context, const bind_outcome *outcome)
{
    (void)context;
    settled++;
    verdict = outcome->verdict;
    snprintf(why, sizeof(why), "%s", outcome->why);
    writes_volumes = scripted_find(server, "", "/persistentvolume") != NULL;
}

/* Like the deciding thread, drop a binding once its outcome is known. */
static void on_room(void *context)
{
    (void)context;
    writes_unbind(w, 1);
}

static int start(void **state)
{
    (void)state;
    server = scripted_create();
    settled = 0;
    w = writes_create(&(writes_options){.transport = &server->transport,
                                        .callbacks = {.bound = on_bound, .room = on_room}});
    return 0;
}

static int stop(void **state)
{
    (void)state;
    writes_destroy(w);
    assert_int_equal(server->request_count, 0);
    assert_int_equal(server->timer_count, 0);
    scripted_destroy(server);
    return 0;
}

static const write_pod web = {
    .namespace_name = {"shop", 4}, .name = {"web-1", 5}, .uid = {"u-1", 3}, .version = 70};

static scripted_request *sent(const char *method, const char *part)
{
    scripted_request *r = scripted_find(server, method, part);
    assert_non_null(r);
    return r;
}

#endif
