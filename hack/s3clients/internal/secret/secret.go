// Package secret is what a client is given: the contents of the Secret of a
// BucketAccess, and nothing else. It exists so that no client can be helped with
// anything that an application would not have.
package secret

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Secret has the keys of the KEP's section "BucketAccess Secret data".
type Secret map[string]string

// FromEnviron reads the Secret from the environment, as an application does with
// envFrom.
func FromEnviron() Secret {
	s := Secret{}
	for _, key := range []string{
		"BUCKET_NAME", "AWS_ENDPOINT_URL", "AWS_DEFAULT_REGION", "AWS_S3_ADDRESSING_STYLE",
		"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "COSI_CERTIFICATE_AUTHORITY",
	} {
		if value, ok := os.LookupEnv(key); ok {
			s[key] = value
		}
	}
	return s
}

// Bucket is the bucket's name in the store.
func (s Secret) Bucket() string { return s["BUCKET_NAME"] }

// Endpoint is the URL of the store.
func (s Secret) Endpoint() string { return s["AWS_ENDPOINT_URL"] }

// Region is what requests are signed for.
func (s Secret) Region() string { return s["AWS_DEFAULT_REGION"] }

// AccessKeyID is the public half of the key.
func (s Secret) AccessKeyID() string { return s["AWS_ACCESS_KEY_ID"] }

// SecretAccessKey is the secret half of the key.
func (s Secret) SecretAccessKey() string { return s["AWS_SECRET_ACCESS_KEY"] }

// Authority is the certificate authority of the endpoint in PEM, or empty.
func (s Secret) Authority() string { return s["COSI_CERTIFICATE_AUTHORITY"] }

// Virtual reports whether the bucket's name is part of the host.
func (s Secret) Virtual() bool { return s["AWS_S3_ADDRESSING_STYLE"] == "virtual" }

// HTTPS reports whether the endpoint speaks TLS.
func (s Secret) HTTPS() bool { return strings.HasPrefix(s.Endpoint(), "https://") }

// Host returns the host and port of the endpoint.
func (s Secret) Host() (string, error) {
	u, err := url.Parse(s.Endpoint())
	if err != nil {
		return "", fmt.Errorf("AWS_ENDPOINT_URL of the Secret: %w", err)
	}
	return u.Host, nil
}

// With returns a copy in which one key has another value.
func (s Secret) With(key, value string) Secret {
	changed := maps.Clone(s)
	changed[key] = value
	return changed
}

// Environ returns the Secret as environment variables. If it has a certificate
// authority, that is written to a file in dir, for AWS_CA_BUNDLE: the SDKs read
// files.
func (s Secret) Environ(dir string) ([]string, error) {
	var environ []string
	for _, key := range slices.Sorted(maps.Keys(s)) {
		environ = append(environ, key+"="+s[key])
	}
	bundle, err := s.AuthorityFile(dir)
	if err == nil && bundle != "" {
		environ = append(environ, "AWS_CA_BUNDLE="+bundle)
	}
	return environ, err
}

// AuthorityFile writes the certificate authority to a file in dir and returns
// its path, or nothing if there is none.
func (s Secret) AuthorityFile(dir string) (string, error) {
	if s.Authority() == "" {
		return "", nil
	}
	file := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(file, []byte(s.Authority()), 0o600); err != nil {
		return "", fmt.Errorf("write the certificate authority of the Secret: %w", err)
	}
	return file, nil
}
