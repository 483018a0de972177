/* DynamicResourcesArgs of a KubeSchedulerConfiguration (1.34 and later): two time limits, which are
 * checked and change no decision.
 * Source: kube-scheduler v1.36, apis/config/types_pluginargs.go and validation. */
#include "config/config.h"

#define SECOND_NS INT64_C(1000000000)

const char *const berth__config_devices_fields[] = {"apiVersion", "kind", "filterTimeout",
                                                    "bindingTimeout", NULL};

berth_status berth__config_devices_read(berth__config_tree *tree, const berth__json *args,
                                        berth_plugin_args *out)
{
    int64_t ns = 0;
    (void)out;
    BERTH_TRY(berth__config_duration(tree, args, "filterTimeout", 0, &ns));
    return berth__config_duration(tree, args, "bindingTimeout", SECOND_NS, &ns);
}
