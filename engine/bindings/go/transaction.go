package berth

/*
#include "glue.h"
*/
import "C"

// A Transaction tries anything on an engine, then keeps it or takes it back. While it is open,
// everything works as usual. A rollback leaves no trace and invalidates ids handed out in the
// transaction. Transactions nest.
type Transaction struct {
	engine *Engine
	depth  uint32
	ended  bool
}

// Begin opens a transaction, inside the one that is already open if there is one.
//
//	tx, err := engine.Begin()
//	if err != nil { ... }
//	defer tx.Rollback() // only returns an error after a commit
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

// Commit keeps what was done. Error: [State] if the transaction has ended, or one inside it is
// open.
func (tx *Transaction) Commit() error { return tx.end(true) }

// Rollback takes back what was done. Error: that of Commit.
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

// Try calls `do` in a transaction. The transaction is committed if `do` returns true and no error;
// otherwise, and if `do` panics, it is rolled back.
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

// Depth returns the number of open transactions, each inside the one before.
func (e *Engine) Depth() (int, error) {
	if err := e.lock(); err != nil {
		return 0, err
	}
	defer e.unlock()
	return int(C.berth_engine_depth(e.box.engine)), nil
}
