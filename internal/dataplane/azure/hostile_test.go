package azure_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
)

// hostile is a request that must be rejected, with one of the codes.
type hostile struct {
	method, target, body string
	headers              []string
	want                 []string
}

// hostilities makes requests with a good signature, except where they are wrong.
type hostilities struct {
	access

	key fakedriver.Credentials
	all []hostile
}

// add adds a request for a blob, or for the container.
func (h *hostilities) add(want, method, blob, query, body string, headers ...string) {
	h.addTo(want, method, h.url(blob, query), body, headers...)
}

func (h *hostilities) addTo(want, method, target, body string, headers ...string) {
	h.all = append(h.all, hostile{method, target, body, headers, strings.Split(want, " ")})
}

// TestHostileRequests sends hundreds of requests, each of which must be rejected with the correct
// error and change nothing.
func TestHostileRequests(t *testing.T) {
	f := serve(t, azure.Options{MaxBodyBytes: 1 << 10, Logger: funcr.New(func(_, args string) {
		if strings.Contains(args, "request failed") {
			t.Errorf("the service has failed: %s", args)
		}
	}, funcr.Options{})})
	key := f.account(t, "ba-all", everything("photos"))
	h := &hostilities{access: f.signed("photos", key, all), key: key}
	h.put(t, "kept", "kept")
	etag := h.do(t, http.MethodHead, "kept", "", "").header.Get("Etag")
	for _, add := range []func(){
		h.signatures, h.fields, h.authorizations, h.permissions, h.operations, h.parameters, h.unsupported, h.versions, h.paths,
		h.checksums, h.documents, h.blocks, h.leases, h.lists, h.metadata, h.tags, h.conditions, h.types, h.sources, h.sizes,
	} {
		add()
	}
	t.Logf("%d requests", len(h.all))
	if len(h.all) < 300 {
		t.Errorf("there are %d requests, want at least 300", len(h.all))
	}
	for _, one := range h.all {
		got := f.send(t, one.method, one.target, one.body, one.headers...)
		if !slices.Contains(one.want, got.code()) {
			t.Errorf("%s %.300s %q: %d %s %.200s, want %s", one.method, one.target, one.headers, got.status, got.code(), got.body,
				strings.Join(one.want, " or "))
		}
	}
	if got := h.do(t, http.MethodGet, "kept", "", ""); got.body != "kept" || got.header.Get("Etag") != etag {
		t.Errorf("the blob was changed to %q, %v", got.body, got.header)
	}
	if list := h.do(t, http.MethodGet, "", "restype=container&comp=list&include=snapshots,uncommittedblobs",
		"").body; strings.Count(list, "<Blob>") != 1 {
		t.Errorf("blobs were made: %s", list)
	}
}

// signatures are changed after they were signed.
func (h *hostilities) signatures() {
	for _, name := range sas.Parameters() {
		given := h.token.Get(name)
		if given != "" {
			token := maps.Clone(h.token)
			token.Del(name)
			want := "AuthenticationFailed"
			if name == "sig" {
				want = "NoAuthenticationInformation"
			}
			h.addTo(want, http.MethodGet, access{h.f, h.container, token}.url("kept", ""), "")
		}
		h.addTo("AuthenticationFailed", http.MethodGet, h.changed(name, given+"x").url("kept", ""), "")
		h.addTo("AuthenticationFailed", http.MethodGet, h.changed(name, given, given+"y").url("kept", ""), "")
	}
	sig := h.token.Get("sig")
	for _, wrong := range []string{
		"", "A", "=", " ", "\x00", "é", sig[1:], sig[:len(sig)-1], sig + "=", sig + "\n", " " + sig, strings.ToLower(sig),
		url.QueryEscape(sig), strings.Repeat("A", 8<<10), base64.StdEncoding.EncodeToString(make([]byte, 32)), h.key.SecretAccessKey,
	} {
		h.addTo("AuthenticationFailed", http.MethodGet, h.changed("sig", wrong).url("kept", ""), "")
	}
}

