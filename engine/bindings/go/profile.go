package berth

/*
#include <stdlib.h>
#include "glue.h"
*/
import "C"

import (
	"strings"
	"unsafe"
)

// Filters returns, for each profile of the configuration by its scheduler's name, the plugins that
// filter nodes, in their order. Errors are those of [New] about configurations.
func (config *Config) Filters() (map[string][]string, error) {
	if config.SchedulerConfiguration != "" && config.SchedulerConfigurationFile != "" {
		return nil, misuse(Argument, "a scheduler configuration is given twice")
	}
	a := borrowArena()
	defer a.giveBack()
	open := one[C.bg_open](a)
	open.kubernetes = C.uint32_t(config.Kubernetes)
	open.configuration = a.str(config.SchedulerConfiguration)
	if config.SchedulerConfigurationFile != "" {
		open.configuration_file = a.cString(config.SchedulerConfigurationFile)
	}
	cErr := one[C.berth_error](a)
	text := one[*C.char](a)
	if C.bg_config_filters(open, text, cErr) != C.BERTH_OK {
		return nil, failure(cErr)
	}
	defer C.free(unsafe.Pointer(*text))
	out := map[string][]string{}
	for line := range strings.Lines(C.GoString(*text)) {
		words := strings.Fields(line)
		out[words[0]] = words[1:]
	}
	return out, nil
}
