package emulator_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// azureDo sends a request with a signature, and returns the error code, or OK, and the body.
// Azure's own client is in the module test/azure.
func azureDo(ctx context.Context, token, method, blob, query, body string) (code, content string, err error) {
	container, signature, _ := strings.Cut(token, "?")
	target := container
	if blob != "" {
		target += "/" + blob
	}
	request, err := http.NewRequestWithContext(ctx, method, target+"?"+signature+query, strings.NewReader(body))
	if err != nil {
		return "", "", err
	}
	request.Header.Set("X-Ms-Blob-Type", "BlockBlob")
	if method != http.MethodPut {
		request.Header.Del("X-Ms-Blob-Type")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", "", err
	}
	data, err := io.ReadAll(response.Body)
	if response.StatusCode < http.StatusMultipleChoices {
		return "OK", string(data), errors.Join(err, response.Body.Close())
	}
	return response.Header.Get("X-Ms-Error-Code"), string(data), errors.Join(err, response.Body.Close())
}

// azureCode is the code of azureDo.
func azureCode(t *testing.T, token, method, blob, body string) string {
	t.Helper()
	code, _, err := azureDo(t.Context(), token, method, blob, "", body)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// TestAzure uses a claim of Azure from the first request to the last, with only the Secret's contents.
func TestAzure(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, everyProtocol())
	s := newStory(t, emu).use(v1alpha2.ProtocolAzure, v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite})
	s.create(s.claim, s.access)
	s.waitReady()
	secret := s.secret()
	account, token := secret[v1alpha2.SecretKeyAzureStorageAccount], secret[v1alpha2.SecretKeyAzureSASToken]
	if secret["COSI_PROTOCOL"] != "Azure" || account == "" || !strings.HasPrefix(token, emu.Info().AzureEndpoint+"/"+account+"/") {
		t.Errorf("the Secret is %v", secret)
	}
	if expires, ok := secret[v1alpha2.SecretKeyAzureSASTokenExpires]; !ok || expires != "" {
		t.Errorf("the token ends %q, %t", expires, ok)
	}
	for _, step := range []struct{ method, want string }{{http.MethodPut, "OK"}, {http.MethodGet, "OK"}, {http.MethodDelete, "OK"},
		{http.MethodGet, "BlobNotFound"}} {
		if got := azureCode(t, token, step.method, "a/b.txt", ""); got != step.want {
			t.Errorf("%s: %s, want %s", step.method, got, step.want)
		}
	}
	s.delete(s.access)
	s.waitGone(s.access)
	if got := azureCode(t, token, http.MethodGet, "a/b.txt", ""); got != "AuthenticationFailed" {
		t.Errorf("with a revoked signature: %s", got)
	}
	s.delete(s.claim)
	s.waitDeprovisioned()
	if buckets, err := emu.Store().Buckets(t.Context()); err != nil || len(buckets) != 0 {
		t.Errorf("left: %v, %v", buckets, err)
	}
}

// TestAzureSeam: requests are in the journal, without signatures, and faults of the store seam
// apply to them. A crash of the component loses nothing.
func TestAzureSeam(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, everyProtocol())
	s := newStory(t, emu).use(v1alpha2.ProtocolAzure, v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite})
	s.create(s.claim, s.access)
	s.waitReady()
	token := s.secret()[v1alpha2.SecretKeyAzureSASToken]
	if got := azureCode(t, token, http.MethodPut, "kept", "content"); got != "OK" {
		t.Fatal(got)
	}
	err := emu.Faults().Add(fault.Fault{
		Name: "busy", Match: fault.Match{Seam: journal.SeamStore, Component: emulator.ComponentAzure, Operation: "GetBlob", Nth: 1},
		Effect: fault.Effect{Fail: "SlowDown"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := azureCode(t, token, http.MethodGet, "kept", ""); got != "ServerBusy" {
		t.Errorf("with a fault: %s", got)
	}
	component := emu.Component(emulator.ComponentAzure)
	if err := errors.Join(component.Crash(), component.Start(t.Context())); err != nil {
		t.Fatal(err)
	}
	code, content, err := azureDo(t.Context(), token, http.MethodGet, "kept", "", "")
	if code != "OK" || content != "content" || err != nil {
		t.Errorf("after a crash: %s, %q, %v", code, content, err)
	}
	put := emu.Journal().Since(0)
	if slices.ContainsFunc(put, func(event journal.Event) bool {
		return strings.Contains(string(event.Request)+string(event.Response)+event.Message, "sig=")
	}) {
		t.Errorf("the journal has a signature: %v", put)
	}
	put = slices.DeleteFunc(put, func(event journal.Event) bool {
		return event.Seam != journal.SeamStore || event.Component != emulator.ComponentAzure || event.Operation.Name != "PutBlob"
	})
	if len(put) != 1 {
		t.Errorf("the journal has %d PutBlob, want 1", len(put))
	}
	azureCode(t, token, http.MethodDelete, "kept", "")
}