// fields are signed, but malformed, or do not allow the request.
func (h *hostilities) fields() {
	signed := func(want, name, value string) {
		h.addTo(want, http.MethodGet, h.resigned(h.key.SecretAccessKey, name, value).url("kept", ""), "")
	}
	for _, wrong := range []string{
		"yesterday", "2026", "2026-13-01", "0000-00-00", "-1", "9999999999", "2026-01-01T25:00:00Z", "2026-01-01 00:00:00",
		"2026-01-01T00:00:00",
		"Mon, 02 Jan 2006 15:04:05 GMT", "2026-02-30", "\x00", "2026-01-01T00:00Z+01:00",
	} {
		signed("AuthenticationFailed", "st", wrong)
		signed("AuthenticationFailed", "se", wrong)
	}
	for _, wrong := range []string{
		"x", "1.2.3", "::1", "127.0.0.1-", "-127.0.0.1", "-", "127.0.0.2-127.0.0.9", "0.0.0.0", "127.0.0.1/8", "127.0.0.1-127.0.0.0",
		"999.1.1.1",
	} {
		signed("AuthorizationSourceIPMismatch", "sip", wrong)
	}
	for _, wrong := range []string{"https", "ftp", "HTTP", " http", "https;http"} {
		signed("AuthorizationProtocolMismatch", "spr", wrong)
	}
	for _, wrong := range []string{"b", "bs", "bv", "d", "", "C", "cc"} {
		signed("AuthenticationFailed", "sr", wrong)
	}
	for _, wrong := range []string{"", "x", "administrator", h.key.AccessKeyID + "x", strings.ToLower(h.key.AccessKeyID) + " ", "../x"} {
		signed("AuthenticationFailed", "si", wrong)
	}
	// Unknown keys, and secrets that an attacker may guess.
	for _, policy := range []string{"AKIAUNKNOWN", "", h.key.AccessKeyID} {
		for _, secret := range []string{"", "unknown", h.key.AccessKeyID} {
			guessed := access{h.f, h.container, sas.Token("photos", policy, secret, all, "https,http")}
			h.addTo("AuthenticationFailed", http.MethodGet, guessed.url("kept", ""), "")
		}
	}
}

func (h *hostilities) authorizations() {
	for _, value := range []string{
		"SharedKey x:y", "SharedKeyLite x:y", "Bearer x", "Basic eDp5", "AWS4-HMAC-SHA256 Credential=x", "x",
		"SharedKey " + h.key.AccessKeyID + ":" + h.key.SecretAccessKey,
	} {
		h.add("AuthenticationFailed", http.MethodGet, "kept", "", "", "Authorization: "+value)
	}
}

// permissions are missing.
func (h *hostilities) permissions() {
	none := h.resigned(h.key.SecretAccessKey, "sp", "")
	for _, r := range routes() {
		want := "AuthorizationPermissionMismatch"
		if r.permissions == "" {
			want = "AuthorizationFailure"
		}
		headers := slices.Clone(r.headers)
		for i, header := range headers {
			headers[i] = strings.Replace(header, source, h.url("kept", ""), 1)
		}
		h.addTo(want, r.method, none.url(r.blob, r.query), r.body, headers...)
	}
}

// operations are not served.
func (h *hostilities) operations() {
	h.add("NotImplemented", http.MethodPut, "", "restype=container&comp=undelete", "")
	for comp, method := range map[string]string{
		"incrementalcopy": "PUT", "expiry": "PUT", "immutabilityPolicies": "PUT", "legalhold": "PUT", "query": "POST", "undelete": "PUT",
	} {
		h.add("NotImplemented", method, "kept", "comp="+comp, "")
	}
	for _, comp := range []string{"foo", "LIST", "block%00", "versions", "acl%20"} {
		for _, method := range []string{"GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"} {
			h.add("NotImplemented", method, "kept", "comp="+comp, "")
			h.add("NotImplemented", method, "", "restype=container&comp="+comp, "")
		}
	}
	h.add("NotImplemented", "DELETE", "kept", "restype=container", "")
	h.add("NotImplemented", "GET", "", "", "")
}

