package generate

import "hash/fnv"

// source is a stream of random numbers that is the same with every release of Go (splitmix64).
type source struct{ state uint64 }

// newSource seeds a stream for one scenario, so that each scenario can be made without the ones
// before it.
func newSource(seed uint64, family string, index int) *source {
	hash := fnv.New64a()
	hash.Write([]byte(family))
	s := &source{seed ^ hash.Sum64()}
	s.state = s.next() + uint64(index)*0x9e3779b97f4a7c15
	s.state = s.next()
	return s
}

func (s *source) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// below returns a number in [0, n).
func (s *source) below(n int) int { return int(s.next() % uint64(n)) }

// between returns a number in [low, high].
func (s *source) between(low, high int) int { return low + s.below(high-low+1) }

// chance returns true in `percent` of 100 cases.
func (s *source) chance(percent int) bool { return s.below(100) < percent }

func pick[T any](s *source, from ...T) T { return from[s.below(len(from))] }

// some returns `low` to `high` different elements, in their order.
func some[T any](s *source, low, high int, from []T) []T {
	want := min(s.between(low, high), len(from))
	var out []T
	for i, item := range from {
		if s.below(len(from)-i) < want-len(out) {
			out = append(out, item)
		}
	}
	return out
}
