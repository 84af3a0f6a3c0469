package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// aws implements the commands of the program that newcomers use: s3 cp FILE s3://BUCKET/ and s3 ls
// s3://BUCKET/.
func (s *shell) aws(ctx context.Context, args []string) (string, error) {
	const options = 2 // --endpoint-url URL
	if len(args) < options || args[0] != "--endpoint-url" {
		return "", fmt.Errorf("aws %s: the endpoint is missing", strings.Join(args, " "))
	}
	httpClient, err := s.httpClient()
	if err != nil {
		return "", err
	}
	defer httpClient.CloseIdleConnections()
	client := s3.New(s3.Options{
		HTTPClient: httpClient, BaseEndpoint: &args[1], Region: s.variables["AWS_DEFAULT_REGION"], UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(s.variables["AWS_ACCESS_KEY_ID"], s.variables["AWS_SECRET_ACCESS_KEY"], ""),
	})
	args = args[options:]
	switch {
	case len(args) == 4 && slices.Equal(args[:2], []string{"s3", "cp"}):
		content, err := os.Open(s.out(args[2]))
		if err != nil {
			return "", err
		}
		defer content.Close() //nolint:errcheck // only read
		_, err = client.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket(args[3]), Key: aws.String(path.Base(args[2])), Body: content})
		return "", err
	case len(args) == 3 && slices.Equal(args[:2], []string{"s3", "ls"}):
		list, err := client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: bucket(args[2])})
		if err != nil {
			return "", err
		}
		var printed strings.Builder
		for _, object := range list.Contents {
			fmt.Fprintln(&printed, aws.ToString(object.Key))
		}
		return printed.String(), nil
	default:
		return "", fmt.Errorf("aws %s: this newcomer knows s3 cp and s3 ls", strings.Join(args, " "))
	}
}

// httpClient returns a client that trusts the certificate authority in the environment.
func (s *shell) httpClient() (*http.Client, error) {
	transport := &http.Transport{}
	if file := s.variables["AWS_CA_BUNDLE"]; file != "" {
		authority, err := os.ReadFile(s.out(file))
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(authority)
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: transport}, nil
}

// bucket returns the bucket of a URL s3://BUCKET/.
func bucket(url string) *string {
	return aws.String(strings.TrimSuffix(strings.TrimPrefix(url, "s3://"), "/"))
}
