package api

import (
	"fmt"
	"strconv"
	"strings"
)

var suffixes = []struct {
	text  string
	milli int64
}{
	{"Ki", 1000 << 10}, {"Mi", 1000 << 20}, {"Gi", 1000 << 30}, {"Ti", 1000 << 40},
	{"m", 1}, {"k", 1e6}, {"M", 1e9}, {"G", 1e12},
}

// Milli returns a quantity in thousandths. It reads only whole numbers with a suffix, the form that
// the bed writes.
func Milli(quantity string) (int64, error) {
	number, factor := quantity, int64(1000)
	for _, suffix := range suffixes {
		if cut, found := strings.CutSuffix(quantity, suffix.text); found {
			number, factor = cut, suffix.milli
			break
		}
	}
	value, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("quantity %q is not a whole number with a suffix", quantity)
	}
	return value * factor, nil
}
