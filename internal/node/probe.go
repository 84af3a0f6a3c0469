package node

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// checkServing is the liveness probe. It calls Probe through the socket, as the kubelet would call.
func (a *Adapter) checkServing(request *http.Request) (err error) {
	conn, err := grpc.NewClient(a.options.Endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := csi.NewIdentityClient(conn).Probe(request.Context(), &csi.ProbeRequest{}); err != nil {
		return fmt.Errorf("call Probe at %s: %w", a.options.Endpoint, err)
	}
	return nil
}

// checkRegistered is the readiness probe.
func (a *Adapter) checkRegistered(*http.Request) error {
	if !a.registered.Load() {
		return fmt.Errorf("the kubelet has not registered %s yet; it watches %s", a.options.DriverName, a.options.RegistrationDir)
	}
	return nil
}
