//go:build kube1_36 || kube1_37

// Reads a file of tests/unit/cel_cases from standard input and writes it again with the results of
// this release of kube-scheduler. A result that only names the place of an error (c@LINE:COLUMN)
// stays as it is if the place is right.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

// The device of tests/unit/cel_device.h.
func device() dracel.Device {
	text := func(x string) *string { return &x }
	index := int64(0)
	return dracel.Device{
		Driver: "gpu.nvidia.com",
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"type":          {StringValue: text("gpu")},
			"uuid":          {StringValue: text("GPU-1")},
			"productName":   {StringValue: text("NVIDIA A100-SXM4-40GB")},
			"index":         {IntValue: &index},
			"driverVersion": {VersionValue: text("550.54.15")},
		},
		Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
			"memory":          {Value: resource.MustParse("40Gi")},
			"multiprocessors": {Value: resource.MustParse("108")},
		},
	}
}

// The result as the file has it: y or n, or c or e and an error; p and what cel-go panicked with.
func say(expression string) (out string) {
	defer func() {
		if problem := recover(); problem != nil {
			out = fmt.Sprint("p", problem)
		}
	}()
	compiler := dracel.GetCompiler(dracel.Features{EnableConsumableCapacity: true})
	result := compiler.CompileCELExpression(expression, dracel.Options{})
	if result.Error != nil {
		return "c" + result.Error.Error()
	}
	matches, _, err := result.DeviceMatches(context.Background(), device())
	switch {
	case err != nil:
		return "e" + err.Error()
	case matches:
		return "y"
	default:
		return "n"
	}
}

func main() {
	signs := []string{"\n", "␊", "\r", "␍", "\t", "␉", "\f", "␌"}
	controls := make([]string, len(signs))
	for i := range signs {
		controls[i] = signs[i^1]
	}
	show, hide := strings.NewReplacer(signs...), strings.NewReplacer(controls...)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		expression := lines.Text()
		lines.Scan()
		old := strings.TrimPrefix(lines.Text(), "= ")
		found := say(hide.Replace(expression))
		if place, only := strings.CutPrefix(old, "c@"); only &&
			strings.HasPrefix(found, "ccompilation failed: ERROR: <input>:"+place+":") {
			found = old
		}
		fmt.Printf("%s\n= %s\n", expression, show.Replace(found))
	}
}
