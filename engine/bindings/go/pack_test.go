package berth

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var quantities = []string{"0", "1", "500m", "100Mi", "1.5Gi", "1e3", "64", "7n", "1500u", "3.3",
	"9223372036854775807", "9223372035.5", "12e9", "0.1"}

// random fills a value of any type at random; optional parts may stay absent.
func random(r *rand.Rand, value reflect.Value, depth int) {
	switch at := value.Addr().Interface().(type) {
	case *resource.Quantity:
		*at = resource.MustParse(quantities[r.Intn(len(quantities))])
		return
	case *metav1.Time:
		*at = metav1.NewTime(time.Unix(1_700_000_000+r.Int63n(1e6), 0).UTC())
		return
	case *metav1.FieldsV1, *runtime.RawExtension, *intstr.IntOrString, *metav1.MicroTime:
		return
	case *[]metav1.ManagedFieldsEntry, *[]corev1.EphemeralContainer, *corev1.Lifecycle:
		return
	case *metav1.TypeMeta:
		return
	}
	switch value.Kind() {
	case reflect.String:
		value.SetString([]string{"", "a", "b", "Exists", "In", "Always", "café \"x\"\n", "In"}[r.Intn(8)])
	case reflect.Bool:
		value.SetBool(r.Intn(2) == 0)
	case reflect.Int32, reflect.Int64:
		value.SetInt(int64(r.Intn(200)) - 20)
	case reflect.Pointer:
		if depth > 0 && r.Intn(2) == 0 {
			value.Set(reflect.New(value.Type().Elem()))
			random(r, value.Elem(), depth-1)
		}
	case reflect.Slice:
		if value.Type().Elem().Kind() != reflect.Uint8 && depth > 0 {
			value.Set(reflect.MakeSlice(value.Type(), r.Intn(3), 3))
			for i := range value.Len() {
				random(r, value.Index(i), depth-1)
			}
		}
	case reflect.Map:
		if depth > 0 {
			value.Set(reflect.MakeMap(value.Type()))
			for range r.Intn(4) {
				key, element := reflect.New(value.Type().Key()).Elem(), reflect.New(value.Type().Elem()).Elem()
				key.SetString(fmt.Sprintf("k%d", r.Intn(20)))
				random(r, element, depth-1)
				value.SetMapIndex(key, element)
			}
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Type().Field(i).IsExported() {
				random(r, value.Field(i), depth)
			}
		}
	}
}

// Packing an object equals reading its JSON: for objects of every kind, with all fields filled at
// random.
func TestPackedAsRead(t *testing.T) {
	kinds := map[string]func() metav1.Object{
		"v1/Pod":                               func() metav1.Object { return &corev1.Pod{} },
		"v1/Node":                              func() metav1.Object { return &corev1.Node{} },
		"v1/Namespace":                         func() metav1.Object { return &corev1.Namespace{} },
		"v1/Service":                           func() metav1.Object { return &corev1.Service{} },
		"v1/ReplicationController":             func() metav1.Object { return &corev1.ReplicationController{} },
		"v1/PersistentVolume":                  func() metav1.Object { return &corev1.PersistentVolume{} },
		"v1/PersistentVolumeClaim":             func() metav1.Object { return &corev1.PersistentVolumeClaim{} },
		"apps/v1/ReplicaSet":                   func() metav1.Object { return &appsv1.ReplicaSet{} },
		"apps/v1/StatefulSet":                  func() metav1.Object { return &appsv1.StatefulSet{} },
		"policy/v1/PodDisruptionBudget":        func() metav1.Object { return &policyv1.PodDisruptionBudget{} },
		"storage.k8s.io/v1/StorageClass":       func() metav1.Object { return &storagev1.StorageClass{} },
		"storage.k8s.io/v1/CSINode":            func() metav1.Object { return &storagev1.CSINode{} },
		"storage.k8s.io/v1/CSIDriver":          func() metav1.Object { return &storagev1.CSIDriver{} },
		"storage.k8s.io/v1/CSIStorageCapacity": func() metav1.Object { return &storagev1.CSIStorageCapacity{} },
		"storage.k8s.io/v1/VolumeAttachment":   func() metav1.Object { return &storagev1.VolumeAttachment{} },
	}
	for kind, make := range kinds {
		t.Run(kind, func(t *testing.T) {
			compared := 0
			for seed := range int64(400) {
				object := make()
				random(rand.New(rand.NewSource(seed)), reflect.ValueOf(object).Elem(), 9)
				object.SetName(fmt.Sprintf("x%d", seed))
				object.SetUID("u") // the reader adds a uid to workloads that have none
				cut := strings.LastIndex(kind, "/")
				reflect.ValueOf(object).Elem().FieldByName("TypeMeta").Set(reflect.ValueOf(
					metav1.TypeMeta{APIVersion: kind[:cut], Kind: kind[cut+1:]}))
				text, err := json.Marshal(object)
				must(t, err)
				want, err := readText(text)
				if err != nil && testing.Verbose() && seed < 20 {
					t.Log(err)
				}
				if err != nil { // a value that the reader refuses, such as an empty object or a bad name
					continue
				}
				compared++
				if has := got(packedText(object))(t); has != want {
					t.Fatalf("seed %d: %s\nof %s", seed, difference(has, want), text)
				}
			}
			t.Logf("%d compared", compared)
			if compared < 150 {
				t.Errorf("only %d objects were compared", compared)
			}
		})
	}
}

// difference returns the first line in which two texts differ.
func difference(has, want string) string {
	a, b := strings.Split(has, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("packed %q, read %q", a[i], b[i])
		}
	}
	return fmt.Sprintf("packed %d lines, read %d", len(a), len(b))
}

// With a k8s.io/api that has these fields, this package finds them by name.
func TestNewestFields(t *testing.T) {
	_, has := reflect.TypeFor[corev1.NodeStatus]().FieldByName("DeclaredFeatures")
	_, hasGroup := reflect.TypeFor[corev1.PodSpec]().FieldByName("SchedulingGroup")
	if newerFields.has != [4]bool{has, has, has, hasGroup} {
		t.Fatal(newerFields)
	}
}
