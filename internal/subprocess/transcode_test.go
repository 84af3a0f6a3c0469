package subprocess

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// TestSpeakJSON: requests of a process reach the seam as JSON.
func TestSpeakJSON(t *testing.T) {
	var binary bytes.Buffer
	secret := &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Name: "key"},
	}
	if err := protobuf.NewSerializer(clientgoscheme.Scheme, clientgoscheme.Scheme).Encode(secret, &binary); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		contentType, body   string
		wantType, wantInner string
	}{
		"Binary": {
			contentType: runtime.ContentTypeProtobuf, body: binary.String(),
			wantType: runtime.ContentTypeJSON, wantInner: `"name":"key"`,
		},
		"JSON": {
			contentType: "application/json", body: `{"a":1}`,
			wantType: "application/json", wantInner: `{"a":1}`,
		},
		"Patch": {
			contentType: "application/merge-patch+json", body: `{"a":null}`,
			wantType: "application/merge-patch+json", wantInner: `{"a":null}`,
		},
		"Unknown": {
			contentType: runtime.ContentTypeProtobuf, body: "k8s\x00nonsense",
			wantType: runtime.ContentTypeProtobuf, wantInner: "k8s\x00nonsense",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/namespaces/n/secrets", strings.NewReader(tc.body))
			r.Header.Set("Content-Type", tc.contentType)
			r.Header.Set("Accept", runtime.ContentTypeProtobuf)
			if err := speakJSON(r); err != nil {
				t.Fatal(err)
			}
			if got := r.Header.Get("Accept"); got != runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON {
				t.Errorf("Accept %q, want JSON, too", got)
			}
			body, err := io.ReadAll(r.Body)
			if err != nil || !strings.Contains(string(body), tc.wantInner) || r.ContentLength != int64(len(body)) {
				t.Errorf("body %q of length %d, %v; want %s in it", body, r.ContentLength, err, tc.wantInner)
			}
			if got := r.Header.Get("Content-Type"); got != tc.wantType {
				t.Errorf("Content-Type %q, want %q", got, tc.wantType)
			}
		})
	}
}
