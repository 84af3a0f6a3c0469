package subprocess

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// The journal and faults read JSON. The components in this process send nothing else; a process may
// send the built-in kinds of Kubernetes in their binary form. The seam requests responses in JSON.

// speakJSON turns a request into one with a JSON body. A body of an unknown kind stays unchanged.
func speakJSON(r *http.Request) error {
	// The seam removes the binary form from a client's accepted types, of which one must remain.
	r.Header.Set("Accept", strings.Join(append(r.Header.Values("Accept"), runtime.ContentTypeJSON), ","))
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != runtime.ContentTypeProtobuf || r.Body == nil {
		return nil //nolint:nilerr // it is not in binary form
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if object, _, err := clientgoscheme.Codecs.UniversalDeserializer().Decode(body, nil, nil); err == nil {
		if body, err = json.Marshal(object); err != nil {
			return err
		}
		r.Header.Set("Content-Type", runtime.ContentTypeJSON)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return nil
}
