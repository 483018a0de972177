// Kubernetes' end-to-end tests of scheduling (sig-scheduling), and kube-controller-manager, which they need, in one
// program: the first argument says which of the two it is.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/component-base/cli"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	_ "k8s.io/kubernetes/test/e2e/scheduling"
)

// result is what ginkgo tells about the tests.
type result struct{ failed bool }

func (r *result) Fail() { r.failed = true }

func main() {
	switch name := append(os.Args, "", "")[1]; name {
	case "kube-controller-manager":
		os.Args = os.Args[1:]
		os.Exit(cli.Run(controllers.NewControllerManagerCommand()))
	case "e2e":
		os.Args = os.Args[1:]
		os.Exit(test())
	default:
		fmt.Fprintln(os.Stderr, "usage: e2e kube-controller-manager|e2e [FLAG...]")
		os.Exit(2)
	}
}

func test() int {
	config.CopyFlags(config.Flags, flag.CommandLine)
	framework.RegisterCommonFlags(flag.CommandLine)
	framework.RegisterClusterFlags(flag.CommandLine)
	flag.Parse()
	framework.AfterReadingAllFlags(&framework.TestContext)
	gomega.RegisterFailHandler(framework.Fail)
	var r result
	suite, reporter := framework.CreateGinkgoConfig()
	if !ginkgo.RunSpecs(&r, "scheduling", suite, reporter) || r.failed {
		return 1
	}
	return 0
}
