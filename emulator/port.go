package emulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// movedSecrets explains the effect of another S3 port on existing Secrets. The sidecar of v1alpha1
// writes a Secret only once.
func (e *Emulator) movedSecrets() string {
	if e.opts.API == objectstorage.V1alpha1 {
		return "Secrets that exist keep the old endpoint, as the sidecar of v1alpha1 writes them once; create their BucketAccesses again, " +
			"or make the port free and start again"
	}
	return "the sidecar writes the new endpoint into the Secrets, and applications must read them again"
}

// reservedPort is the port that a service uses in all its incarnations.
type reservedPort struct {
	service, address string
	number           string
	// first is for the first incarnation: it keeps the port from other programs until then.
	first atomic.Pointer[net.Listener]
}

// portChoice has the ports that a service can get.
type portChoice struct {
	service string
	// wanted is the port of the options, and saved the port in the snapshot; 0 means none.
	wanted, saved int
	// moved explains the effect of another port than the snapshot's.
	moved string
}

// reservePort returns the port of a service: the port of the options, or else of the snapshot, or
// else a free one. The emulator warns if it is not the snapshot's.
func (e *Emulator) reservePort(ctx context.Context, c portChoice) (*reservedPort, error) {
	bind := e.opts.listen().Bind()
	listener, err := listenTCP(ctx, c.service, net.JoinHostPort(bind, strconv.Itoa(cmp.Or(c.wanted, c.saved))))
	taken := err != nil && c.wanted == 0 && c.saved != 0
	if taken {
		listener, err = listenTCP(ctx, c.service, net.JoinHostPort(bind, "0"))
	}
	if err != nil {
		return nil, err
	}
	p := &reservedPort{service: c.service, address: listener.Addr().String()}
	p.first.Store(&listener)
	e.onStop(func(context.Context) error { return p.release() })
	if _, p.number, err = net.SplitHostPort(p.address); err != nil {
		return nil, err
	}
	if c.saved != 0 && p.number != strconv.Itoa(c.saved) {
		e.warn(c.warning(p.number, taken))
	}
	return p, nil
}

// warning reports another port than the snapshot's.
func (c portChoice) warning(port string, taken bool) string {
	why := ""
	if taken {
		why = ", which another program uses"
	}
	return fmt.Sprintf("%s listens on port %s, and not on port %d of the snapshot%s: %s", c.service, port, c.saved, why, c.moved)
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
