// Package testutils stands for the API server of the library's integration test: a client without
// one.
package testutils

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
)

// TestContext has what the test uses.
type TestContext struct {
	Ctx        context.Context
	ClientSet  kubernetes.Interface
	NS         *corev1.Namespace
	KubeConfig any
}

// InitTestAPIServer makes a client that keeps objects in memory.
func InitTestAPIServer(t *testing.T, name string, _ any) *TestContext {
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	return &TestContext{t.Context(), fake.NewClientset(space), space, "a client that keeps objects in memory"}
}
