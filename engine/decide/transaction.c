/* Transactions: marks in the undo log, with the decider's other state. */
#include "decide/transaction.h"

#include "base/assert.h"
#include "base/error.h"
#include "columns/facts_news.h"
#include "columns/pod_counts.h"
#include "store/storage.h"

/* The serial of a mark that was set without a volume store. */
#define NO_STORE UINT64_MAX

void berth__transactions_init(berth__transactions *transactions, berth__decider *decider)
{
    *transactions = (berth__transactions){.decider = decider};
}

void berth__transactions_destroy(berth__transactions *transactions)
{
    if (transactions->decider == NULL || transactions->decider->cluster == NULL)
        return;
    berth__free(transactions->decider->cluster->model->allocator, transactions->marks,
                transactions->capacity * sizeof(*transactions->marks));
    *transactions = (berth__transactions){0};
}

berth_status berth__transaction_begin(berth__transactions *transactions)
{
    const berth__decider *decider = transactions->decider;
    berth__cluster *cluster = decider->cluster;
    BERTH_TRY(berth__cluster_catch_up(cluster));
    /* While a transaction is open, volumes can't be brought up to date, because that could not be
     * undone. Relaxed: it only turns true, and a pod of this cluster was made by this thread or one
     * before it. */
    if (atomic_load_explicit(&cluster->model->has_volumes, memory_order_relaxed))
        BERTH_TRY(berth__cluster_catch_up_volumes(cluster));
    if (!berth__grow(cluster->model->allocator, &transactions->marks, &transactions->capacity,
                     transactions->depth + 1, sizeof(*transactions->marks)))
        return BERTH_E_NOMEM;
    if (transactions->depth == 0) {
        transactions->held = berth__pod_counts_hold(cluster->view.counts, true);
        cluster->undo.recording = true;
    }
    transactions->marks[transactions->depth++] = (berth__mark){
        .log_top = cluster->undo.top,
        .rotation = decider->rotation,
        .round_robin = decider->round_robin,
        .cycle = cluster->view.images.cycle,
        .names_epoch = berth__names_epoch(cluster->model),
        .reservation_serial =
            cluster->view.storage != NULL ? cluster->view.storage->reservation_serial : NO_STORE,
        .random = decider->random};
    return BERTH_OK;
}

static void end(berth__transactions *transactions)
{
    berth__cluster *cluster = transactions->decider->cluster;
    BERTH_ASSERT(transactions->depth > 0);
    if (--transactions->depth > 0)
        return;
    if (cluster->watcher != NULL && cluster->undo.top > 0)
        cluster->watcher->missed = true;
    berth__model_lock(cluster->model); /* uses of classes are released */
    berth__undo_keep(&cluster->undo);
    berth__model_unlock(cluster->model);
    cluster->undo.recording = false;
    berth__pod_counts_hold(cluster->view.counts, transactions->held);
}

void berth__transaction_commit(berth__transactions *transactions)
{
    end(transactions);
}

/* Forget the resource names that have been added since the mark, and state that was prepared with
 * their columns, because other resources may get these columns later. */
static void forget_resources(berth__cluster *cluster, uint64_t names_epoch)
{
    berth__model *model = cluster->model;
    /* If others share the names, they stay until a sweep finds them unused. */
    if (berth__names_epoch(model) == names_epoch || model->shared)
        return;
    for (uint32_t i = BERTH__SCALARS; i < model->resource_count; i++)
        if (berth__resource_name(model, i) != 0 && model->resource_since[i] > names_epoch)
            berth__resource_forget(model, i);
    berth__facts_news_lose(cluster->view.layout, berth__model_next_epoch(model));
}

void berth__transaction_rollback(berth__transactions *transactions)
{
    berth__decider *decider = transactions->decider;
    berth__cluster *cluster = decider->cluster;
    BERTH_ASSERT(transactions->depth > 0);
    const berth__mark *mark = &transactions->marks[transactions->depth - 1];
    berth__model_lock(cluster->model); /* uses of classes are released */
    berth__undo_to(&cluster->undo, mark->log_top);
    berth__model_unlock(cluster->model);
    decider->rotation = mark->rotation;
    decider->round_robin = mark->round_robin;
    decider->random = mark->random;
    cluster->view.images.cycle = mark->cycle;
    if (mark->reservation_serial != NO_STORE)
        cluster->view.storage->reservation_serial = mark->reservation_serial;
    forget_resources(cluster, mark->names_epoch);
    end(transactions);
}
