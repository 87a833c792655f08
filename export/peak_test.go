package export

import "runtime"

// peak counts what is written, and looks at the live heap now and then.
type peak struct {
	written, looked int
	heap            uint64
}

func (p *peak) Write(b []byte) (int, error) {
	p.written += len(b)
	if p.written-p.looked > 8<<20 {
		p.looked = p.written
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		p.heap = max(p.heap, m.HeapAlloc)
	}
	return len(b), nil
}
