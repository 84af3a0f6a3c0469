package driverserver

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"

	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
)

// certificates are the TLS certificates of the store. Without files, its methods do nothing.
type certificates struct{ files *certwatcher.CertWatcher }

func openCertificates(opts Options) (certificates, error) {
	if !opts.secure() {
		return certificates{}, nil
	}
	files, err := certwatcher.New(opts.TLSCertFile, opts.TLSPrivateKeyFile)
	if err != nil {
		return certificates{}, fmt.Errorf("the TLS certificate and its private key: %w", err)
	}
	return certificates{files}, nil
}

// watch reads the files again when they change, until the context is done.
func (c certificates) watch(ctx context.Context) error {
	if c.files == nil {
		return nil
	}
	return c.files.Start(ctx)
}

// wrap makes a listener use TLS.
func (c certificates) wrap(l net.Listener) net.Listener {
	if c.files == nil {
		return l
	}
	return tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.files.GetCertificate})
}
