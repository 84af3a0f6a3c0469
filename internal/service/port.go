package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"

	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

// port is the port that a service uses in all its incarnations.
type port struct {
	service, address string
	number           string
	// first is for the first incarnation: it keeps the port from other programs until then.
	first atomic.Pointer[net.Listener]
}

// portChoice has the ports that a service can get.
type portChoice struct {
	// bind is the address that the service listens on.
	bind string
	// wanted is the port of the options, and saved the port in the snapshot or the data directory; 0 means none.
	wanted, saved int
	// moved explains the effect of another port than the saved one.
	moved string
}

// reserve returns the port of a service: the port of the options, or else the saved one, or
// else a free one. The warning is empty if it is the saved one.
func (c portChoice) reserve(ctx context.Context, service string) (p *port, warning string, err error) {
	listener, err := tcpport.Listen(ctx, service, net.JoinHostPort(c.bind, strconv.Itoa(cmp.Or(c.wanted, c.saved))))
	taken := err != nil && c.wanted == 0 && c.saved != 0
	if taken {
		listener, err = tcpport.Listen(ctx, service, net.JoinHostPort(c.bind, "0"))
	}
	if err != nil {
		return nil, "", err
	}
	p = &port{service: service, address: listener.Addr().String()}
	p.first.Store(&listener)
	if _, p.number, err = net.SplitHostPort(p.address); err != nil {
		return nil, "", errors.Join(err, p.release())
	}
	if c.saved != 0 && p.number != strconv.Itoa(c.saved) {
		warning = c.warning(service, p.number, taken)
	}
	return p, warning, nil
}

// warning reports another port than the saved one.
func (c portChoice) warning(service, number string, taken bool) string {
	why := ""
	if taken {
		why = ", which another program uses"
	}
	return fmt.Sprintf("%s listens on port %s, and not on port %d as before%s: %s", service, number, c.saved, why, c.moved)
}

// listen listens on the port. The first call returns the listener that holds it.
func (p *port) listen(ctx context.Context) (net.Listener, error) {
	if held := p.first.Swap(nil); held != nil {
		return *held, nil
	}
	return tcpport.Listen(ctx, p.service, p.address)
}

// release frees the port if no incarnation has used it.
func (p *port) release() error {
	held := p.first.Swap(nil)
	if held == nil {
		return nil
	}
	if err := (*held).Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
