package azure_test

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
)

// find returns the blobs that a search finds, with their tags, and the marker of the next page.
func (a access) find(t *testing.T, where, query string) (all []string, next string) {
	t.Helper()
	var found struct {
		Blobs []struct {
			Name          string `xml:"Name"`
			ContainerName string `xml:"ContainerName"`
			Tags          []struct {
				Key   string `xml:"Key"`
				Value string `xml:"Value"`
			} `xml:"Tags>TagSet>Tag"`
		} `xml:"Blobs>Blob"`
		NextMarker string `xml:"NextMarker"`
	}
	got := a.want(t, http.StatusOK, a.do(t, http.MethodGet, "", "restype=container&comp=blobs&where="+url.QueryEscape(where)+query, ""))
	if err := xml.Unmarshal([]byte(got.body), &found); err != nil {
		t.Fatalf("%v: %s", err, got.body)
	}
	for _, b := range found.Blobs {
		text := b.ContainerName + "/" + b.Name
		for _, tag := range b.Tags {
			text += " " + tag.Key + "=" + tag.Value
		}
		all = append(all, text)
	}
	return all, found.NextMarker
}

// TestFindBlobsByTags: a search finds the blobs of a container whose tags meet all comparisons.
func TestFindBlobsByTags(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	a.put(t, "a", "", "x-ms-tags: colour=red&size=10")
	a.put(t, "b", "", "x-ms-tags: colour=red&size=20")
	a.put(t, "c", "", "x-ms-tags: colour=blue&a%20key=1")
	a.put(t, "none", "")
	a.want(t, http.StatusCreated, a.do(t, http.MethodPut, "a", "comp=snapshot", ""))
	for where, want := range map[string][]string{
		`colour='red'`:                          {"photos/a colour=red", "photos/b colour=red"},
		`"colour" = 'red' AND size > '10'`:      {"photos/b colour=red size=20"},
		`size>='10' and size<'20'`:              {"photos/a size=10"},
		`@container='photos' AND colour='blue'`: {"photos/c colour=blue"},
		`@container='other' AND colour='blue'`:  nil,
		`"a key" <= '1'`:                        {"photos/c a key=1"},
		`colour='green'`:                        nil,
	} {
		got, next := a.find(t, where, "")
		if diff := cmp.Diff(want, got); diff != "" || next != "" {
			t.Errorf("%s (-want +got):\n%s; then %q", where, diff, next)
		}
	}
	first, next := a.find(t, `colour>'a'`, "&maxresults=2")
	second, last := a.find(t, `colour>'a'`, "&maxresults=2&marker="+url.QueryEscape(next))
	all := []string{"photos/a colour=red", "photos/b colour=red", "photos/c colour=blue"}
	if diff := cmp.Diff(all, append(first, second...)); diff != "" ||
		len(first) != 2 ||
		last != "" {
		t.Errorf("pages of 2 (-want +got):\n%s; then %q", diff, last)
	}
	for where, want := range map[string]string{
		"":                                     "The query parameter where is required",
		"a":                                    "Error parsing query at or near character position 1",
		"a='b' or c='d'":                       "Error parsing query at or near character position 7: AND is expected",
		"a<>'b'":                               "Error parsing query at or near character position 1",
		"'a'='b'":                              "Error parsing query at or near character position 1",
		`a="b"`:                                "Error parsing query at or near character position 1",
		"a='b' and":                            "Error parsing query at or near character position 10",
		"a='@'":                                "not permitted in tag name or value",
		strings.Repeat("a", 129) + "=''":       "tag must be between 1 and 128 characters in length",
		`""='a'`:                               "tag must be between 1 and 128 characters in length",
		"a='" + strings.Repeat("b", 257) + "'": "tag value must be between 0 and 256 characters in length",
		strings.Join(strings.Split("a='1' b='1' c='1' d='1' e='1' f='1' g='1' h='1' i='1' j='1' k='1'", " "), " and "): "at most 10 unique tags",
	} {
		got := a.do(t, http.MethodGet, "", "restype=container&comp=blobs&where="+url.QueryEscape(where), "")
		if got.status != http.StatusBadRequest || !strings.Contains(got.body, want) {
			t.Errorf("%.30s: %d %s, want %s", where, got.status, got.body, want)
		}
	}
}