// parameters are unsupported, ambiguous or malformed.
func (h *hostilities) parameters() {
	for _, r := range routes() {
		if r.permissions != "" && len(r.headers) == 0 {
			h.add("UnsupportedQueryParameter", r.method, r.blob, strings.TrimPrefix(r.query+"&versionid=2026-01-01", "&"), r.body)
		}
	}
	for _, query := range []string{"timeout=1&timeout=2", "snapshot=a&snapshot=b", "snapshot=null", "snapshot=&snapshot="} {
		h.add("InvalidQueryParameterValue", http.MethodGet, "kept", query, "")
	}
	for _, query := range []string{"a=%zz", "a;b=c", "%=1", "comp=list;restype=container"} {
		h.add("InvalidQueryParameterValue", http.MethodGet, "kept", query, "")
	}
	for _, id := range []string{"x", "2026-01-01", "../kept", "%00"} {
		h.add("BlobNotFound", http.MethodGet, "kept", "snapshot="+id, "")
		h.add("BlobNotFound", http.MethodDelete, "kept", "snapshot="+id, "")
	}
	h.add("InvalidQueryParameterValue", http.MethodGet, "kept", "comp=blocklist&blocklisttype=some", "")
}

// unsupported are headers that would change the result.
func (h *hostilities) unsupported() {
	for _, header := range []string{
		"x-ms-encryption-key: x", "x-ms-encryption-scope: x", "x-ms-legal-hold: true", "x-ms-immutability-policy-mode: locked",
		"x-ms-expiry-time: 1", "x-ms-structured-body: x", "x-ms-copy-source-authorization: Bearer x", "x-ms-previous-snapshot-url: x",
	} {
		h.add("UnsupportedHeader", http.MethodGet, "kept", "", "", header)
		h.add("UnsupportedHeader", http.MethodPut, "new", "", "new", "x-ms-blob-type: BlockBlob", header)
		h.add("UnsupportedHeader", http.MethodPut, "kept", "comp=metadata", "", header)
	}
}

func (h *hostilities) versions() {
	for _, wrong := range []string{"2011-08-18", "2019-12-11", "abc", "2026-99-99", "9999", "2026-01-01T00:00:00Z"} {
		h.add("InvalidHeaderValue", http.MethodGet, "kept", "", "", "x-ms-version: "+wrong)
	}
}

// paths name nothing.
func (h *hostilities) paths() {
	account, token := sas.Account("photos"), "?"+h.token.Encode()
	for _, container := range []string{"Photos", "ab", strings.Repeat("a", 64), "..", "%2e%2e", "a_b", "-ab", "%00ab", "$logs", "a..b"} {
		h.addTo("InvalidResourceName AuthenticationFailed", http.MethodGet, h.f.address+"/"+account+"/"+container+"/kept"+token, "")
	}
	for _, name := range []string{strings.Repeat("a", 1025), strings.Repeat("%C3%A4", 1025), "%ff", "a%00b", "%C3%28",
		strings.Repeat("a/", 600)} {
		h.addTo("InvalidResourceName", http.MethodPut, h.url(name, ""), "new", "x-ms-blob-type: BlockBlob")
	}
	for _, path := range []string{"/", "//photos/kept", "/" + strings.Repeat("a", 25) + "/photos/kept"} {
		h.addTo("InvalidUri", http.MethodGet, h.f.address+path+token, "")
	}
	for _, path := range []string{"/other/photos/kept", "/photos/kept", "/" + account + "x/photos/kept",
		"/" + strings.ToUpper(account) + "/photos/kept"} {
		h.addTo("AuthenticationFailed InvalidUri InvalidResourceName", http.MethodGet, h.f.address+path+token, "")
	}
	for _, name := range []string{"../photos/kept", "./kept", "kept/", "kept//", "%2e%2e/kept", "Kept", "kept%20"} {
		h.add("BlobNotFound", http.MethodGet, name, "", "")
	}
}

