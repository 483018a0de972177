package schedulerperf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"text/template"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// An object is a Kubernetes object as its JSON tree.
type object = map[string]any

func number(value any) (float64, error) {
	switch v := value.(type) {
	case float64:
		return v, nil
	case int:
		return float64(v), nil
	case string:
		return strconv.ParseFloat(v, 64)
	}
	return 0, fmt.Errorf("not a number: %v", value)
}

// fold computes with numbers of any type from left to right.
func fold(step func(a, b float64) float64) func(...any) (float64, error) {
	return func(values ...any) (float64, error) {
		var out float64
		for i, value := range values {
			v, err := number(value)
			if err != nil {
				return 0, err
			}
			if i == 0 {
				out = v
			} else {
				out = step(out, v)
			}
		}
		return out, nil
	}
}

func whole(of func(...any) (float64, error)) func(...any) (int, error) {
	return func(values ...any) (int, error) {
		out, err := of(values...)
		return int(out), err
	}
}

func toJSON(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

// functions has the functions that the templates call.
func functions() template.FuncMap {
	add := fold(func(a, b float64) float64 { return a + b })
	subtract := fold(func(a, b float64) float64 { return a - b })
	multiply := fold(func(a, b float64) float64 { return a * b })
	divide := fold(func(a, b float64) float64 { return a / b })
	mod := fold(func(a, b float64) float64 { return float64(int(a) % int(b)) })
	return template.FuncMap{
		"AddFloat": add, "AddInt": whole(add),
		"SubtractFloat": subtract, "SubtractInt": whole(subtract),
		"MultiplyFloat": multiply, "MultiplyInt": whole(multiply),
		"DivideFloat": divide, "DivideInt": whole(divide),
		"Mod": whole(mod), "Int": whole(add), "JSON": toJSON,
	}
}

// templates keeps parsed templates by path.
type templates map[string]*template.Template

func (t templates) get(path string) (*template.Template, error) {
	if known := t[path]; known != nil {
		return known, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	parsed, err := template.New(filepath.Base(path)).Funcs(functions()).Parse(string(text))
	if err != nil {
		return nil, err
	}
	t[path] = parsed
	return parsed, nil
}

// render makes the object of a template. A parameter that is not there is nil: templates test for
// it.
func (t templates) render(path string, params map[string]any, extra map[string]any) (object, error) {
	parsed, err := t.get(path)
	if err != nil {
		return nil, err
	}
	values := maps.Clone(params)
	if values == nil {
		values = map[string]any{}
	}
	maps.Copy(values, extra)
	var text bytes.Buffer
	if err := parsed.Execute(&text, values); err != nil {
		return nil, err
	}
	converted, err := yaml.ToJSON(text.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var out object
	if err := json.Unmarshal(converted, &out); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}
