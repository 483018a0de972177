package berth

import "testing"

func TestNotes(t *testing.T) {
	engine := got(New(nil))(t)
	defer engine.Close()
	const typo = `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c,
  resource: {requests: {cpu: '1'}}}]}}
---
{apiVersion: v1, kind: Event, metadata: {name: e}}
`
	var notes []Note
	options := LoadOptions{Source: "typo.yaml", Note: func(n Note) { notes = append(notes, n) }}
	if done := got(engine.Load([]byte(typo), &options))(t); done != 1 || len(notes) != 2 {
		t.Fatal(done, notes)
	}
	field, passed := notes[0], notes[1]
	if field.What != UnknownField || field.Word != "resource" || field.Suggestion != "resources" ||
		field.Field != "spec.containers[0].resource" || field.Source != "typo.yaml" {
		t.Fatal(field)
	}
	const line = "typo.yaml:2: Pod default/p: spec.containers[0].resource: Kubernetes has no such " +
		"field there: resource (probably meant: resources)"
	if field.String() != line {
		t.Fatal(field.String())
	}
	if passed.What != PassedOver || passed.Kind != "Event" || passed.Name != "e" {
		t.Fatal(passed)
	}
	notes = nil
	const good = `{apiVersion: v1, kind: Pod, metadata: {name: q}, spec: {containers: [{name: c}]}}`
	got(engine.Load([]byte(good), &options))(t)
	if len(notes) != 0 {
		t.Fatal(notes)
	}
}
