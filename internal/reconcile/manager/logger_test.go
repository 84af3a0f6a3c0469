package manager

import (
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
)

func TestLimitVerbosity(t *testing.T) {
	var lines []string
	log := limitVerbosity(funcr.New(func(prefix, args string) { lines = append(lines, prefix+" "+args) }, funcr.Options{Verbosity: 10}))
	log = log.WithName("test").WithValues("key", "value").WithCallDepth(1)
	log.V(maxVerbosity).Info("said")
	log.V(maxVerbosity + 1).Info("Response Body")
	log.V(4).V(4).Info("Request Body")
	want := []string{`test "level"=7 "msg"="said" "key"="value"`}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}