// checksums are malformed, or of other data.
func (h *hostilities) checksums() {
	const typed = "x-ms-blob-type: BlockBlob"
	for _, wrong := range []string{"x", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAA=", "5d41402abc4b2a76b9719d911017c592", "=",
		"AAAAAAAAAAAAAAAAAAAAAA"} {
		h.add("InvalidMd5", http.MethodPut, "new", "", "new", typed, "Content-MD5: "+wrong)
		h.add("InvalidMd5", http.MethodPut, "new", "", "new", typed, "x-ms-blob-content-md5: "+wrong)
		h.add("InvalidHeaderValue", http.MethodPut, "new", "", "new", typed, "x-ms-content-crc64: "+wrong)
	}
	block := "comp=block&blockid=" + blockID("abc")
	h.add("Md5Mismatch", http.MethodPut, "new", "", "new", typed, "Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==")
	h.add("Crc64Mismatch", http.MethodPut, "new", "", "new", typed, "x-ms-content-crc64: AAAAAAAAAAA=")
	h.add("Md5Mismatch", http.MethodPut, "new", block, "new", "Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==")
	h.add("Crc64Mismatch", http.MethodPut, "new", block, "new", "x-ms-content-crc64: AAAAAAAAAAA=")
	h.add("Md5Mismatch", http.MethodPut, "new", "comp=blocklist", "<BlockList/>", "Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==")
	h.add("Md5Mismatch", http.MethodPut, "kept", "comp=tags", tagDocument, "Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==")
	h.add("InvalidHeaderValue", http.MethodGet, "kept", "", "", "x-ms-range: bytes=0-1", "x-ms-range-get-content-md5: true",
		"x-ms-range-get-content-crc64: true")
	h.add("InvalidHeaderValue", http.MethodGet, "kept", "", "", "x-ms-range-get-content-md5: true")
	h.add("InvalidRange", http.MethodGet, "kept", "", "", "x-ms-range: bytes=4-")
}

// documents are malformed.
func (h *hostilities) documents() {
	for _, wrong := range []string{
		"", "x", "{}", "<", "<BlockList>", "<BlockList></Other>", "<Other/>", "<BlockList/><BlockList/>", "<BlockList/>x<",
		"</BlockList>", "<BlockList><Latest></BlockList>",
		`<!DOCTYPE a [<!ENTITY b "c">]><BlockList><Latest>&b;</Latest></BlockList>`, "<BlockList><Latest>&#0;</Latest></BlockList>",
		"\xff\xfe<BlockList/>",
		`<?xml version="1.0" encoding="utf-7"?><BlockList/>`, "<BlockList>" + strings.Repeat("<a>", 20_000),
	} {
		h.add("InvalidXmlDocument", http.MethodPut, "new", "comp=blocklist", wrong)
	}
	for _, wrong := range []string{
		"<BlockList><Latest>AAAA</Latest></BlockList>", "<BlockList><Latest/></BlockList>", "<BlockList><Other>AAAA</Other></BlockList>",
		"<BlockList><Committed>AAAA</Committed></BlockList>", "<BlockList><Uncommitted>../kept</Uncommitted></BlockList>",
	} {
		h.add("InvalidBlockList", http.MethodPut, "new", "comp=blocklist", wrong)
	}
	h.add("BlockListTooLong", http.MethodPut, "new", "comp=blocklist", "<BlockList>"+strings.Repeat("<Latest>AA==</Latest>",
		50_001)+"</BlockList>")
	for _, wrong := range []string{"", "x", "{}", "<Tags>", "<Other/>", "<Tags><TagSet></Tags>",
		"<Tags><TagSet><Tag><Key>&a;</Key></Tag></TagSet></Tags>"} {
		h.add("InvalidXmlDocument", http.MethodPut, "kept", "comp=tags", wrong)
	}
	tag := func(key, value string) string { return "<Tag><Key>" + key + "</Key><Value>" + value + "</Value></Tag>" }
	many := ""
	for i := range 11 {
		many += tag(fmt.Sprint("k", i), "v")
	}
	for _, wrong := range []string{many, tag("", "v"), tag("a", "1") + tag("a", "2"), tag(strings.Repeat("k", 129), "v"), tag("k",
		strings.Repeat("v", 257)), tag("k", "a\tb"), tag("k*", "v")} {
		h.add("InvalidTag", http.MethodPut, "kept", "comp=tags", "<Tags><TagSet>"+wrong+"</TagSet></Tags>")
	}
}

