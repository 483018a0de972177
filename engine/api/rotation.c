/* The public functions that read and set where the next search begins. */
#include "base/error.h"
#include "berth/engine.h"
#include "versions/engine_state.h"

uint32_t berth_engine_rotation(const berth_engine *engine)
{
    return engine != NULL ? engine->decider.rotation : 0;
}

berth_status berth_engine_set_rotation(berth_engine *engine, uint32_t rotation, berth_error *error)
{
    BERTH_TRY(berth__engine_enter(engine, error));
    engine->decider.rotation = rotation;
    return berth__engine_leave(engine, BERTH_OK);
}
