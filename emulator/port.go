package emulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
)

// reservedPort is the port that a service uses in all its incarnations.
type reservedPort struct {
	service, address string
	number           string
	// first is for the first incarnation: nothing else can take the port before that starts.
	first atomic.Pointer[net.Listener]
}

// reservePort returns the port of a service: the one that the options want, or else the one
// that the Secrets of the snapshot name, or else a free one. 0 means none. The emulator has a
// warning if the Secrets name another one.
func (e *Emulator) reservePort(ctx context.Context, service string, wanted, saved int) (*reservedPort, error) {
	bind := e.opts.listen().Bind()
	listener, err := listenTCP(ctx, service, net.JoinHostPort(bind, strconv.Itoa(cmp.Or(wanted, saved))))
	taken := err != nil && wanted == 0 && saved != 0
	if taken {
		listener, err = listenTCP(ctx, service, net.JoinHostPort(bind, "0"))
	}
	if err != nil {
		return nil, err
	}
	p := &reservedPort{service: service, address: listener.Addr().String()}
	p.first.Store(&listener)
	e.onStop(func(context.Context) error { return p.release() })
	if _, p.number, err = net.SplitHostPort(p.address); err != nil {
		return nil, err
	}
	if saved != 0 && p.number != strconv.Itoa(saved) {
		e.warn(movedPort(service, p.number, saved, taken))
	}
	return p, nil
}

// movedPort is the warning that a service has another port than in the snapshot.
func movedPort(service, port string, saved int, taken bool) string {
	why := ""
	if taken {
		why = ", which another program uses"
	}
	return fmt.Sprintf("%s listens on port %s, and not on port %d of the snapshot%s: the sidecar writes the new endpoint "+
		"into the Secrets; applications must read them again", service, port, saved, why)
}

// listen listens on the port. The first call returns the listener that holds it.
func (p *reservedPort) listen(ctx context.Context) (net.Listener, error) {
	if held := p.first.Swap(nil); held != nil {
		return *held, nil
	}
	return listenTCP(ctx, p.service, p.address)
}

// release frees the port if no incarnation has used it.
func (p *reservedPort) release() error {
	held := p.first.Swap(nil)
	if held == nil {
		return nil
	}
	if err := (*held).Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