// blocks have wrong IDs or contents.
func (h *hostilities) blocks() {
	for _, id := range []string{"", "!!", "AAA", "%00", blockID(strings.Repeat("x", 65)), "AAAA%0A%00", "..%2F.."} {
		h.add("InvalidBlockId", http.MethodPut, "new", "comp=block&blockid="+id, "block")
	}
	h.add("InvalidBlockId", http.MethodPut, "new", "comp=block", "block")
	h.add("InvalidHeaderValue", http.MethodPut, "new", "comp=block&blockid="+blockID("abc"), "")
	h.add("InvalidBlobType", http.MethodPut, "kept", "comp=appendblock", "x")
	h.add("BlobNotFound", http.MethodPut, "new", "comp=appendblock", "x")
}

func (h *hostilities) leases() {
	const id = "x-ms-lease-id: 11111111-1111-1111-1111-111111111111"
	h.add("LeaseNotPresentWithContainerOperation", http.MethodGet, "", "restype=container", "", id)
	h.add("LeaseNotPresentWithBlobOperation", http.MethodPut, "new", "comp=block&blockid="+blockID("abc"), "new", id)
	h.add("MissingRequiredHeader", http.MethodPut, "kept", "comp=lease", "")
	h.add("MissingRequiredHeader", http.MethodPut, "kept", "comp=lease", "", "x-ms-lease-action: acquire")
	for _, action := range []string{"steal", "acquire,break", "*"} {
		h.add("InvalidHeaderValue", http.MethodPut, "kept", "comp=lease", "", "x-ms-lease-action: "+action)
	}
	for _, seconds := range []string{"0", "14", "61", "-2", "x", "1e1", "99999999999999999999"} {
		h.add("InvalidHeaderValue", http.MethodPut, "kept", "comp=lease", "", "x-ms-lease-action: acquire", "x-ms-lease-duration: "+seconds)
	}
	for _, id := range []string{"x", "1", "11111111-1111-1111-1111-11111111111", "*"} {
		h.add("InvalidHeaderValue", http.MethodPut, "kept", "comp=lease", "", "x-ms-lease-action: acquire", "x-ms-lease-duration: -1",
			"x-ms-proposed-lease-id: "+id)
	}
	h.add("LeaseNotPresentWithLeaseOperation", http.MethodPut, "kept", "comp=lease", "", "x-ms-lease-action: break")
	h.add("LeaseNotPresentWithBlobOperation", http.MethodPut, "kept", "comp=metadata", "",
		"x-ms-lease-id: 11111111-1111-1111-1111-111111111111")
}

func (h *hostilities) lists() {
	const list = "restype=container&comp=list&"
	for query, want := range map[string]string{
		"maxresults=x": "InvalidQueryParameterValue", "maxresults=1e3": "InvalidQueryParameterValue",
		"maxresults=99999999999999999999": "InvalidQueryParameterValue",
		"maxresults=0":                    "OutOfRangeQueryParameterValue", "maxresults=-1": "OutOfRangeQueryParameterValue",
		"marker=*":           "InvalidQueryParameterValue",
		"include=everything": "InvalidQueryParameterValue", "include=permissions": "InvalidQueryParameterValue",
		"include=metadata,,tags": "InvalidQueryParameterValue",
		"showonly=deleted":       "UnsupportedQueryParameter", "prefix=a&prefix=b": "InvalidQueryParameterValue",
		"delimiter=/&delimiter=-": "InvalidQueryParameterValue",
		"startFrom=a":             "UnsupportedQueryParameter",
	} {
		h.add(want, http.MethodGet, "", list+query, "")
	}
}

func (h *hostilities) metadata() {
	for _, header := range []string{"x-ms-meta-a-b: 1", "x-ms-meta-1a: 1", "x-ms-meta-: 1", "x-ms-meta-a.b: 1", "x-ms-meta-a!: 1",
		"x-ms-meta-a: \xff"} {
		h.add("InvalidMetadata", http.MethodPut, "kept", "comp=metadata", "", header)
		h.add("InvalidMetadata", http.MethodPut, "new", "", "new", "x-ms-blob-type: BlockBlob", header)
	}
	h.add("MetadataTooLarge", http.MethodPut, "kept", "comp=metadata", "", "x-ms-meta-a: "+strings.Repeat("x", 8<<10))
}

