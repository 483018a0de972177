package minimize

import (
	"bytes"
	"encoding/json"
	"testing"
)

const scenario = `{"name":"s","config":{"profiles":[{"schedulerName":"a"}]},
	"nodes":[{"metadata":{"name":"n0"}},{"metadata":{"name":"n1","labels":{"a":"1","b":"2"}}},{"metadata":{"name":"n2"}}],
	"pods":[{"metadata":{"name":"p0"},"spec":{"nodeName":"n0"}},{"metadata":{"name":"p1"},"spec":{"nodeName":"n1"}}],
	"pending":[{"metadata":{"name":"q0"}},{"metadata":{"name":"q1"},"spec":{"priority":1e3,"tolerations":[{"key":"x","operator":"Exists"}]}}]}`

func TestKeepsWhatIsNeededAndNothingElse(t *testing.T) {
	got, err := Scenario(json.RawMessage(scenario), func(s json.RawMessage) bool {
		return bytes.Contains(s, []byte(`"b":"2"`)) && bytes.Contains(s, []byte(`"priority":1e3`))
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"s","nodes":[{"metadata":{"labels":{"b":"2"},"name":"n1"}}],` +
		`"pending":[{"metadata":{"name":"q1"},"spec":{"priority":1e3}}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPodsGoWithTheirNode(t *testing.T) {
	got, err := Scenario(json.RawMessage(scenario), func(s json.RawMessage) bool {
		return bytes.Contains(s, []byte(`"p1"`)) // p0 is dropped, together with n0 or before it
	})
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(got, []byte("p0")) || bytes.Contains(got, []byte("n0")) {
		t.Errorf("left: %s", got)
	}
}

func TestNothingToDrop(t *testing.T) {
	tries := 0
	got, err := Scenario(json.RawMessage(scenario), func(json.RawMessage) bool { tries++; return false })
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	json.Unmarshal([]byte(scenario), &a)
	json.Unmarshal(got, &b)
	left, _ := json.Marshal(a)
	right, _ := json.Marshal(b)
	if !bytes.Equal(left, right) || tries == 0 {
		t.Errorf("after %d tries: %s", tries, got)
	}
}
