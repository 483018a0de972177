package provisioning

import (
	"fmt"
	"testing"

	berth "berth/go"
	corev1 "k8s.io/api/core/v1"
)

// market has 500 instance types in three zones, each offered as spot and on demand.
func market() *NodePool {
	p := poolOf("p")
	for i := range 500 {
		p.InstanceTypes = append(p.InstanceTypes, kindOf(fmt.Sprint("t", i), fmt.Sprint(2+i%62), float64(2+i%62)+float64(i)/1000, "a", "b", "c"))
	}
	return p
}

// large returns an engine of 1,000 nodes with 5,000 pods; each node has room for three cpus.
func large(b *testing.B) *berth.Engine {
	e := engineOf(b)
	for i := range 1000 {
		name := fmt.Sprint("n", i)
		if _, err := e.AddNode(node(name, "8", string(rune('a'+i%3)))); err != nil {
			b.Fatal(err)
		}
		for j := range 5 {
			if _, err := e.AddPod(pod(fmt.Sprint("old", j, "-", i), "1", on(name), func(p *corev1.Pod) { p.Labels = nil })); err != nil {
				b.Fatal(err)
			}
		}
	}
	return e
}

func benchmark(b *testing.B, opened int, pods ...*corev1.Pod) { ask(b, opened, nil, pods...) }

// ask asks about pods on 1,000 nodes, and expects `opened` new nodes.
func ask(b *testing.B, opened int, options *Options, pods ...*corev1.Pod) {
	e := large(b)
	c, err := NewCatalog(nil, []*NodePool{market()}, []*corev1.Pod{pod("agent", "100m", func(p *corev1.Pod) { p.Labels = nil })})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	b.ResetTimer()
	for range b.N {
		r, err := c.Solve(ctx, e, pods, options)
		if err != nil {
			b.Fatal(err)
		}
		if len(r.Order) != len(pods) || len(r.New) != opened {
			b.Fatal(len(r.Order), len(r.New), len(r.Unplaced))
		}
	}
}

func many(from, count int, cpu string, change ...func(*corev1.Pod)) []*corev1.Pod {
	var out []*corev1.Pod
	for i := range count {
		out = append(out, pod(fmt.Sprint("q", from+i), cpu, change...))
	}
	return out
}

// 100 pods that fit on existing nodes.
func BenchmarkAllFit(b *testing.B) { benchmark(b, 0, many(0, 100, "1")...) }

// 99 pods that fit on existing nodes, and one that needs a new node.
func BenchmarkMostFit(b *testing.B) {
	benchmark(b, 1, append(many(0, 99, "1"), pod("big", "6"))...)
}

// 10 kinds of pods, one of which needs new nodes.
func BenchmarkTenKinds(b *testing.B) {
	var pods []*corev1.Pod
	for i := range 9 {
		pods = append(pods, many(10*i, 10, fmt.Sprint(100*(i+1), "m"))...)
	}
	benchmark(b, 1, append(pods, many(90, 10, "6")...)...)
}

// 100 pods spread over zones, on existing nodes.
func BenchmarkSpread(b *testing.B) {
	benchmark(b, 0, many(0, 100, "1", spreads(corev1.LabelTopologyZone))...)
}

// 100 pods that need new nodes.
func BenchmarkAllNew(b *testing.B) { benchmark(b, 10, many(0, 100, "6")...) }

// 20 pods, each on a new node of its own.
func BenchmarkApart(b *testing.B) { benchmark(b, 20, many(0, 20, "6", apart)...) }

// 30 pods spread over zones, on new nodes.
func BenchmarkSpreadNew(b *testing.B) {
	benchmark(b, 3, many(0, 30, "6", spreads(corev1.LabelTopologyZone))...)
}

// 100 running pods of 20 nodes that are removed.
func BenchmarkWithout(b *testing.B) {
	var pods []*corev1.Pod
	options := &Options{}
	for i := range 20 {
		options.Without = append(options.Without, fmt.Sprint("n", i))
		for j := range 5 {
			pods = append(pods, pod(fmt.Sprint("old", j, "-", i), "1", on(fmt.Sprint("n", i))))
		}
	}
	ask(b, 0, options, pods...)
}

// 100 running pods whose nodes stay.
func BenchmarkRunning(b *testing.B) {
	var pods []*corev1.Pod
	for i := range 100 {
		pods = append(pods, pod(fmt.Sprint("old0-", i), "1", on(fmt.Sprint("n", i))))
	}
	benchmark(b, 0, pods...)
}

// The catalog of 3,000 options.
func BenchmarkCatalog(b *testing.B) {
	for range b.N {
		c, err := NewCatalog(nil, []*NodePool{market()}, []*corev1.Pod{pod("agent", "100m", func(p *corev1.Pod) { p.Labels = nil })})
		if err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}
