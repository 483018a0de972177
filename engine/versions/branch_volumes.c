/* The store of volumes of a branch: made, brought into step, returned. */
#include "versions/branch_volumes.h"

#include "base/error.h"
#include "versions/follow.h"
#include "versions/snapshot_state.h"

static void show(const berth__branch_volumes *volumes, berth__cluster *cluster)
{
    cluster->view.storage = volumes->storage;
    cluster->view.volume_use = volumes->use;
    cluster->view.devices = volumes->devices;
}

static void hide(berth__cluster *cluster)
{
    cluster->view.storage = NULL;
    cluster->view.volume_use = NULL;
    cluster->view.devices = NULL;
}

void berth__branch_volumes_destroy(berth__branch_volumes *volumes)
{
    berth__devices_destroy(volumes->devices);
    berth__volume_use_destroy(volumes->use);
    berth__storage_destroy(volumes->storage);
    berth__snapshot_let_go(volumes->followed);
    *volumes = (berth__branch_volumes){.gone = true};
}

static berth_status make(berth__branch_volumes *volumes, berth__cluster *cluster,
                         const berth_snapshot *snapshot)
{
    const berth__stored_rows none = {0};
    BERTH_TRY(berth__storage_create(cluster->model, NULL, &volumes->storage));
    volumes->storage->undo = &cluster->undo;
    BERTH_TRY(berth__volume_use_create(volumes->storage, &volumes->use));
    BERTH_TRY(berth__devices_create(volumes->storage, &volumes->devices));
    BERTH_TRY(berth__storage_follow(volumes->storage, &none, &snapshot->cluster.stored));
    show(volumes, cluster);
    return berth__cluster_recount_volumes(cluster) ? BERTH_OK : BERTH_E_NOMEM;
}

static berth_status follow(berth__branch_volumes *volumes, berth__cluster *cluster,
                           const berth_snapshot *snapshot)
{
    const berth__cluster *former = &volumes->followed->cluster;
    BERTH_TRY(berth__storage_follow(volumes->storage, &former->stored, &snapshot->cluster.stored));
    show(volumes, cluster);
    if (!berth__cluster_follow_volumes(cluster, former))
        return BERTH_E_NOMEM;
    if (berth__storage_sweep_is_due(volumes->storage))
        berth__volume_use_sweep(volumes->use);
    return BERTH_OK;
}

berth_status berth__branch_volumes_catch_up(berth__branch_volumes *volumes, berth__cluster *cluster,
                                            const berth_snapshot *snapshot)
{
    berth_status status = volumes->storage == NULL ? make(volumes, cluster, snapshot)
                                                   : follow(volumes, cluster, snapshot);
    if (status != BERTH_OK) {
        hide(cluster);
        berth__branch_volumes_destroy(volumes);
        return status;
    }
    berth__snapshot_let_go(volumes->followed);
    volumes->followed = NULL;
    return BERTH_OK;
}

void berth__branch_volumes_return(berth__branch_volumes *volumes, berth__cluster *cluster,
                                  const berth__cluster *former, berth_snapshot *snapshot)
{
    bool changed =
        volumes->storage->cow != NULL; /* its records have facts that are freed with the branch */
    volumes->storage->cow = NULL;
    bool ok = !changed && berth__cluster_follow_volumes(cluster, former);
    hide(cluster);
    if (ok)
        volumes->followed = berth__snapshot_hold(snapshot);
    else
        berth__branch_volumes_destroy(volumes);
}
