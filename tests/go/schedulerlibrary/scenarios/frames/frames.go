// Package frames stands for kube-scheduler's frameworks and profiles, of which the scenarios of the
// state make some and use none.
package frames

import "context"

// Map is a profile map of kube-scheduler.
type Map map[string]any

// ProfileMap is the library's profile map.
type ProfileMap struct{ Map Map }

// InitMetricsOnce has nothing to register.
func InitMetricsOnce() {}

// NewInTreeRegistry returns no plugins.
func NewInTreeRegistry() any { return nil }

// NewFramework returns no framework.
func NewFramework(context.Context, any, any, ...any) (any, error) { return nil, nil }

// WithSnapshotSharedLister is no option.
func WithSnapshotSharedLister(any) any { return nil }

// WithInformerFactory is no option.
func WithInformerFactory(any) any { return nil }
