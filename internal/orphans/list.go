package orphans

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cosi-emu/cosi-emu/internal/signing"
)

const (
	// listTimeout limits a listing.
	listTimeout = 2 * time.Minute
	// maxPage is far more than a page of a listing needs, in bytes.
	maxPage = 16 << 20
)

// ListCommand runs a command, and returns the words before the first tab or space of the lines that it prints. Its
// messages go to the writer. The result is never nil without an error.
func ListCommand(ctx context.Context, command []string, messages io.Writer) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr, cmd.WaitDelay = messages, time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil {
		err = fmt.Errorf("it did not end within %s", listTimeout)
	}
	if err != nil {
		return nil, fmt.Errorf("list the backend with %q: %w", strings.Join(command, " "), err)
	}
	names := []string{}
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) > 0 {
			names = append(names, words[0])
		}
	}
	return names, nil
}

// S3 is an S3 service, and a key that lists all buckets.
type S3 struct {
	// Endpoint is a URL without a bucket.
	Endpoint, Region string
	Key              aws.Credentials
	Client           *http.Client
}

// S3FromEnvironment returns the service at an endpoint with the key of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. An
// empty region means the one of AWS_REGION.
func S3FromEnvironment(endpoint, region string) (S3, error) {
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return S3{}, fmt.Errorf("%q is no URL such as https://s3.example.com", endpoint)
	}
	service := S3{Endpoint: endpoint, Region: cmp.Or(region, os.Getenv("AWS_REGION"), "us-east-1"), Client: http.DefaultClient}
	service.Key = aws.Credentials{
		AccessKeyID: os.Getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
		SessionToken: os.Getenv("AWS_SESSION_TOKEN"),
	}
	if service.Key.AccessKeyID == "" || service.Key.SecretAccessKey == "" {
		return S3{}, errors.New("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key that may list all buckets")
	}
	return service, nil
}

// page is a response of ListBuckets.
type page struct {
	Buckets struct {
		Bucket []struct {
			Name string `xml:"Name"`
		} `xml:"Bucket"`
	} `xml:"Buckets"`
	ContinuationToken string `xml:"ContinuationToken"`
}

// ListBuckets returns the names of all buckets of the owner of the key. The result is never nil without an error.
func (s S3) ListBuckets(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	names, token := []string{}, ""
	for {
		listed, err := s.page(ctx, token)
		if err != nil {
			return nil, fmt.Errorf("list the buckets of %s: %w", s.Endpoint, err)
		}
		for _, bucket := range listed.Buckets.Bucket {
			names = append(names, bucket.Name)
		}
		if listed.ContinuationToken == "" || listed.ContinuationToken == token {
			return names, nil
		}
		token = listed.ContinuationToken
	}
}

func (s S3) page(ctx context.Context, token string) (listed page, err error) {
	at := strings.TrimSuffix(s.Endpoint, "/") + "/"
	if token != "" {
		at += "?continuation-token=" + url.QueryEscape(token)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, http.NoBody)
	if err != nil {
		return listed, err
	}
	if err := signing.Sign(request, s.Key, s.Region, nil); err != nil {
		return listed, err
	}
	response, err := s.Client.Do(request)
	if err != nil {
		return listed, err
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	body, err := io.ReadAll(io.LimitReader(response.Body, maxPage))
	if err != nil {
		return listed, err
	}
	if response.StatusCode != http.StatusOK {
		return listed, fmt.Errorf("the service answers %s: %s", response.Status, bytes.TrimSpace(body[:min(len(body), 500)]))
	}
	err = xml.Unmarshal(body, &listed)
	return listed, err
}
