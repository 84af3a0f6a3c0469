package explore

import (
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
)

type progress struct {
	explorer *explorer
	phase    string
	total    int
	began    time.Time

	mu                       sync.Mutex
	done, runs, found, saved int
}

// skip counts a case that an earlier exploration completed.
func (p *progress) skip() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.saved++
}

func (p *progress) left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.total - p.done - p.saved
}

func (p *progress) ended(result cause.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.runs += result.Runs
	if len(result.Findings) > 0 {
		p.found++
	}
	took := time.Since(p.began)
	rest := p.total - p.done - p.saved
	p.explorer.options.Progress(Progress{
		Phase: p.phase, Done: p.done + p.saved, Total: p.total, Findings: p.found,
		Last: result.Case.String(), Took: result.Took,
		Rate: float64(p.runs) / took.Seconds(), Left: took / time.Duration(p.done) * time.Duration(rest),
	})
}
