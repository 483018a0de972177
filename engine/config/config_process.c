/* The members of a KubeSchedulerConfiguration about the scheduler's process and its connection.
 * They change no decision, but are checked as kube-scheduler checks them.
 * Source: kube-scheduler v1.37, apis/config/v1/types.go; component-base, config/v1alpha1/types.go
 * and config/validation/validation.go. */
#include "base/text.h"
#include "config/config.h"

static berth_status read_strings(berth__config_tree *tree, const berth__json *object,
                                 const char *const *keys)
{
    berth_str text;
    for (; *keys != NULL; keys++)
        BERTH_TRY(berth__config_string(tree, object, *keys, &text));
    return BERTH_OK;
}

static berth_status read_bools(berth__config_tree *tree, const berth__json *object,
                               const char *const *keys)
{
    bool flag;
    for (; *keys != NULL; keys++)
        BERTH_TRY(berth__config_bool(tree, object, *keys, &flag));
    return BERTH_OK;
}

static berth_status check_number(berth__config_tree *tree, const berth__json *object,
                                 const char *key)
{
    const berth__json *number = berth__config_member(object, key);
    if (number == NULL || number->type == BERTH__JSON_NUMBER)
        return BERTH_OK;
    berth__config_enter(tree, key);
    return berth__config_fail(tree, BERTH_E_INVALID, "must be a number");
}

static berth_status check_connection(berth__config_tree *tree, const berth__json *root)
{
    static const char *const texts[] = {"kubeconfig", "acceptContentTypes", "contentType", NULL};
    static const char *const fields[] = {
        "kubeconfig", "acceptContentTypes", "contentType", "qps", "burst", NULL};
    const berth__json *connection = berth__config_member(root, "clientConnection");
    int32_t burst;
    if (connection == NULL)
        return BERTH_OK;
    const size_t before = berth__config_enter(tree, "clientConnection");
    BERTH_TRY(berth__config_object(tree, connection, fields));
    BERTH_TRY(read_strings(tree, connection, texts));
    BERTH_TRY(check_number(tree, connection, "qps"));
    BERTH_TRY(berth__config_int32(tree, connection, "burst", (berth__config_range){0, INT32_MAX},
                                  &burst));
    berth__config_leave(tree, before);
    return BERTH_OK;
}

/* Whoever takes part in an election needs a Lease. */
static berth_status check_lock(berth__config_tree *tree, const berth__json *election)
{
    berth_str lock = berth__text_of("leases");
    bool elects = true;
    BERTH_TRY(berth__config_bool(tree, election, "leaderElect", &elects));
    BERTH_TRY(berth__config_string(tree, election, "resourceLock", &lock));
    if (!elects || lock.len == 0 || berth__str_is(lock, "leases"))
        return BERTH_OK;
    berth__config_enter(tree, "resourceLock");
    return berth__config_fail(tree, BERTH_E_INVALID, "must be \"leases\", not \"%.*s\"",
                              (int)lock.len, lock.data);
}

static berth_status check_election(berth__config_tree *tree, const berth__json *root)
{
    static const char *const times[] = {"leaseDuration", "renewDeadline", "retryPeriod"};
    static const char *const texts[] = {"resourceName", "resourceNamespace", NULL};
    static const char *const fields[] = {
        "leaderElect",  "leaseDuration", "renewDeadline",     "retryPeriod",
        "resourceLock", "resourceName",  "resourceNamespace", NULL};
    const berth__json *election = berth__config_member(root, "leaderElection");
    int64_t ns;
    if (election == NULL)
        return BERTH_OK;
    const size_t before = berth__config_enter(tree, "leaderElection");
    BERTH_TRY(berth__config_object(tree, election, fields));
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        BERTH_TRY(berth__config_duration(tree, election, times[i], INT64_MIN, &ns));
    BERTH_TRY(read_strings(tree, election, texts));
    BERTH_TRY(check_lock(tree, election));
    berth__config_leave(tree, before);
    return BERTH_OK;
}

berth_status berth__config_process_check(berth__config_tree *tree, const berth__json *root)
{
    static const char *const flags[] = {"enableProfiling", "enableContentionProfiling",
                                        "delayCacheUntilActive", NULL};
    BERTH_TRY(read_bools(tree, root, flags));
    BERTH_TRY(check_connection(tree, root));
    return check_election(tree, root);
}
