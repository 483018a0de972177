package berth

/*
#include "glue.h"
*/
import "C"

// A Transaction tries anything on an engine, then keeps it or takes it back. While it is open,
// everything works as ever; a rollback leaves no trace, ids given out meanwhile are void. They nest.
type Transaction struct {
	engine *Engine
	depth  uint32
	ended  bool
}

// Begin opens a transaction, within the one that is open if there is one.
//
//	tx, err := engine.Begin()
//	if err != nil { ... }
//	defer tx.Rollback() // an error, and nothing else, after a commit
func (e *Engine) Begin() (*Transaction, error) {
	if err := e.lock(); err != nil {
		return nil, err
	}
	defer e.unlock()
	err := e.result(C.int(C.berth_engine_begin(e.box.engine, &e.box.error)))
	if err != nil {
		return nil, err
	}
	tx := &Transaction{engine: e, depth: uint32(C.berth_engine_depth(e.box.engine))}
	e.transactions = append(e.transactions[:tx.depth-1], tx)
	return tx, nil
}

// Commit keeps what was done. Error: [State] if the transaction has ended, or one within it is open.
func (tx *Transaction) Commit() error { return tx.end(true) }

// Rollback takes back what was done. Error: as of Commit.
func (tx *Transaction) Rollback() error { return tx.end(false) }

func (tx *Transaction) end(keep bool) error {
	e := tx.engine
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	open := len(e.transactions)
	if tx.ended {
		return misuse(State, "the transaction has ended")
	}
	if open == 0 || e.transactions[open-1] != tx {
		return misuse(State, "the transaction has another one within it that is open")
	}
	box := e.box
	var status C.berth_status
	if keep {
		status = C.berth_engine_commit(box.engine, &box.error)
	} else {
		status = C.berth_engine_rollback(box.engine, &box.error)
	}
	if status == C.BERTH_OK {
		e.transactions[open-1] = nil
		e.transactions = e.transactions[:open-1]
		tx.ended = true
	}
	return e.result(C.int(status))
}

// Try calls `do` within a transaction, which is kept if it returns true and no error, and taken back
// otherwise, also if it panics.
func (e *Engine) Try(do func() (keep bool, err error)) error {
	tx, err := e.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	keep, err := do()
	if err != nil {
		return err
	}
	if keep {
		return tx.Commit()
	}
	return tx.Rollback()
}

// Depth tells how many transactions are open, one within the other.
func (e *Engine) Depth() (int, error) {
	if err := e.lock(); err != nil {
		return 0, err
	}
	defer e.unlock()
	return int(C.berth_engine_depth(e.box.engine)), nil
}
