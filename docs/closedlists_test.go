package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

const api = "../apis/objectstorage/v1alpha2/"

// TestClosedLists: whatever has a name that users or other components go by has a
// row, in which the name is set as code.
func TestClosedLists(t *testing.T) {
	_, rows := readTable(t)
	named := map[string]bool{}
	for _, r := range rows {
		for _, name := range quoted(r.statement + r.decision) {
			named[name] = true
		}
	}
	lists := map[string][]string{
		"conditions and reasons":     constants(t, api+"conditions.go", "^(Condition|Reason)"),
		"annotations and finalizers": constants(t, api+"constants.go", "(Annotation|Finalizer)$"),
		"keys of Secrets":            constants(t, api+"secretkeys.go", "^SecretKey"),
		"enumerated values":          constants(t, api+"shared_types.go", "."),
		"calls":                      calls(t),
		"metrics":                    metrics(t),
	}
	for list, names := range lists {
		if len(names) < 3 {
			t.Errorf("%d %s are found: %v", len(names), list, names)
		}
		for _, name := range names {
			if !named[name] {
				t.Errorf("%s: %s has no row", list, name)
			}
		}
	}
}

// constants are the values of the constants of a file whose names match.
func constants(t *testing.T, file, matching string) []string {
	t.Helper()
	name := regexp.MustCompile(matching)
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !name.MatchString(spec.Names[0].Name) {
			return true
		}
		for _, value := range spec.Values {
			if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, text)
			}
		}
		return true
	})
	return values
}

// calls are the RPCs of the protocol.
func calls(t *testing.T) []string {
	t.Helper()
	return matches(t, "../proto/cosi/v1alpha2/cosi.proto", `(?m)^\s*rpc (\w+)\(`)
}

// metrics are those that the two components have of their own.
func metrics(t *testing.T) []string {
	t.Helper()
	return slices.Concat(
		matches(t, "../internal/reconcile/metrics/operations.go", `"(cosi_\w+)"`),
		matches(t, "../internal/sidecar/driver/metrics.go", `"(cosi_\w+)"`),
	)
}

func matches(t *testing.T, file, pattern string) []string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(content), -1) {
		found = append(found, match[1])
	}
	return found
}

// TestCodes compares the document's table of gRPC codes with the product: every
// code of every call.
func TestCodes(t *testing.T) {
	text, _ := readTable(t)
	documented := map[string]map[string]string{}
	var head []string
	for line := range strings.SplitSeq(text, "\n") {
		switch cells := cellsOf(line); {
		case len(cells) == 0:
			head = nil
		case cells[0] == "Code":
			head = cells
		case head != nil && !strings.HasPrefix(cells[0], "---"):
			verdicts := map[string]string{}
			for i, call := range head[1:] {
				verdicts[strings.Trim(call, "`")] = cells[i+1]
			}
			documented[cells[0]] = verdicts
		}
	}
	if diff := cmp.Diff(verdicts(t), documented); diff != "" {
		t.Errorf("the product (-), the document (+):\n%s", diff)
	}
}

// verdicts are what the product does.
func verdicts(t *testing.T) map[string]map[string]string {
	t.Helper()
	methods := slices.DeleteFunc(calls(t), func(call string) bool { return call == "DriverGetInfo" })
	all := map[string]map[string]string{}
	for code := codes.OK; code <= codes.Unauthenticated; code++ {
		name := fmt.Sprintf("%s (%d)", code, code)
		all[name] = map[string]string{}
		for _, method := range methods {
			switch failed := (&driver.CallError{Method: method, Code: code}); {
			case code == codes.OK:
				all[name][method] = "success"
			case failed.Terminal():
				all[name][method] = "final"
			default:
				all[name][method] = "retried"
			}
		}
	}
	if got := len(slices.Collect(maps.Keys(all))); got != 17 {
		t.Fatalf("%d codes, want gRPC's 17", got)
	}
	return all
}