func (h *hostilities) tags() {
	many := strings.Repeat("&k=v", 2)
	for i := range 11 {
		many += fmt.Sprintf("&k%d=v", i)
	}
	for _, wrong := range []string{many, "=v", "a=1&a=2", strings.Repeat("k", 129) + "=v", "k=" + strings.Repeat("v", 257),
		"k=%00", "k=%zz", "k=*", "k;v=1"} {
		h.add("InvalidTag", http.MethodPut, "new", "", "new", "x-ms-blob-type: BlockBlob", "x-ms-tags: "+wrong)
	}
}

func (h *hostilities) conditions() {
	for _, name := range []string{"If-Modified-Since", "If-Unmodified-Since"} {
		for _, at := range []string{"yesterday", "2026-01-01T00:00:00Z", "0"} {
			h.add("InvalidHeaderValue", http.MethodGet, "kept", "", "", name+": "+at)
			h.add("InvalidHeaderValue", http.MethodPut, "kept", "", "new", "x-ms-blob-type: BlockBlob", name+": "+at)
			h.add("InvalidHeaderValue", http.MethodDelete, "kept", "", "", name+": "+at)
		}
	}
	h.add("ConditionNotMet", http.MethodPut, "kept", "", "new", "x-ms-blob-type: BlockBlob", `If-Match: "0x0"`)
	h.add("MultipleConditionHeadersNotSupported", http.MethodDelete, "kept", "", "", `If-Match: "0x0", "0x1"`)
	h.add("UnsatisfiableCondition", http.MethodGet, "kept", "", "", "If-None-Match: *")
	h.add("BlobAlreadyExists", http.MethodPut, "kept", "", "new", "x-ms-blob-type: BlockBlob", "If-None-Match: *")
	const past = "Mon, 02 Jan 2006 15:04:05 GMT"
	for _, header := range []string{"If-Match: *", "If-None-Match: *", "If-Modified-Since: " + past, "If-Unmodified-Since: " + past} {
		h.add("ConditionHeadersNotSupported", http.MethodGet, "", "restype=container", "", header)
		h.add("ConditionHeadersNotSupported", http.MethodGet, "", "restype=container&comp=list", "", header)
		h.add("ConditionHeadersNotSupported", http.MethodPut, "kept", "comp=block&blockid="+blockID("abc"), "new", header)
	}
	for _, condition := range []string{
		"a=1", "a", "=", "'a' = 'b'", `"a" = "b"`, `"a" = 'b' AND`, `"a" = 'b' XOR "c" = 'd'`, `("a" = 'b')`, `"a" == 'b'`, `"" = ''`,
		`"a" = 'b'; DROP`, `"a" LIKE 'b'`, `"a" = 'b' ANDc = 'd'`, "\xff = 'b'", `"a" = 'b`, strings.Repeat(`"a" = 'b' OR `, 1000),
	} {
		h.add("InvalidHeaderValue", http.MethodGet, "kept", "", "", "x-ms-if-tags: "+condition)
		h.add("InvalidHeaderValue", http.MethodPut, "kept", "", "new", "x-ms-blob-type: BlockBlob", "x-ms-if-tags: "+condition)
	}
	h.add("ConditionNotMet", http.MethodPut, "new", "", "new", "x-ms-blob-type: BlockBlob", `x-ms-if-tags: "a" = 'b'`)
}

func (h *hostilities) types() {
	h.add("MissingRequiredHeader", http.MethodPut, "new", "", "new")
	h.add("MissingRequiredHeader", http.MethodPut, "new", "", "", "x-ms-blob-type: PageBlob")
	h.add("InvalidHeaderValue", http.MethodPut, "new", "", "", "x-ms-blob-type: Blob")
	h.add("InvalidHeaderValue", http.MethodPut, "new", "", "new", "x-ms-blob-type: AppendBlob")
	h.add("InvalidHeaderValue", http.MethodDelete, "kept", "", "", "x-ms-delete-snapshots: all")
}

