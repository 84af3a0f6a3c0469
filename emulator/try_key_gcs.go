package emulator

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane"
)

// tryGCS tries a key as the token of Google's clients.
func (e *Emulator) tryGCS(ctx context.Context, key IssuedKey, bucket string) (bool, error) {
	if bucket == "" {
		// The list of buckets is the driver's: a key that is accepted gets 403 for it.
		listed, err := e.tryGCSRequest(ctx, key, http.MethodGet, "/storage/v1/b")
		return err == nil && listed.code != http.StatusUnauthorized, err
	}
	listed, err := e.tryGCSRequest(ctx, key, http.MethodGet, "/storage/v1/b/"+url.PathEscape(bucket)+"/o?maxResults=1")
	if err != nil || listed.code < http.StatusMultipleChoices {
		return err == nil, err
	}
	// The condition does not hold, which the service checks after the rights.
	written, err := e.tryGCSRequest(ctx, key, http.MethodPost,
		"/upload/storage/v1/b/"+url.PathEscape(bucket)+"/o?uploadType=media&ifGenerationMatch=1&name="+keyTrial)
	return written.code == http.StatusPreconditionFailed, err
}

func (e *Emulator) tryGCSRequest(ctx context.Context, key IssuedKey, method, path string) (*status, error) {
	answer := &status{header: http.Header{}}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(e.info.GCSEndpoint, "/")+path, http.NoBody)
	if err != nil {
		return answer, err
	}
	request.RemoteAddr, request.RequestURI = controlplane.Loopback+":0", request.URL.RequestURI()
	request.Header.Set("Authorization", "Bearer "+key.AccessKeyID+":"+key.Secret)
	e.gcs.Unwrapped().ServeHTTP(answer, request)
	return answer, nil
}
