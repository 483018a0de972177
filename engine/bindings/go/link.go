package berth

// How the library is found. tools/go_modules writes this file anew for published modules, which
// bring the library with them.

// #cgo pkg-config: berth
import "C"
