package keyring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/internal/signing"
)

// keyTrialTimeout limits one request to an external service.
const keyTrialTimeout = 5 * time.Second

// TryGranted implements backend.Keys. It compares the answer with the answer to an unsigned request.
// It sends requests only to the endpoint that the driver has returned, without redirects or proxies.
func (r *Ring) TryGranted(ctx context.Context, key backend.GrantedKey, bucket string) (bool, error) {
	if key.Protocol != protocolS3 {
		return false, r.note(key.Protocol, errProtocol)
	}
	if r.S3.Handler != nil && key.Endpoint == r.S3.Endpoint { // bypasses the seams
		return r.S3.tryLists(ctx, backend.IssuedKey{AccessKeyID: key.AccessKeyID, Secret: key.Secret}, bucket)
	}
	target, err := trialURL(key, bucket)
	service := "endpoint " + shown(key.Endpoint)
	if skipped := r.skipped(service); skipped != nil {
		return false, skipped
	}
	if err != nil {
		return false, r.note(service, err)
	}
	opened, err := isOpened(ctx, target, &key)
	switch {
	case errors.Is(err, errAnonymous):
		return false, r.note(fmt.Sprintf("bucket %q of %s", bucket, service), err)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return false, r.note(service, errTooLong)
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		return false, r.note(service, err)
	}
	return opened, nil
}

// isOpened compares the answers to requests with and without a key.
func isOpened(ctx context.Context, target *url.URL, key *backend.GrantedKey) (bool, error) {
	signed, err := requestTrial(ctx, target, key)
	if err != nil || !signed {
		return false, err
	}
	anonymous, err := requestTrial(ctx, target, nil)
	if err == nil && anonymous {
		err = errAnonymous
	}
	return err == nil, err
}

// shown returns an endpoint for messages, without a password.
func shown(endpoint string) string {
	target, err := url.Parse(endpoint)
	if err != nil || target.Host == "" {
		return "without a host"
	}
	return target.Scheme + "://" + target.Host
}

func trialURL(key backend.GrantedKey, bucket string) (*url.URL, error) {
	target, err := url.Parse(key.Endpoint)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, errNoEndpoint // the text of the error may contain a password
	}
	target.User = nil
	target = target.JoinPath("/")
	if bucket == "" {
		return target, nil
	}
	if key.VirtualHosts {
		target.Host = bucket + "." + target.Host
	} else {
		target = target.JoinPath(bucket)
	}
	target.RawQuery = url.Values{"list-type": {"2"}, "max-keys": {"1"}}.Encode()
	return target, nil
}

// trialClient keeps no connections, and contacts no other host.
var trialClient = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Timeout:       keyTrialTimeout,
}

// requestTrial reports whether a request, which is signed if key is set, succeeds. The error is the
// reason for which the answer proves nothing.
func requestTrial(ctx context.Context, target *url.URL, key *backend.GrantedKey) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return false, err
	}
	if key != nil {
		credentials := aws.Credentials{AccessKeyID: key.AccessKeyID, SecretAccessKey: key.Secret}
		if err := signing.Sign(request, credentials, cmp.Or(key.Region, defaultTrialRegion), nil); err != nil {
			return false, err
		}
	}
	response, err := trialClient.Do(request)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // without the URL
		}
		return false, err
	}
	defer func() { _ = response.Body.Close() }() // only the status matters
	switch code := response.StatusCode; {
	case code < http.StatusMultipleChoices:
		return true, nil
	case code < http.StatusBadRequest, code >= http.StatusInternalServerError:
		return false, fmt.Errorf("the service answers %d %s", code, http.StatusText(code))
	}
	return false, nil
}

// defaultTrialRegion is the region of S3 services that have none.
const defaultTrialRegion = "us-east-1"
