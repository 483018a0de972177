package api

import "testing"

func TestMilli(t *testing.T) {
	for text, want := range map[string]int64{"2": 2000, "250m": 250, "1Ki": 1024000, "3Gi": 3 << 30 * 1000} {
		if got, err := Milli(text); err != nil || got != want {
			t.Errorf("%s: %d %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1.5", "m", "1e3"} {
		if _, err := Milli(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
