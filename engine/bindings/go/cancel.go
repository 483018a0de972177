package berth

/*
#include "glue.h"
*/
import "C"

import (
	"context"
	"fmt"
	"sync/atomic"
	"unsafe"
)

// watch cancels the C call that follows when ctx is done. The engine is locked. The returned
// function ends the watching; call it as soon as the C call has returned.
func (s *state) watch(ctx context.Context) func() {
	flag := (*int32)(unsafe.Pointer(&s.box.cancel))
	atomic.StoreInt32(flag, 0)
	if ctx.Done() == nil {
		return func() {}
	}
	if ctx.Err() != nil { // do not wait for the goroutine of AfterFunc
		atomic.StoreInt32(flag, 1)
		return func() { atomic.StoreInt32(flag, 0) }
	}
	written := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		atomic.StoreInt32(flag, 1)
		close(written)
	})
	return func() {
		if !stop() {
			<-written // the box may be freed, or used by another call, from now on
		}
		atomic.StoreInt32(flag, 0)
	}
}

// resultOf is result for a call that was watched: a cancelled one wraps the context's cause.
func (s *state) resultOf(ctx context.Context, status C.int) error {
	err := s.result(status)
	if err != nil && status == C.BERTH_E_CANCELLED {
		return fmt.Errorf("%w: %w", err, context.Cause(ctx))
	}
	return err
}
