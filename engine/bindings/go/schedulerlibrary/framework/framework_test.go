package framework

import (
	"errors"
	"reflect"
	"testing"
)

func TestStatus(t *testing.T) {
	var none *Status
	if !none.IsSuccess() || none.Message() != "" || none.AsError() != nil || none.Clone() != nil || !none.Equal(NewStatus(Success)) ||
		none.Plugin() != "" || AsStatus(nil) != nil {
		t.Error("nil is not success")
	}
	cause := errors.New("cause")
	failed := AsStatus(cause)
	if !failed.IsError() || failed.AsError() != cause || failed.Message() != "cause" || failed.IsRejected() {
		t.Error(failed)
	}
	refused := NewStatus(Unschedulable, "a").WithPlugin("P")
	refused.AppendReason("b")
	copied := refused.Clone()
	if !refused.IsRejected() || refused.AsError().Error() != "a, b" || !refused.Equal(copied) || refused.String() != "a, b" {
		t.Error(refused)
	}
	copied.SetPlugin("Q")
	if refused.Equal(copied) || refused.Plugin() != "P" || refused.Equal(nil) || refused.Equal(NewStatus(Unschedulable)) {
		t.Error(copied)
	}
	if !reflect.DeepEqual(refused.WithError(cause).Reasons(), []string{"cause", "a", "b"}) {
		t.Error(refused.Reasons())
	}
	if !NewStatus(Wait).IsWait() || !NewStatus(Skip).IsSkip() || NewStatus(Wait).AsError() != nil {
		t.Error("wait or skip")
	}
	if Pending.String() != "Pending" || Code(9).String() != "Code(9)" {
		t.Error(Pending, Code(9))
	}
}

func TestDiagnosis(t *testing.T) {
	m := NewDefaultNodeToStatus()
	if m.Get("a").Code() != UnschedulableAndUnresolvable || m.Len() != 0 {
		t.Error(m)
	}
	one := NewStatus(Unschedulable, "why").WithPlugin("P")
	m.Grow(2)
	m.Append("a", one)
	m.Set("b", NewStatus(Unschedulable, "else"))
	m.Set("b", one)
	if m.Get("b") != one || m.Len() != 2 || m.AbsentNodesStatus() != m.Get("c") {
		t.Error(m)
	}
	d := Diagnosis{NodeToStatus: m}
	d.AddPluginStatus(one)
	d.AddPluginStatus(NewStatus(Pending).WithPlugin("Q"))
	d.AddPluginStatus(NewStatus(Pending))
	if d.UnschedulablePlugins.Len() != 2 || !d.PendingPlugins.Has("Q") || d.PendingPlugins.Len() != 1 {
		t.Error(d)
	}
	copied := d.Clone()
	copied.NodeToStatus.Set("a", nil)
	copied.UnschedulablePlugins.Insert("R")
	if m.Get("a") != one || copied.NodeToStatus.Len() != 2 || d.UnschedulablePlugins.Has("R") || (&Diagnosis{}).Clone().NodeToStatus != nil {
		t.Error("a copy is not a copy")
	}
	m.SetAbsentNodesStatus(NewStatus(UnschedulableAndUnresolvable, "gone"))
	fit := &FitError{NumAllNodes: 5, Diagnosis: d}
	if fit.Error() != "0/5 nodes are available: 2 why, 3 gone." {
		t.Error(fit)
	}
	fit.Diagnosis.PreFilterMsg, fit.Diagnosis.PostFilterMsg = "no claim", "more"
	if fit.Error() != "0/5 nodes are available: no claim. more" {
		t.Error(fit)
	}
	if (&FitError{NumAllNodes: 1}).Error() != "0/1 nodes are available:" {
		t.Error("without statuses")
	}
}
