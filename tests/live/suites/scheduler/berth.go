// Package scheduler, with Berth in its place: this file is added to kube-scheduler's own package, whose method
// Run is called runItself then (../overlay). A test's scheduler still watches the cluster, so the test may look
// into its cache; but its pods are scheduled by `berth run`, with the profiles, extenders and times of the test.
package scheduler

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	kubeschedulerv1 "k8s.io/kube-scheduler/config/v1"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/utils/clock"
)

var (
	optionsOf sync.Map // by *Scheduler: the options that New made it with
	runs      atomic.Int64
)

// The lines that ../run looks for in a test's output.
const (
	tookOver = "berth: schedules in place of kube-scheduler"
	notAsked = "berth: kube-scheduler schedules itself: "
)

// Run starts $BERTH and ends it with the context. Where Go code is plugged into the scheduler, or BERTH is not
// set, kube-scheduler itself runs.
func (sched *Scheduler) Run(ctx context.Context) {
	value, _ := optionsOf.LoadAndDelete(sched)
	options, _ := value.(schedulerOptions)
	program := os.Getenv("BERTH")
	reason := ""
	switch {
	case program == "":
		reason = "BERTH is not set"
	case len(options.frameworkOutOfTreeRegistry) > 0 || hasClock(&options):
		reason = "Go code is plugged in"
	case options.kubeConfig == nil:
		reason = "there is no API server"
	}
	if reason != "" {
		fmt.Println(notAsked + reason)
		sched.runItself(ctx)
		return
	}
	fmt.Println(tookOver)
	if err := runBerth(ctx, program, &options); err != nil {
		fmt.Println("berth:", err)
	}
	sched.SchedulingQueue.Close()
	_ = sched.Profiles.Close()
}

// hasClock reports whether a test sets the scheduler's clock. Releases before 1.34 have no such option.
func hasClock(options *schedulerOptions) bool {
	field := reflect.ValueOf(options).Elem().FieldByName("clock")
	return field.IsValid() && !field.IsNil() && field.Elem().Type() != reflect.TypeOf(clock.RealClock{})
}

func runBerth(ctx context.Context, program string, options *schedulerOptions) error {
	folder := filepath.Join(os.Getenv("BERTH_SUITE_FOLDER"), fmt.Sprintf("%d-%03d", os.Getpid(), runs.Add(1)))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	kubeconfig, config := filepath.Join(folder, "kubeconfig"), filepath.Join(folder, "config.yaml")
	if err := writeKubeconfig(options.kubeConfig, kubeconfig); err != nil {
		return err
	}
	if err := writeConfig(options, kubeconfig, config); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.Command(program, "run", "--config", config, "--v=3",
		"--emulated-version="+utilfeature.DefaultMutableFeatureGate.EmulationVersion().String(),
		"--feature-gates", changedGates(),
		"--pod-max-in-unschedulable-pods-duration", options.podMaxInUnschedulablePodsDuration.String())
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err := <-ended:
		text, _ := os.ReadFile(log.Name())
		return fmt.Errorf("ended by itself (%v): %s", err, text)
	case <-ctx.Done():
	}
	_ = command.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		_ = command.Process.Kill()
		return fmt.Errorf("did not end within 10 s")
	}
	return nil
}

func writeKubeconfig(from *restclient.Config, path string) error {
	config := clientcmdapi.NewConfig()
	config.Clusters["test"] = &clientcmdapi.Cluster{
		Server:                   from.Host,
		TLSServerName:            from.ServerName,
		InsecureSkipTLSVerify:    from.Insecure,
		CertificateAuthority:     from.CAFile,
		CertificateAuthorityData: from.CAData,
	}
	config.AuthInfos["test"] = &clientcmdapi.AuthInfo{
		Token:                 from.BearerToken,
		TokenFile:             from.BearerTokenFile,
		ClientCertificate:     from.CertFile,
		ClientCertificateData: from.CertData,
		ClientKey:             from.KeyFile,
		ClientKeyData:         from.KeyData,
	}
	config.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "test"}
	config.CurrentContext = "test"
	return clientcmd.WriteToFile(*config, path)
}

// writeConfig writes what the options say, in the form of the file that an operator would write.
func writeConfig(options *schedulerOptions, kubeconfig, path string) error {
	var external kubeschedulerv1.KubeSchedulerConfiguration
	scheme.Scheme.Default(&external)
	var config schedulerapi.KubeSchedulerConfiguration
	if err := scheme.Scheme.Convert(&external, &config, nil); err != nil {
		return err
	}
	if len(options.profiles) > 0 {
		config.Profiles = options.profiles
	}
	config.Extenders = options.extenders
	config.PercentageOfNodesToScore = &options.percentageOfNodesToScore
	config.PodInitialBackoffSeconds = max(options.podInitialBackoffSeconds, 1) // a file may not say 0
	config.PodMaxBackoffSeconds = max(options.podMaxBackoffSeconds, config.PodInitialBackoffSeconds)
	config.ClientConnection.Kubeconfig = kubeconfig
	config.LeaderElection.LeaderElect = false
	serializer := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme,
		json.SerializerOptions{Yaml: true})
	text, err := runtime.Encode(scheme.Codecs.EncoderForVersion(serializer, kubeschedulerv1.SchemeGroupVersion),
		&config)
	if err != nil {
		return err
	}
	// The emulated release, as which Berth decides, may not have all points of this one.
	return os.WriteFile(path, emptySet.ReplaceAll(text, nil), 0o600)
}

var emptySet = regexp.MustCompile(`(?m)^ +[a-zA-Z]+: \{\}\n`)

// changedGates lists the feature gates that a test has set to something else than their default.
func changedGates() string {
	var gates []string
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		if name == "AllAlpha" || name == "AllBeta" {
			continue
		}
		if on := utilfeature.DefaultFeatureGate.Enabled(name); on != spec.Default {
			gates = append(gates, fmt.Sprintf("%s=%t", name, on))
		}
	}
	return strings.Join(gates, ",")
}
