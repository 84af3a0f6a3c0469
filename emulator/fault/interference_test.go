package fault_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

// TestInterferences compares the list with the tag, which the schema of scenarios has.
func TestInterferences(t *testing.T) {
	field, _ := reflect.TypeFor[fault.Effect]().FieldByName("Interfere")
	var names []string
	for _, a := range fault.Interferences() {
		names = append(names, string(a.Name))
		if a.About == "" || len(a.Kinds) == 0 {
			t.Errorf("%s has no description, or no kinds", a.Name)
		}
	}
	if diff := cmp.Diff(strings.Split(field.Tag.Get("enum"), ","), names); diff != "" {
		t.Errorf("-tag, +Interferences():\n%s", diff)
	}
}

func TestValidateInterference(t *testing.T) {
	at := func(operation string) fault.Match { return fault.Match{Seam: "api", Operation: operation} }
	tests := map[string]struct {
		match  fault.Match
		effect fault.Effect
		want   string // part of the error; empty if it is valid
	}{
		"Valid":     {at("patch buckets"), fault.Effect{Interfere: fault.Delete, Object: "BucketClaim/photos", After: true}, ""},
		"Namespace": {at("patch buckets"), fault.Effect{Interfere: fault.Delete, Object: "BucketClaim/team/photos"}, ""},
		"Event":     {at("event buckets"), fault.Effect{Interfere: fault.StripOwners, Object: "Secret/*"}, ""},
		"RPC":       {fault.Match{Seam: "rpc"}, fault.Effect{Interfere: fault.FlipPolicy, Object: "Bucket/*"}, ""},
		"Unknown":   {at(""), fault.Effect{Interfere: "kick", Object: "Bucket/*"}, `interfere is "kick" and must be delete or`},
		"NoObject":  {at(""), fault.Effect{Interfere: fault.Delete}, "interfere requires object as KIND/NAME"},
		"NoName":    {at(""), fault.Effect{Interfere: fault.Delete, Object: "Bucket"}, `not "Bucket"`},
		"NoKind": {
			at(""), fault.Effect{Interfere: fault.Delete, Object: "BucketClam/photos"},
			`delete does not exist for "BucketClam": did you mean "BucketClaim"?`,
		},
		"OtherKind":   {at(""), fault.Effect{Interfere: fault.FlipPolicy, Object: "Secret/key"}, `flip-policy does not exist for "Secret"`},
		"NoNamespace": {at(""), fault.Effect{Interfere: fault.Delete, Object: "Bucket/team/b"}, "Bucket has no namespace"},
		"AfterEvent": {
			at("event buckets"), fault.Effect{Interfere: fault.Delete, Object: "Bucket/b", After: true}, "after does not exist for events",
		},
		"OnlyObject": {at(""), fault.Effect{Fail: "500", Object: "Bucket/b"}, "object needs interfere"},
		"AtProcess": {
			fault.Match{Seam: "process"}, fault.Effect{Interfere: fault.Delete, Object: "Bucket/b"}, "interfere does not exist at seam process",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := fault.Fault{Name: "f", Match: tc.match, Effect: tc.effect}.Validate()
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Validate() = %v, want %q", err, tc.want)
			}
		})
	}
}

func TestTargets(t *testing.T) {
	tests := map[string]struct {
		object, kind, namespace, name string
		want                          bool
	}{
		"AnyNamespace":   {"BucketClaim/photos", "BucketClaim", "team", "photos", true},
		"Namespace":      {"BucketClaim/team/photos", "BucketClaim", "team", "photos", true},
		"OtherNamespace": {"BucketClaim/team/photos", "BucketClaim", "other", "photos", false},
		"OtherName":      {"BucketClaim/photos", "BucketClaim", "team", "photos2", false},
		"OtherKind":      {"BucketClaim/photos", "BucketAccess", "team", "photos", false},
		"Pattern":        {"Bucket/bc-*", "Bucket", "", "bc-17", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			e := fault.Effect{Interfere: fault.Delete, Object: tc.object}
			if got := e.Targets(tc.kind, tc.namespace, tc.name); got != tc.want {
				t.Errorf("%q.Targets(%s, %s, %s) = %v, want %v", tc.object, tc.kind, tc.namespace, tc.name, got, tc.want)
			}
		})
	}
}
