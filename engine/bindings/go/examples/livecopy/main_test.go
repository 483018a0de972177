package main

import (
	"log"
	"os"
)

func Example() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// x is bound to a node
	// y is bound to a node
	// z is bound to a node
}
