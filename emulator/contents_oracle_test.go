package emulator_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// resume uploads an object of GCS by requests with these contents and headers Content-Range.
func resume(t *testing.T, secret map[string]string, uploads, key string, chunks ...[2]string) {
	t.Helper()
	begun, _ := callGCS(t, secret, http.MethodPost, uploads+"resumable", `{"name": "`+key+`"}`)
	for _, chunk := range chunks {
		header := map[string]string{"Content-Range": chunk[1], "X-Guploader-No-308": "yes"} // the status is 200
		callGCS(t, secret, http.MethodPut, begun.Get("Location"), chunk[0], header)
	}
}

// TestLostContents: the oracle of lost data follows the objects of every protocol. It finds an object that
// has vanished, and does not complain about a bucket that the administrator has emptied.
func TestLostContents(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, everyProtocol())
	uploads := func(secret map[string]string) string {
		return emu.Info().GCSEndpoint + "/upload/storage/v1/b/" + secret["BUCKET_NAME"] + "/o?uploadType="
	}
	for _, tc := range []struct {
		name     string
		protocol v1alpha2.Protocol
		put      func(t *testing.T, secret map[string]string, key string)
	}{
		{"GCS", v1alpha2.ProtocolGCS, func(t *testing.T, secret map[string]string, key string) {
			t.Helper()
			askGCS(t, secret, http.MethodPost, uploads(secret)+"media&name="+key, "x")
		}},
		{"GCSBody", v1alpha2.ProtocolGCS, func(t *testing.T, secret map[string]string, key string) {
			t.Helper()
			document := "--b\r\nContent-Type: application/json\r\n\r\n{\"name\": \"" + key + "\"}"
			kind := map[string]string{"Content-Type": "multipart/related; boundary=b"}
			callGCS(t, secret, http.MethodPost, uploads(secret)+"multipart", document+"\r\n--b\r\n\r\nx\r\n--b--", kind)
		}},
		{"GCSResumable", v1alpha2.ProtocolGCS, func(t *testing.T, secret map[string]string, key string) {
			t.Helper()
			resume(t, secret, uploads(secret), key, [2]string{"x", "bytes 0-0/1"})
		}},
		{"GCSResumableEmpty", v1alpha2.ProtocolGCS, func(t *testing.T, secret map[string]string, key string) {
			t.Helper()
			resume(t, secret, uploads(secret), key, [2]string{strings.Repeat("x", 256<<10), "bytes 0-262143/*"}, [2]string{"", "bytes */262144"})
		}},
		{"Azure", v1alpha2.ProtocolAzure, func(t *testing.T, secret map[string]string, key string) {
			t.Helper()
			if code := azureCode(t, secret["AZURE_STORAGE_SAS_TOKEN"], http.MethodPut, key, "x"); code != "OK" {
				t.Fatalf("put %s: %s", key, code)
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newStory(t, emu).use(tc.protocol, v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite})
			s.create(s.claim, s.access)
			s.waitReady()
			claim := &v1alpha2.BucketClaim{}
			if err := emu.Client().Get(t.Context(), client.ObjectKeyFromObject(s.claim), claim); err != nil {
				t.Fatal(err)
			}
			bucket := claim.Status.BoundBucketName
			watcher, err := watch.Start(t.Context(), emu)
			if err != nil {
				t.Fatal(err)
			}
			scope := eventscope.Scope{Namespaces: []string{s.claim.Namespace}, Words: []string{bucket}}
			lost := func(moment string) (messages []string) {
				t.Helper()
				if err := watcher.Observe(t.Context(), moment, func() eventscope.Scope { return scope }, false); err != nil {
					t.Fatal(err)
				}
				for _, f := range oracle.Judge(watcher.Input(scope)) {
					if f.Oracle == vocabulary.Loss {
						messages = append(messages, f.Message)
					}
				}
				return messages
			}
			tc.put(t, s.secret(), "film")
			if err := emu.Store().AdminEmptyBucket(t.Context(), bucket); err != nil {
				t.Fatal(err)
			}
			tc.put(t, s.secret(), "song")
			if got := lost("when it is there"); got != nil {
				t.Errorf("findings about objects that were deleted, or are there: %q", got)
			}
			if err := emu.Store().EmptyBucket(t.Context(), bucket); err != nil {
				t.Fatal(err)
			}
			want := []string{`bucket "` + bucket + `" has no object "song" when it is gone, which was put into it, and no request has deleted it`}
			if diff := cmp.Diff(want, lost("when it is gone")); diff != "" {
				t.Errorf("findings (-want, +got):\n%s", diff)
			}
		})
	}
}

// TestEmptyBucket: an emulator without a store, and a bucket that does not exist.
func TestEmptyBucket(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	err := emu.Store().AdminEmptyBucket(t.Context(), "none")
	if err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("EmptyBucket() of a bucket that does not exist: %v", err)
	}
}
