/* A write gate on a scripted server whose wall clock shows a fixed time; for tests of the writes
 * that one kind of object needs. */
#ifndef BERTH_TESTS_GATED_WRITES_H
#define BERTH_TESTS_GATED_WRITES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "live/writes/write_lane.h"
#include "scripted_transport.h"

static const int64_t second = INT64_C(1000000000);

static scripted_transport *server;
static write_gate gate;

static void gate_open(void)
{
    server = scripted_create();
    server->wall_ns = INT64_C(1795000000123456789);
    gate = (write_gate){.transport = &server->transport, .fence_ns = LIVE_NEVER};
}

/* Call it once the writes are destroyed: they must have left nothing behind. */
static void gate_close(void)
{
    assert_null(gate.lanes);
    assert_int_equal(server->request_count, 0);
    assert_int_equal(server->timer_count, 0);
    scripted_destroy(server);
}

#endif
