package contract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// history runs a script of steps on the key k and returns the remaining versions, newest first:
// "content", or "marker", with "(null)" after null versions. The steps are
//
//	put TEXT
//	enable, suspend
//	delete [N | null]
//
// where N is the age of the version: 0 is the newest.
func history(f *fixture, script string) []string {
	f.Helper()
	for step := range strings.SplitSeq(script, ";") {
		verb, argument, _ := strings.Cut(strings.TrimSpace(step), " ")
		switch verb {
		case "put":
			f.put("k", argument)
		case "enable":
			f.must(f.SetVersioning(objects.Enabled))
		case "suspend":
			f.must(f.SetVersioning(objects.Suspended))
		case "delete":
			f.remove("k", f.versionID(argument))
		default:
			f.Fatalf("there is no step %q", step)
		}
	}
	return f.shown()
}

// versionID returns the ID of the version of an age; any other argument unchanged.
func (f *fixture) versionID(age string) string {
	var n int
	if _, err := fmt.Sscan(age, &n); err != nil {
		return age
	}
	return f.ListVersions(objects.Query{Prefix: "k", Max: 100}).Versions[n].ID
}

func (f *fixture) shown() []string {
	f.Helper()
	shown := []string{}
	for i, v := range f.ListVersions(objects.Query{Prefix: "k", Max: 100}).Versions {
		text := "marker"
		if !v.IsDeleteMarker {
			text = f.read(v.Body)
		}
		if v.ID == objects.NullVersion {
			text += "(null)"
		}
		if v.IsLatest != (i == 0) {
			f.Errorf("version %d: IsLatest = %v", i, v.IsLatest)
		}
		shown = append(shown, text)
	}
	return shown
}

//nolint:lll // one case a line
func TestVersions(t *testing.T) {
	tests := map[string]struct {
		reason, script string
		want           []string
	}{
		"Replace":           {"without versioning there is one version", "put a; put b", []string{"b(null)"}},
		"Delete":            {"without versioning nothing is left", "put a; delete", []string{}},
		"DeleteNull":        {"the null version can be named", "put a; delete null", []string{}},
		"DeleteMissing":     {"what is not there is no error", "put a; delete other", []string{"a(null)"}},
		"Enabled":           {"every PUT adds a version", "enable; put a; put b; put c", []string{"c", "b", "a"}},
		"EnabledLater":      {"what was there before is the null version", "put a; enable; put b", []string{"b", "a(null)"}},
		"Marker":            {"a deletion adds a marker", "enable; put a; delete", []string{"marker", "a"}},
		"Markers":           {"and another one another", "enable; put a; delete; delete", []string{"marker", "marker", "a"}},
		"MarkerOfNothing":   {"also where nothing is, as in S3", "enable; delete", []string{"marker"}},
		"Undelete":          {"without its marker the object is back", "enable; put a; delete; delete 0", []string{"a"}},
		"PutOverMarker":     {"a marker is a version among others", "enable; put a; delete; put b", []string{"b", "marker", "a"}},
		"FromTheMiddle":     {"versions go one by one", "enable; put a; put b; put c; delete 1", []string{"c", "a"}},
		"FromTheEnd":        {"the oldest", "enable; put a; put b; put c; delete 2", []string{"c", "b"}},
		"Newest":            {"the one before is the newest then", "enable; put a; put b; delete 0", []string{"a"}},
		"MarkerInTheMiddle": {"markers, too", "enable; put a; delete; put b; delete 1", []string{"b", "a"}},
		"All":               {"until nothing is left", "enable; put a; put b; delete 1; delete 0", []string{}},
		"Suspended":         {"there is one null version at most", "enable; put a; suspend; put b; put c", []string{"c(null)", "a"}},
		"SuspendedNull":     {"which may be from before", "put a; enable; put b; suspend; put c", []string{"c(null)", "b"}},
		"SuspendedDelete":   {"the marker takes the null version's place", "enable; put a; suspend; put b; delete", []string{"marker(null)", "a"}},
		"SuspendedOld":      {"also if that is not the newest", "put a; enable; put b; suspend; delete", []string{"marker(null)", "b"}},
		"SuspendedUndelete": {"the null marker can be named", "enable; put a; suspend; delete; delete null", []string{"a"}},
		"SuspendedAgain":    {"two deletions are one marker", "enable; put a; suspend; delete; delete", []string{"marker(null)", "a"}},
		"EnabledAgain":      {"the null version stays among the others", "enable; put a; suspend; put b; enable; put c", []string{"c", "b(null)", "a"}},
		"NullInTheMiddle":   {"and can be deleted there", "enable; put a; suspend; put b; enable; put c; delete null", []string{"c", "a"}},
		"NullReplaced":      {"or replaced, as the newest", "put a; enable; put b; put c; suspend; put d", []string{"d(null)", "c", "b"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, objects.Config{})
			got := history(f, tc.script)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: after %q (-want +got):\n%s", tc.reason, tc.script, diff)
			}
			f.checkReferences()
		})
	}
}

// checkReferences compares the references with the stored versions: every version of these tests
// has a blob of its own.
func (f *fixture) checkReferences() {
	f.Helper()
	want := int64(0)
	for _, v := range f.ListVersions(objects.Query{Max: 1000}).Versions {
		if v.Size() > 0 {
			want++
		}
	}
	references, blobs := f.blobs.held()
	if references != want || blobs != int(want) {
		f.Errorf("there are %d references to %d blobs, want %d", references, blobs, want)
	}
}
