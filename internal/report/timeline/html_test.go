package timeline_test

import (
	"errors"
	"flag"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline"
)

var update = flag.Bool("update", false, "write the golden file")

func TestLanes(t *testing.T) {
	root := parse(t, write(t, fixture()), false)
	var got []string
	for n := range find(byID(root, "s2"), "lane-name") {
		got = append(got, ownText(n))
	}
	want := []string{"user", "controller", "sidecar", "driver", "sidecar.other", "driver.other", "kube-apiserver", "store"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lanes are in the order in which a request travels; -want, +got:\n%s", diff)
	}
}

func TestMarks(t *testing.T) {
	section := byID(parse(t, write(t, fixture()), false), "s2")
	tests := map[string]struct {
		reason  string
		classes []string
		want    int
	}{
		"All":     {reason: "Every event and every step is in the picture.", classes: []string{"mark"}, want: len(lifecycle().Events) + 5},
		"Writes":  {reason: "Requests that change something.", classes: []string{"mark", "write"}, want: 4},
		"Reads":   {reason: "They can be left out.", classes: []string{"mark", "read"}, want: 1},
		"Watches": {reason: "So can these.", classes: []string{"mark", "watch"}, want: 1},
		"Calls":   {reason: "Both ends of a call.", classes: []string{"mark", "call"}, want: 5},
		"Store":   {reason: "S3 and the driver's own calls.", classes: []string{"mark", "store"}, want: 2},
		"Lives":   {reason: "Crash, start, ready.", classes: []string{"mark", "process"}, want: 3},
		"Log":     {reason: "On the same clock.", classes: []string{"mark", "log"}, want: 1},
		"Bad":     {reason: "An error in the log.", classes: []string{"mark", "bad"}, want: 1},
		"Expected": {
			reason:  "A fault, the crash of a step, and the rejection that a step of S3 expects, are not bad.",
			classes: []string{"mark", "unsuccessful"}, want: 3,
		},
		"Faults":   {reason: "What was done on purpose stands out.", classes: []string{"mark", "faulty"}, want: 1},
		"Steps":    {reason: "The user's lane.", classes: []string{"mark", "step"}, want: 5},
		"Failed":   {reason: "The assertion that did not hold.", classes: []string{"mark", "step", "failed"}, want: 1},
		"Phases":   {reason: "Before the first step and after the last.", classes: []string{"phase"}, want: 2},
		"Links":    {reason: "Two calls, one of the driver's, one S3 request.", classes: []string{"link"}, want: 4},
		"Moment":   {reason: "Where it failed.", classes: []string{"failed-here"}, want: 1},
		"List":     {reason: "Every event and every step is in the list.", classes: []string{"row"}, want: len(lifecycle().Events) + 5},
		"Segments": {reason: "Pending, waiting, provisioned.", classes: []string{"segment"}, want: 3},
		"Deleting": {reason: "The end of the claim.", classes: []string{"life", "deleting"}, want: 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := count(section, tc.classes...); got != tc.want {
				t.Errorf("%s %d of %v, want %d", tc.reason, got, tc.classes, tc.want)
			}
		})
	}
}

func TestCut(t *testing.T) {
	section := byID(parse(t, write(t, fixture()), false), "s2")
	for n := range find(section, "cut") {
		if strings.Contains(textOf(n), "10.00 s") {
			return
		}
	}
	t.Error("the ten seconds in which nothing happens are not cut short")
}

func TestReferences(t *testing.T) {
	root := parse(t, write(t, fixture()), false)
	ids := map[string]int{}
	for n := range find(root) {
		if id := attribute(n, "id"); id != "" {
			ids[id]++
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d elements have the id %q", n, id)
		}
	}
	for n := range find(root) {
		encoded, internal := strings.CutPrefix(attribute(n, "href"), "#")
		target, err := url.PathUnescape(encoded)
		if attribute(n, "href") != "" && (!internal || err != nil || (target != "" && ids[target] == 0)) {
			t.Errorf("<%s href=%q> leads nowhere", n.Data, attribute(n, "href"))
		}
	}
}

func TestFailure(t *testing.T) {
	section := byID(parse(t, write(t, fixture()), false), "s2")
	var got []string
	for n := range find(section, "failure") {
		got = append(got, textOf(n))
	}
	want := []string{
		"Step 5, expect BucketClaim/photos s.yaml:14 BucketClaim/photos: condition not met Shown by event 25 " +
			"WhereExpectedGot status.readyToUsetruefalse " +
			"--- expected +++ got @@ -1,2 +1,2 @@ status: - readyToUse: true + readyToUse: false " +
			"Expected and got, as a whole Expectedstatus: readyToUse: trueGotstatus: readyToUse: false",
		"Oracle leak s.yaml:1 bucket bc-1 is left",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestBodies(t *testing.T) {
	root := parse(t, write(t, fixture()), false)
	got := textOf(byID(root, "s2-e13")) // the first write
	for _, want := range []string{"patched: true", "reason: WaitingForDriver", "event 13"} {
		if !strings.Contains(got, want) {
			t.Errorf("the event opens to %q, which has not %q", got, want)
		}
	}
}

func TestGolden(t *testing.T) {
	section := byID(parse(t, write(t, fixture()), false), "s2")
	var text strings.Builder
	if err := html.Render(&text, section); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "lifecycle.html")
	if *update {
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text.String(), "\n")); diff != "" {
		t.Errorf("if it is meant to be so, and was looked at, run the test with -update; -want, +got:\n%s", diff)
	}
}

func TestEmpty(t *testing.T) {
	for name, r := range map[string]report.Report{
		"Nothing": {}, "NoEvents": {Scenarios: []report.Scenario{{Name: "a"}}},
		"NoTimes": {Scenarios: []report.Scenario{{Steps: []report.Step{{}}, Failures: []report.Failure{{Step: new(7)}}}}},
		"AnyTimes": {Scenarios: []report.Scenario{{Started: start, Duration: math.MaxInt64, Events: []journal.Event{
			{Duration: math.MaxInt64}, {Time: start, Duration: -1}, {Time: time.Unix(1<<60, 0)},
		}}}},
	} {
		t.Run(name, func(t *testing.T) {
			if n := count(parse(t, write(t, r), true), "skip"); n != 1 {
				t.Errorf("the page has %d links to its contents, want 1", n)
			}
		})
	}
}

var errDisk = errors.New("disk full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errDisk }

func TestWriteFails(t *testing.T) {
	if err := timeline.Write(fullDisk{}, fixture()); !errors.Is(err, errDisk) {
		t.Errorf("got %v, want the error of the writer", err)
	}
}
