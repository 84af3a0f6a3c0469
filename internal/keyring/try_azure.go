package keyring

import (
	"context"
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

// keyTrial is the blob of a conditional write that never succeeds.
const keyTrial = "cosi-emu-key-trial"

// tryAzure tries a key by a shared access signature that it signs, with all permissions: the
// grant decides.
func (s Service) tryAzure(ctx context.Context, key backend.IssuedKey, bucket string) (bool, error) {
	if s.Handler == nil || bucket == "" {
		return false, nil // a signature is for a container
	}
	listed, err := s.tryAzureRequest(ctx, key, http.MethodGet, bucket, "", "restype=container&comp=list&maxresults=1")
	if err != nil || listed.code < http.StatusMultipleChoices {
		return err == nil, err
	}
	// The service checks the rights before the condition, which does not hold.
	written, err := s.tryAzureRequest(ctx, key, http.MethodPut, bucket, "/"+keyTrial, "")
	return written.code == http.StatusPreconditionFailed, err
}

func (s Service) tryAzureRequest(ctx context.Context, key backend.IssuedKey, method, bucket, path, query string) (*status, error) {
	answer := &status{header: http.Header{}}
	endpoint, err := url.Parse(s.Endpoint)
	if err != nil {
		return answer, err
	}
	token := sas.Token(bucket, key.AccessKeyID, key.Secret, sas.AllPermissions, "https,http").Encode()
	if query != "" {
		token += "&" + query
	}
	target := sas.Container(endpoint, bucket).String() + path + "?" + token
	request, err := http.NewRequestWithContext(ctx, method, target, http.NoBody)
	if err != nil {
		return answer, err
	}
	request.RemoteAddr, request.RequestURI = tcpport.Loopback+":0", request.URL.RequestURI()
	if method == http.MethodPut {
		request.Header.Set("If-Match", `"none"`)
		request.Header.Set("X-Ms-Blob-Type", "BlockBlob")
	}
	s.Handler.ServeHTTP(answer, request)
	return answer, nil
}
