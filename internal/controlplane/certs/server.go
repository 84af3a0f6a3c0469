package certs

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"os"
	"time"
)

// leafLifetime is longer than an emulator runs, and below the maximum that some clients accept: 825
// days.
const leafLifetime = 365 * 24 * time.Hour

// Pair is a certificate and its private key.
type Pair struct {
	tls.Certificate

	// CertificatePEM and KeyPEM are the same in PEM. KeyPEM is secret.
	CertificatePEM, KeyPEM []byte
}

// ServerConfig returns the TLS configuration of a server with these names, host
// names or IP addresses, and a new certificate for them.
func (a *Authority) ServerConfig(names ...string) (*tls.Config, error) {
	pair, err := a.NewServer("cosi-emu S3 store", names...)
	if err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair.Certificate}}, nil
}

// ClientConfig returns the TLS configuration of a client that trusts only the certificate authority
// in a file. Without a file name it is nil, Go's default.
func ClientConfig(file string) (*tls.Config, error) {
	if file == "" {
		return nil, nil
	}
	certificate, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the certificate authority: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(certificate) {
		return nil, fmt.Errorf("%s has no certificate: it must be the certificate authority, in PEM", file)
	}
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, nil
}

// NewServer returns a new certificate for a server with these names, host names or IP addresses. It
// is valid for a year.
func (a *Authority) NewServer(commonName string, names ...string) (*Pair, error) {
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: commonName},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	return a.issue(template)
}

// NewClient returns a new certificate for a Kubernetes user in these groups. It
// is valid for a year.
func (a *Authority) NewClient(user string, groups ...string) (*Pair, error) {
	return a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// issue completes and signs a certificate for a new key.
func (a *Authority) issue(template *x509.Certificate) (*Pair, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	if template.SerialNumber, err = newSerial(); err != nil {
		return nil, err
	}
	template.NotBefore = time.Now().Add(-backdate)
	template.NotAfter = time.Now().Add(leafLifetime)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	certificate, err := sign(template, a.certificate, key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return nil, err
	}
	return &Pair{
		Certificate:    tls.Certificate{Certificate: [][]byte{certificate.Raw}, PrivateKey: key, Leaf: certificate},
		CertificatePEM: encodeCertificate(certificate),
		KeyPEM:         keyPEM,
	}, nil
}