// sources of copies are not on this service, or may not be read.
func (h *hostilities) sources() {
	host := strings.TrimPrefix(h.f.address, "http://")
	_, token, _ := strings.Cut(h.url("kept", ""), "?")
	path := "/" + sas.Account("photos") + "/photos/"
	for _, from := range []string{
		"kept", path + "kept?" + token, "https://example.com" + path + "kept?" + token, "file:///etc/passwd",
		"http://127.0.0.1:1" + path + "kept?" + token,
		h.f.address, h.f.address + path, h.f.address + path + "kept", "http://user@" + host + "x" + path + "kept?" + token, "%zz",
		"http://[::1", "data:,x",
		h.f.address + path + "kept?" + strings.Replace(token, "sig=", "sig=A", 1),
		h.f.address + "/other/photos/kept?" + token, h.resigned(h.key.SecretAccessKey, "sp", "w").url("kept", ""),
		h.resigned(h.key.SecretAccessKey, "se", "2020-01-01").url("kept", ""), h.f.address + path + "kept?%zz",
	} {
		copied := "x-ms-copy-source: " + from
		want := "CannotVerifyCopySource"
		if u, err := url.Parse(from); err != nil || !u.IsAbs() {
			want = "InvalidHeaderValue"
		}
		h.add(want, http.MethodPut, "new", "", "", copied)
		h.add(want, http.MethodPut, "new", "", "", copied, "x-ms-blob-type: BlockBlob")
		h.add(want, http.MethodPut, "new", "comp=block&blockid="+blockID("abc"), "", copied)
	}
	copied := "x-ms-copy-source: " + h.url("kept", "")
	h.add("SourceConditionNotMet", http.MethodPut, "new", "", "", copied, `x-ms-source-if-match: "0x0"`)
	h.add("InvalidHeaderValue", http.MethodPut, "new", "", "", copied, "x-ms-source-if-modified-since: x")
	h.add("InvalidRange", http.MethodPut, "new", "comp=block&blockid="+blockID("abc"), "", copied, "x-ms-source-range: bytes=9-")
	h.add("Md5Mismatch", http.MethodPut, "new", "", "", copied, "x-ms-blob-type: BlockBlob",
		"x-ms-source-content-md5: AAAAAAAAAAAAAAAAAAAAAA==")
	h.add("InvalidHeaderValue", http.MethodPut, "new", "comp=block&blockid="+blockID("abc"), "body", copied)
	const otherMD5, otherCRC64 = "x-ms-source-content-md5: AAAAAAAAAAAAAAAAAAAAAA==", "x-ms-source-content-crc64: AAAAAAAAAAA="
	h.add("Md5Mismatch", http.MethodPut, "new", "", "", copied, "x-ms-requires-sync: true", otherMD5)
	h.add("Crc64Mismatch", http.MethodPut, "new", "", "", copied, "x-ms-requires-sync: true", otherCRC64)
	for _, header := range []string{"x-ms-blob-type: BlockBlob", "x-ms-requires-sync: true"} {
		h.add("InvalidHeaderValue", http.MethodPut, "new", "", "", copied, header, "x-ms-copy-source-tag-option: BOTH")
		h.add("BothUserTagsAndSourceTagsCopyPresentException", http.MethodPut, "new", "", "", copied, header,
			"x-ms-copy-source-tag-option: COPY", "x-ms-tags: a=b")
		h.add("CannotVerifyCopySource", http.MethodPut, "new", "", "",
			"x-ms-copy-source: "+h.resigned(h.key.SecretAccessKey, "sp", "r").url("kept", ""), header, "x-ms-copy-source-tag-option: COPY")
	}
}

func (h *hostilities) sizes() {
	large := strings.Repeat("x", 1<<10+1)
	h.add("RequestBodyTooLarge", http.MethodPut, "new", "", large, "x-ms-blob-type: BlockBlob")
	h.add("RequestBodyTooLarge", http.MethodPut, "new", "comp=block&blockid="+blockID("abc"), large)
}
