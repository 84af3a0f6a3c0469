package azure_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
)

// TestTiers: the tier of a blob is a property, and an archived blob is neither read nor changed.
func TestTiers(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	archived := []step{put("one"), set("tier", "OK", "x-ms-access-tier: archive")}
	a.put(t, "source", "one")
	a.want(t, http.StatusOK, a.do(t, http.MethodPut, "source", "comp=tier", "", "x-ms-access-tier: Archive"))
	copied := "x-ms-copy-source: " + a.url("source", "")
	tier := func(want, inferred string) step {
		return step{method: "HEAD", want: "OK", header: map[string]string{"X-Ms-Access-Tier": want, "X-Ms-Access-Tier-Inferred": inferred}}
	}
	then := func(more ...step) []step { return append(archived[:2:2], more...) }
	a.tell(t, map[string]story{
		"inferred":  {"no client has set it", []step{put("one"), tier("Hot", "true")}},
		"set":       {"a client has set it", []step{put("one"), set("tier", "OK", "x-ms-access-tier: cool"), tier("Cool", "false")}},
		"put":       {"a put can set it", []step{put("one", "x-ms-access-tier: Cold"), tier("Cold", "false")}},
		"inherited": {"a put inherits it", []step{put("one", "x-ms-access-tier: Cold"), put("two"), tier("Cold", "false")}},
		"list": {
			"a list can set it",
			[]step{
				{method: "PUT", query: "comp=blocklist", body: "<BlockList/>", headers: []string{"x-ms-access-tier: Cool"}, want: "OK"},
				tier("Cool", "false"),
			},
		},
		"rehydrated": {
			"the content is there at once",
			then(set("tier", "OK", "x-ms-access-tier: Hot", "x-ms-rehydrate-priority: High"), step{method: "GET", want: "OK"}),
		},
		"get":        {"it is archived", then(step{method: "GET", want: "BlobArchived"})},
		"head":       {"properties can be read", then(tier("Archive", "false"))},
		"metadata":   {"it is archived", then(set("metadata", "BlobArchived"), step{method: "HEAD", query: "comp=metadata", want: "OK"})},
		"properties": {"it is archived", then(set("properties", "BlobArchived"))},
		"overwrite":  {"it is archived", then(step{method: "PUT", headers: []string{blockTyped}, want: "BlobArchived"})},
		"block": {
			"it is archived",
			then(step{method: "PUT", query: "comp=block&blockid=" + blockID("a"), body: "x", want: "BlobArchived"}),
		},
		"commit":   {"it is archived", then(step{method: "PUT", query: "comp=blocklist", body: "<BlockList/>", want: "BlobArchived"})},
		"blocks":   {"it is archived", then(step{method: "GET", query: "comp=blocklist", want: "BlobArchived"})},
		"snapshot": {"it is archived", then(set("snapshot", "BlobArchived"))},
		"tags": {
			"tags can be changed",
			then(step{method: "PUT", query: "comp=tags", body: tagDocument, want: "OK"}, step{method: "GET", query: "comp=tags", want: "OK"}),
		},
		"delete": {"it can be deleted", then(step{method: "DELETE", want: "OK"})},
		"copy":   {"an archived source needs another tier", []step{{method: "PUT", headers: []string{copied}, want: "BlobArchived"}}},
		"copy hot": {
			"an archived source has another tier",
			[]step{{method: "PUT", headers: []string{copied, "x-ms-access-tier: Hot"}, want: "OK"}, tier("Hot", "false")},
		},
		"from url": {
			"an archived source cannot be read",
			[]step{{method: "PUT", headers: []string{copied, blockTyped}, want: "BlobArchived"}},
		},
		"unknown": {"the tier is unknown", []step{put("one"), set("tier", "InvalidHeaderValue", "x-ms-access-tier: Warm")}},
		"missing": {"the header is required", []step{put("one"), set("tier", "MissingRequiredHeader")}},
		"priority": {
			"the priority is unknown",
			[]step{put("one"), set("tier", "InvalidHeaderValue", "x-ms-access-tier: Hot", "x-ms-rehydrate-priority: Now")},
		},
		"none": {"the blob does not exist", []step{set("tier", "BlobNotFound", "x-ms-access-tier: Hot")}},
		"append blob": {
			"only block blobs have tiers",
			[]step{
				{method: "PUT", headers: []string{appendTyped}, want: "OK"},
				set("tier", "AccessTierNotSupportedForBlobType", "x-ms-access-tier: Hot"),
				tier("", ""),
			},
		},
	})
	if got := a.do(t, http.MethodPut, "rehydrated", "comp=tier", "", "x-ms-access-tier: Archive"); got.status != http.StatusOK {
		t.Errorf("archiving: %d", got.status)
	}
	if got := a.do(t, http.MethodPut, "rehydrated", "comp=tier", "", "x-ms-access-tier: Cool"); got.status != http.StatusAccepted {
		t.Errorf("rehydrating: %d", got.status)
	}
	list := a.do(t, http.MethodGet, "", "restype=container&comp=list&prefix=put", "").body
	if !strings.Contains(list, "<AccessTier>Cold</AccessTier><AccessTierChangeTime>") || strings.Contains(list, "Inferred") {
		t.Errorf("the list is %s", list)
	}
}

