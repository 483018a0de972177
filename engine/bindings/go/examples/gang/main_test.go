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
	// train: 6 pods started
	// large: waits, 2 of 5 pods would fit
	// small: 2 pods started
	// train: finished
	// large: 5 pods started
}
