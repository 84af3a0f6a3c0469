package subprocess

import (
	"errors"
	"os"
	"syscall"
)

// Kill implements emulator.Process: it is kill -9.
func (p *Process) Kill() {
	if !isClosed(p.killed) {
		close(p.killed)
	}
	_ = p.program.group.signal(syscall.SIGKILL) // it may have ended by itself
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// close ends everything except the process.
func (p *Process) close() error {
	if p.end != nil {
		p.end()
	}
	var errs []error
	p.mu.Lock()
	p.closed = true
	relay := p.relay
	p.mu.Unlock()
	if relay != nil {
		errs = append(errs, relay.close())
	}
	if p.proxy != nil {
		errs = append(errs, p.proxy.close())
	}
	return errors.Join(append(errs, p.ports.Close(), os.RemoveAll(p.dir))...)
}
