// Package s3access makes an S3 client of the values that COSI gives an application: the keys
// of the Secret of a BucketAccess, which are also the usual environment variables.
package s3access

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Values that COSI does not set, but an environment may have.
const (
	variableRegion       = "AWS_REGION"
	variableSessionToken = "AWS_SESSION_TOKEN" //nolint:gosec // the name of a variable
)

// DefaultRegion is the region for signatures if a driver returns none; most stores ignore it.
const DefaultRegion = "us-east-1"

// Options returns the options of a client by the values of keys, and its transport, whose idle
// connections the caller closes. The default endpoint is AWS.
func Options(value func(key string) string) (s3.Options, *http.Transport, error) {
	transport := &http.Transport{}
	if authority := value(v1alpha2.SecretKeyCertificateAuthority); authority != "" {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM([]byte(authority)) {
			return s3.Options{}, nil, fmt.Errorf("no certificate in %s", v1alpha2.SecretKeyCertificateAuthority)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	options := s3.Options{
		Region: cmp.Or(value(v1alpha2.SecretKeyS3Region), value(variableRegion)),
		Credentials: credentials.NewStaticCredentialsProvider(
			value(v1alpha2.SecretKeyS3AccessKeyID), value(v1alpha2.SecretKeyS3SecretAccessKey), value(variableSessionToken)),
		HTTPClient: &http.Client{Transport: transport},
	}
	if endpoint := value(v1alpha2.SecretKeyS3Endpoint); endpoint != "" {
		options.BaseEndpoint = aws.String(endpoint)
		options.UsePathStyle = value(v1alpha2.SecretKeyS3AddressingStyle) != v1alpha2.S3AddressingStyleVirtual
	}
	return options, transport, nil
}
