package certs

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"slices"
	"time"
)

const (
	// lifetime is the validity of the authority, and renewal the time before its end at which it is
	// replaced.
	lifetime = 10 * 365 * 24 * time.Hour
	renewal  = 2 * leafLifetime
	// backdate tolerates clients with a slow clock.
	backdate = time.Hour

	serialBits = 127 // RFC 5280: at most 20 octets, and positive
)

// Authority signs certificates. It is safe for concurrent use.
type Authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// New returns an authority for the lifetime of the process. It can sign for this machine, and for
// the hosts, names or IP addresses.
func New(hosts ...string) (*Authority, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		// The serial number distinguishes the authorities of emulators.
		Subject:               pkix.Name{CommonName: "cosi-emu", SerialNumber: serial.Text(16)},
		NotBefore:             time.Now().Add(-backdate),
		NotAfter:              time.Now().Add(lifetime),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,

		PermittedDNSDomainsCritical: true,
		PermittedDNSDomains:         []string{"localhost"},
		PermittedIPRanges: []*net.IPNet{
			{IP: net.IPv4(127, 0, 0, 0).To4(), Mask: net.CIDRMask(8, 32)},
			{IP: net.IPv6loopback, Mask: net.CIDRMask(128, 128)},
		},
	}
	permit(template, hosts)
	certificate, err := sign(template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &Authority{certificate: certificate, key: key}, nil
}

// permit adds hosts to those that an authority can sign for.
func permit(template *x509.Certificate, hosts []string) {
	for _, host := range hosts {
		ip := net.ParseIP(host)
		if ip == nil {
			template.PermittedDNSDomains = append(template.PermittedDNSDomains, host)
			continue
		}
		if v4 := ip.To4(); v4 != nil {
			ip = v4
		}
		bits := 8 * len(ip)
		template.PermittedIPRanges = append(template.PermittedIPRanges, &net.IPNet{IP: ip, Mask: net.CIDRMask(bits, bits)})
	}
}

// permits reports whether the authority can sign for all hosts.
func (a *Authority) permits(hosts []string) bool {
	for _, host := range hosts {
		ip := net.ParseIP(host)
		inRange := func(n *net.IPNet) bool { return n.Contains(ip) }
		if ip == nil && !slices.Contains(a.certificate.PermittedDNSDomains, host) ||
			ip != nil && !slices.ContainsFunc(a.certificate.PermittedIPRanges, inRange) {
			return false
		}
	}
	return true
}

// Pool returns the authority as the only one that is trusted.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// CertificatePEM is the certificate with which clients trust the authority. It is not secret.
func (a *Authority) CertificatePEM() []byte { return encodeCertificate(a.certificate) }

// isUsable reports whether the authority will outlive new certificates.
func (a *Authority) isUsable() bool {
	return time.Now().Add(renewal).Before(a.certificate.NotAfter)
}

func newKey() (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a private key: %w", err)
	}
	return key, nil
}

// NewKeyPEM returns a new private key without a certificate.
func NewKeyPEM() ([]byte, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	return encodeKey(key)
}

func newSerial() (*big.Int, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), serialBits))
	if err != nil {
		return nil, fmt.Errorf("make the serial number of a certificate: %w", err)
	}
	return serial.Add(serial, big.NewInt(1)), nil
}

func sign(template, parent *x509.Certificate, public crypto.PublicKey, key crypto.Signer) (*x509.Certificate, error) {
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		return nil, fmt.Errorf("sign a certificate: %w", err)
	}
	return x509.ParseCertificate(raw)
}

var errNotAuthority = errors.New("it has no certificate authority with its key")
