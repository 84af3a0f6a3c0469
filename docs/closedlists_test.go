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

	"github.com/cosi-emu/cosi-emu/hack/kepcoverage"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
)

const api = "../apis/objectstorage/v1alpha2/"

// code is a part of a text that is set as code.
var code = regexp.MustCompile("`([^`]+)`")

// TestClosedLists checks that every name in the API, the protocol and the metrics has
// a row that sets it as code.
func TestClosedLists(t *testing.T) {
	document, err := kepcoverage.Statements.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, row := range document.Rows() {
		for _, match := range code.FindAllStringSubmatch(row.Says+row.Decision, -1) {
			named[match[1]] = true
		}
	}
	lists := map[string][]string{
		"conditions": constants(t, api+"conditions.go", "^Condition"),
		"reasons":    constants(t, api+"reasons.go", "^Reason"),
		"annotations and finalizers": append(constants(t, api+"annotations.go", "Annotation$"),
			constants(t, api+"constants.go", "Finalizer$")...),
		"keys of Secrets":   constants(t, api+"secretkeys.go", "^SecretKey"),
		"enumerated values": constants(t, api+"shared_types.go", "."),
		"calls":             calls(t),
		"metrics":           metrics(t),
	}
	for list, names := range lists {
		if len(names) < 3 {
			t.Errorf("%d %s found, want at least 3: %v", len(names), list, names)
		}
		for _, name := range names {
			if !named[name] {
				t.Errorf("%s: %s has no row in %s", list, name, kepcoverage.Statements.Data)
			}
		}
	}
}

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

func calls(t *testing.T) []string {
	t.Helper()
	return matches(t, "../proto/cosi/v1alpha2/cosi.proto", `(?m)^\s*rpc (\w+)\(`)
}

func metrics(t *testing.T) []string {
	t.Helper()
	return matches(t, "../internal/reconcile/kepmetrics/kepmetrics.go", `"(cosi_\w+)"`)
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

// TestCodes compares the page's table of gRPC codes with the product: every code of
// every call.
func TestCodes(t *testing.T) {
	documented := map[string]map[string]string{}
	var head []string
	for line := range strings.SplitSeq(coverage(t), "\n") {
		switch cells := cellsOf(line); {
		case len(cells) == 0:
			head = nil
		case cells[0] == "Code":
			head = cells
		case head != nil && !strings.HasPrefix(cells[0], "---"):
			results := map[string]string{}
			for i, call := range head[1:] {
				results[strings.Trim(call, "`")] = cells[i+1]
			}
			documented[cells[0]] = results
		}
	}
	if diff := cmp.Diff(handled(t), documented); diff != "" {
		t.Errorf("-product, +page:\n%s", diff)
	}
}

func cellsOf(line string) []string {
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// handled returns the product's reaction to each code of each call.
func handled(t *testing.T) map[string]map[string]string {
	t.Helper()
	methods := slices.DeleteFunc(calls(t), func(call string) bool { return call == "DriverGetInfo" })
	all := map[string]map[string]string{}
	for code := codes.OK; code <= codes.Unauthenticated; code++ {
		name := fmt.Sprintf("%s (%d)", code, code)
		all[name] = map[string]string{}
		for _, method := range methods {
			switch {
			case code == codes.OK:
				all[name][method] = "success"
			case driver.IsFinal(method, code):
				all[name][method] = "terminal"
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
