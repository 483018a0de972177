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
	// a alone could go: true
	// b alone could go: true
	// c alone could go: true
	// a goes: true
	// b goes: false
	// c goes: false
}