// TestSnapshotsAreChanged: tier and tags of a snapshot are its own.
func TestSnapshotsAreChanged(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	a.put(t, "a", "one", "x-ms-tags: a=old")
	var snapshots []string
	for range 3 {
		snapshots = append(snapshots, url.QueryEscape(a.do(t, http.MethodPut, "a", "comp=snapshot", "").header.Get("X-Ms-Snapshot")))
	}
	etag := a.do(t, http.MethodHead, "a", "snapshot="+snapshots[1], "").header.Get("Etag")
	a.put(t, "a", "two")
	a.want(t, http.StatusNoContent, a.do(t, http.MethodPut, "a", "comp=tags&snapshot="+snapshots[1], tagDocument))
	a.want(t, http.StatusOK, a.do(t, http.MethodPut, "a", "comp=tier&snapshot="+snapshots[1], "", "x-ms-access-tier: Cool"))
	for i, snapshot := range snapshots {
		head := a.do(t, http.MethodHead, "a", "snapshot="+snapshot, "").header
		tags := a.do(t, http.MethodGet, "a", "comp=tags&snapshot="+snapshot, "").body
		if (head.Get("X-Ms-Access-Tier") == "Cool") != (i == 1) || strings.Contains(tags, "old") != (i != 1) || head.Get("Etag") != etag {
			t.Errorf("snapshot %d has %v, %s", i, head, tags)
		}
	}
	if got := a.content(t, "a"); got != "two" {
		t.Errorf("the blob is %q", got)
	}
	list := a.do(t, http.MethodGet, "", "restype=container&comp=list&include=snapshots", "").body
	if n := strings.Count(list, "<Snapshot>"); n != 3 {
		t.Errorf("the list has %d snapshots: %s", n, list)
	}
	if got := a.do(t, http.MethodPut, "a", "comp=tier&snapshot=2026", "", "x-ms-access-tier: Cool"); got.code() != "BlobNotFound" {
		t.Errorf("a missing snapshot: %s", got.code())
	}
}

// TestSeals: a sealed append blob keeps its content.
func TestSeals(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	log := step{method: "PUT", headers: []string{appendTyped}, want: "OK"}
	line := func(want string) step {
		return step{method: "PUT", query: "comp=appendblock", body: "line", want: want}
	}
	sealed := []step{log, line("OK"), head("X-Ms-Blob-Sealed", "false"), set("seal", "OK"), head("X-Ms-Blob-Sealed", "true")}
	a.tell(t, map[string]story{
		"append":   {"it is sealed", append(sealed, line("BlobIsSealed"))},
		"metadata": {"only its content is fixed", append(sealed, set("metadata", "OK", "x-ms-meta-a: b"), head("X-Ms-Blob-Sealed", "true"))},
		"new":      {"another blob replaces it", append(sealed, log, line("OK"))},
		"position": {
			"the position differs",
			[]step{log, line("OK"), set("seal", "AppendPositionConditionNotMet", "x-ms-blob-condition-appendpos: 0")},
		},
		"other":     {"only append blobs are sealed", []step{put("one"), set("seal", "InvalidBlobType")}},
		"missing":   {"the blob does not exist", []step{set("seal", "BlobNotFound")}},
		"condition": {"the condition does not hold", []step{log, set("seal", "ConditionNotMet", `If-Match: "0x0"`)}},
	})
	for header, want := range map[string]string{"x-ms-seal-blob: true": "true", "x-ms-seal-blob: false": "false"} {
		a.want(t, http.StatusAccepted, a.do(t, http.MethodPut, "copy", "", "", "x-ms-copy-source: "+a.url("append", ""), header))
		if got := a.do(t, http.MethodHead, "copy", "", "").header.Get("X-Ms-Blob-Sealed"); got != want {
			t.Errorf("the copy with %s is sealed: %s", header, got)
		}
	}
	if list := a.do(t, http.MethodGet, "", "restype=container&comp=list&prefix=append", "").body; !strings.Contains(
		list,
		"<Sealed>true</Sealed>",
	) {
		t.Errorf("the list is %s", list)
	}
}
