package emulator

import (
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/certs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
)

// storeTLS returns the TLS configuration of the store, or nil without TLS. The certificate
// authority is stored with the data, so that applications trust the store after a restart.
func (e *Emulator) storeTLS() (*tls.Config, error) {
	if !e.opts.TLS {
		return nil, nil
	}
	ca, err := e.openAuthority()
	if err != nil {
		return nil, err
	}
	e.authority, e.certificates = ca, ca.CertificatePEM()
	e.info.S3CertificateAuthority = filepath.Join(e.info.Dir, "s3-ca.crt")
	if err := os.WriteFile(e.info.S3CertificateAuthority, e.certificates, fileMode); err != nil {
		return nil, fmt.Errorf("write the certificate of the S3 store's authority: %w", err)
	}
	return ca.ServerConfig(append(e.opts.listen().Names(), s3.DefaultHost, "*."+s3.DefaultHost)...)
}

func (e *Emulator) openAuthority() (*certs.Authority, error) {
	beyond := e.opts.listen().Beyond()
	if e.dataDir() == "" {
		return certs.New(beyond...)
	}
	return certs.Open(authorityFile(e.dataDir()), beyond...)
}
