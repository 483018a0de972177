package berth

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Names in the headers that Go does not need, and why.
var notWrapped = map[string]string{
	"berth_abort_hook_set":                       "for the whole process",
	"berth_cycle_may_refuse":                     "Reserve answers, and C knows whether that counts",
	"berth_cycle_node":                           "a slice has its nodes",
	"berth_cycle_node_resource":                  "a slice has its columns",
	"berth_cycle_slot_count":                     "a slice has its length",
	"berth_duration_parse":                       "time has durations",
	"berth_engine_fit_count":                     "FitCount, by berth_engine_fit_count_with",
	"berth_engine_load_file":                     "LoadFile tells how many were added before an error, too",
	"berth_engine_load_text":                     "Load tells how many were added before an error, too",
	"berth_engine_next_pod":                      "NodePods and Pending have them at once",
	"berth_engine_node_limit":                    "Nodes has them at once",
	"berth_engine_node_present":                  "Nodes has them at once",
	"berth_engine_pod_claims":                    "for who binds on a live cluster",
	"berth_engine_pod_devices":                   "for who binds on a live cluster",
	"berth_engine_device_fits":                   "why claims of devices are not served, for the program",
	"berth_engine_pod_claim_object":              "for who binds on a live cluster",
	"berth_engine_pod_extended_claim":            "for who binds on a live cluster",
	"berth_engine_pod_extended_requests":         "for who binds on a live cluster",
	"berth_error_format":                         "Error.Error",
	"berth_explanation_deleted_claim":            "for who binds on a live cluster",
	"berth_explanation_freed_claim":              "for who binds on a live cluster",
	"berth_kind_name":                            "kinds are types",
	"berth_object_sizes":                         "what inline functions pass",
	"berth_output_file_commit":                   "os has files",
	"berth_output_file_discard":                  "os has files",
	"berth_output_file_open":                     "os has files",
	"berth_output_file_stream":                   "os has files",
	"berth_point_name":                           "profiles come from configurations",
	"berth_profile_default":                      "profiles come from configurations",
	"berth_quantity_format":                      "k8s.io/apimachinery has quantities",
	"berth_quantity_parse":                       "k8s.io/apimachinery has quantities",
	"berth_scheduler_config_extender":            "extenders are tables of C functions",
	"berth_scheduler_config_extender_count":      "extenders are tables of C functions",
	"berth_scheduler_config_file_with_extenders": "extenders are tables of C functions",
	"berth_scheduler_config_notes":               "remarks about configurations are for the program",
	"berth_scheduler_add_node":                   "one kind of Scheduler.Add",
	"berth_snapshot_pin":                         "a Snapshot is one pin",
	"berth_status_name":                          "Code has the names",
	"berth_str_of":                               "Go has strings",
}

var (
	comments  = regexp.MustCompile(`(?s)/\*.*?\*/`)
	functions = regexp.MustCompile(`(?:BERTH_API|static inline)\b[^;{]*?\b(berth_[a-z_]+)\s*\(`)
	names     = regexp.MustCompile(`\bberth_[a-z_]+\b`)
)

func read(t *testing.T, patterns ...string) string {
	t.Helper()
	var out strings.Builder
	for _, pattern := range patterns {
		for _, file := range got(filepath.Glob(pattern))(t) {
			out.Write(got(os.ReadFile(file))(t))
		}
	}
	return out.String()
}

// The package wraps every function of the headers, except those in notWrapped.
func TestHeaders(t *testing.T) {
	declared := map[string]bool{}
	headers := comments.ReplaceAllString(read(t, "../../include/berth/*.h"), "")
	for _, match := range functions.FindAllStringSubmatch(headers, -1) {
		declared[match[1]] = true
	}
	if len(declared) < 130 {
		t.Skipf("%d functions: the headers are not beside the package", len(declared))
	}
	used := map[string]bool{}
	code := comments.ReplaceAllString(read(t, "*.c"), "")
	for _, file := range got(filepath.Glob("*.go"))(t) {
		if !strings.HasSuffix(file, "_test.go") {
			code += string(got(os.ReadFile(file))(t))
		}
	}
	for _, name := range names.FindAllString(code, -1) {
		used[name] = true
	}
	for name := range declared {
		// Functions that take a struct's size are called by their inline wrapper.
		plain := strings.TrimSuffix(name, "_sized")
		_, known := notWrapped[plain]
		if !used[plain] && !known {
			t.Errorf("%s is not wrapped", name)
		}
		if used[plain] && known {
			t.Errorf("%s is wrapped", name)
		}
	}
	for name, why := range notWrapped {
		if !declared[name] && !declared[name+"_sized"] || why == "" {
			t.Errorf("%s is not in the headers", name)
		}
	}
}
