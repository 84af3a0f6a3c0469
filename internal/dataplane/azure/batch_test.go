package azure_test

import (
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
)

// called is a request of a batch.
func (a access) called(method, blob, query string, headers ...string) string {
	target := strings.TrimPrefix(a.url(blob, query), a.f.address)
	return method + " " + target + " HTTP/1.1\r\n" + strings.Join(append(headers, "Content-Length: 0"), "\r\n") + "\r\n\r\n"
}

func (a access) batch(t *testing.T, contentType string, calls ...string) response {
	t.Helper()
	var body strings.Builder
	for i, call := range calls {
		fmt.Fprintf(
			&body,
			"--b=1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: %d\r\n\r\n%s\r\n",
			i,
			call,
		)
	}
	return a.do(t, http.MethodPost, "", "restype=container&comp=batch", body.String()+"--b=1--\r\n", "Content-Type: "+contentType)
}

// results returns the parts of the response: ID, status, and code of an error.
func (r response) results(t *testing.T) (all []string) {
	t.Helper()
	_, parameters, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if r.status != http.StatusAccepted || err != nil {
		t.Fatalf("the batch: %d %s, %v", r.status, r.code(), err)
	}
	parts := multipart.NewReader(strings.NewReader(r.body), parameters["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err != nil {
			return all
		}
		content, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		_, status, _ := strings.Cut(string(content), " ")
		_, code, _ := strings.Cut(string(content), "x-ms-error-code: ")
		code, _, _ = strings.Cut(code, "\r\n")
		all = append(all, strings.TrimSpace(part.Header.Get("Content-ID")+" "+status[:3]+" "+code))
	}
}

// TestBatches: each call of a batch is a request of its own, with its own signature.
func TestBatches(t *testing.T) {
	f := serve(t, azure.Options{})
	a := f.access(t)
	f.container(t, "other")
	foreign := f.signed("other", f.account(t, "ba-other", everything("other")), all)
	foreign.put(t, "theirs", "content")
	reader := f.signed("photos", f.account(t, "ba-reader", everything("photos")), "r")
	const mixed = "multipart/mixed; boundary=b=1"
	one, missing := a.called("DELETE", "a", ""), a.called("DELETE", "none", "")
	cool, unknown := a.called("PUT", "b", "comp=tier", "x-ms-access-tier: Cool"), a.called("PUT", "b", "comp=tier", "x-ms-access-tier: x")
	unsigned := "DELETE /" + sas.Account("photos") + "/photos/a HTTP/1.1\r\n\r\n"
	tooMany := slices.Repeat([]string{missing}, 257)
	for name, tc := range map[string]struct {
		contentType string
		calls       []string
		want        []string
	}{
		"Delete":   {mixed, []string{one, missing, a.called("DELETE", "b", "")}, []string{"0 202", "1 404 BlobNotFound", "2 202"}},
		"Tiers":    {mixed, []string{cool, unknown}, []string{"0 200", "1 400 InvalidHeaderValue"}},
		"Names":    {`MULTIPART/mixed;  Boundary = b=1`, []string{one}, []string{"400 InvalidHeaderValue"}},
		"Quoted":   {`multipart/mixed; boundary="b=1"`, []string{one}, []string{"0 202"}},
		"Case":     {`multipart/mixed; BOUNDARY= b=1 `, []string{one}, []string{"0 202"}},
		"Reader":   {mixed, []string{reader.called("DELETE", "a", "")}, []string{"0 403 AuthorizationPermissionMismatch"}},
		"Unsigned": {mixed, []string{unsigned}, []string{"0 401 NoAuthenticationInformation"}},
		"Foreign":  {mixed, []string{foreign.called("DELETE", "theirs", "")}, []string{"400 InvalidInput"}},
		"Reads":    {mixed, []string{a.called("GET", "a", "")}, []string{"400 InvalidInput"}},
		"Mixed":    {mixed, []string{one, cool}, []string{"400 InvalidInput"}},
		"None":     {mixed, nil, []string{"400 InvalidInput"}},
		"No call":  {mixed, []string{"x"}, []string{"400 InvalidInput"}},
		"Boundary": {"multipart/mixed", []string{one}, []string{"400 InvalidHeaderValue"}},
		"Twice":    {"multipart/mixed; boundary=a; boundary=b", []string{one}, []string{"400 InvalidInput"}},
		"Other":    {"multipart/mixed; boundary=c", []string{one}, []string{"400 InvalidInput"}},
		"Type":     {"text/plain; boundary=b=1", []string{one}, []string{"400 InvalidHeaderValue"}},
		"Too many": {mixed, tooMany, []string{"400 ExceedsMaxBatchRequestCount"}},
		"Too long": {mixed, []string{a.called("DELETE", "a", "", "x: "+strings.Repeat("x", 4<<20))}, []string{"413 RequestBodyTooLarge"}},
	} {
		a.put(t, "a", "one")
		a.put(t, "b", "one")
		if diff := cmp.Diff(tc.want, a.batch(t, tc.contentType, tc.calls...).results(t)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := a.do(t, http.MethodPost, "", "restype=container&comp=batch", ""); got.code() != "MissingRequiredHeader" {
		t.Errorf("without a type: %s", got.code())
	}
	account := f.address + "/" + sas.Account("photos") + "?comp=batch&" + a.token.Encode()
	if got := f.send(t, http.MethodPost, account, ""); got.code() != "AuthenticationFailed" {
		t.Errorf("to the account: %s", got.code())
	}
	if got := foreign.content(t, "theirs"); got != "content" {
		t.Errorf("the foreign blob is %q", got)
	}
}

// TestRevokedBatch: a batch delays no revocation, which ends its calls.
func TestRevokedBatch(t *testing.T) {
	var f *fixture
	revoke := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				if err := f.store.DeleteAccount(t.Context(), owner, "ba-all"); err != nil {
					t.Errorf("DeleteAccount(): %v", err)
				}
			}
			next.ServeHTTP(w, r)
		})
	}
	f = serve(t, azure.Options{Middleware: revoke})
	a := f.access(t)
	a.put(t, "a", "one")
	if got := a.batch(t, "multipart/mixed; boundary=b=1", a.called("DELETE", "a", "")); got.code() != "AuthenticationFailed" {
		t.Errorf("the batch: %d %s", got.status, got.code())
	}
	if got := f.signed("photos", f.account(t, "ba-new", everything("photos")), all).content(t, "a"); got != "one" {
		t.Errorf("the blob is %q", got)
	}
}
