/* Refuses v1alpha1 configurations and Policies in a library that is built without v1.15. */
#include "config/config.h"

static berth_status refuse(berth__config_tree *tree)
{
    return berth__config_fail(tree, BERTH_E_UNSUPPORTED,
                              "is of v1.15, and this library is built without v1.15 "
                              "(BERTH_LEGACY=OFF)");
}

berth_status berth__config_legacy_read(berth__config_tree *tree, const berth__json *root,
                                       const char *path, berth_scheduler_config *config)
{
    (void)root;
    (void)path;
    (void)config;
    berth__config_enter(tree, "apiVersion");
    return refuse(tree);
}

berth_status berth__config_policy_read(berth__config_tree *tree, const berth__json *root,
                                       berth_scheduler_config *config)
{
    (void)root;
    (void)config;
    berth__config_enter(tree, "kind");
    return refuse(tree);
}
