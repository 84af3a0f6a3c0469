package secret

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
)

// Transport returns a transport that trusts the certificate authority of the
// Secret, if it names one, and goes by way of proxy unless that is empty.
func (s Secret) Transport(proxy string) (*http.Transport, error) {
	transport := &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	if proxy != "" {
		u, err := url.Parse(proxy)
		if err != nil {
			return nil, err
		}
		transport.Proxy = http.ProxyURL(u)
	}
	if s.Authority() != "" {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM([]byte(s.Authority())) {
			return nil, errors.New("COSI_CERTIFICATE_AUTHORITY of the Secret has no certificate in PEM")
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	return transport, nil
}
