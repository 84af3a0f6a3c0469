package subprocess

import (
	"context"
	"net"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
)

// TestProbeAddress: until a process listens, nothing else takes the address at which it serves its probes.
func TestProbeAddress(t *testing.T) {
	t.Parallel()
	p, err := New(Command{Args: []string{"sh", "-c", "exec sleep 600", reference(VariableProbe)}}, &rest.Config{}, nil, logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	if conn, err := reserve(t.Context(), p.probe); err == nil {
		_ = conn.Close()
		t.Errorf("another emulator can choose %s", p.probe)
	}
	p.Kill()
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn, err := reserve(t.Context(), p.probe)
	if err != nil {
		t.Fatalf("the address is not free after the process: %v", err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
}

// reserve does what tcpport.Reservations does.
func reserve(ctx context.Context, address string) (net.PacketConn, error) {
	return (&net.ListenConfig{}).ListenPacket(ctx, "udp", address)
}
