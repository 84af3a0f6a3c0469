package instance

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// TestNamespacesLabel verifies that every set of namespaces is a label, and that two sets are two labels.
func TestNamespacesLabel(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 63)
	seen := map[string]string{}
	for name, names := range map[string][]string{
		"all": nil, "one": {"team-a"}, "two": {"team-b", "team-a"}, "like two": {"team", "a-team-b"},
		"longest": {long}, "too long": {long, "a"}, "another too long": {long, "b"},
	} {
		label := namespacesLabel(watched.New(names))
		if problems := validation.IsValidLabelValue(label); len(problems) > 0 {
			t.Errorf("%s: %q is no label: %v", name, label, problems)
		}
		if other, taken := seen[label]; taken {
			t.Errorf("%s and %s both have the label %q", name, other, label)
		}
		seen[label] = name
	}
	if label := namespacesLabel(watched.New([]string{"team-b", "team-a"})); label != "team-a.team-b" {
		t.Errorf("the label is %q, want the names in their order", label)
	}
}
