package certs

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cosi-emu/cosi-emu/internal/atomicfile"
)

const (
	certificateBlock = "CERTIFICATE"
	keyBlock         = "EC PRIVATE KEY"
)

// Open returns the authority in a file, with its key, or creates both, for the owner only. An
// authority that is about to expire, or that cannot sign for the hosts, is replaced.
func Open(path string, hosts ...string) (*Authority, error) {
	a, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("certificate authority %s: %w; remove the file to get another", path, err)
	case a.isUsable() && a.permits(hosts):
		return a, nil
	}
	if a, err = New(hosts...); err != nil {
		return nil, err
	}
	if err := a.Save(path); err != nil {
		return nil, err
	}
	return a, nil
}

// Save writes the authority with its key to a file, for Open.
func (a *Authority) Save(path string) error {
	if err := a.write(path); err != nil {
		return fmt.Errorf("keep the certificate authority: %w", err)
	}
	return nil
}

func read(path string) (*Authority, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a := &Authority{}
	for block, rest := pem.Decode(content); block != nil; block, rest = pem.Decode(rest) {
		switch block.Type {
		case certificateBlock:
			a.certificate, err = x509.ParseCertificate(block.Bytes)
		case keyBlock:
			a.key, err = x509.ParseECPrivateKey(block.Bytes)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	return a, nil
}

// check returns an error unless certificate and key exist and match.
func (a *Authority) check() error {
	if a.certificate == nil || a.key == nil || !a.certificate.IsCA {
		return errNotAuthority
	}
	certified, ok := a.certificate.PublicKey.(interface {
		Equal(other crypto.PublicKey) bool
	})
	if !ok || !certified.Equal(a.key.Public()) {
		return errNotAuthority
	}
	return nil
}

// write replaces the file atomically, so that no reader sees a partial authority.
func (a *Authority) write(path string) error {
	key, ok := a.key.(*ecdsa.PrivateKey)
	if !ok {
		return errNotAuthority
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(path, append(a.CertificatePEM(), keyPEM...), 0o600)
}

func encodeCertificate(certificate *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: certificateBlock, Bytes: certificate.Raw})
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	raw, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode a private key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: raw}), nil
}
