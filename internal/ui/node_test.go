package ui

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestReadConditions(t *testing.T) {
	const head = "kind: BucketClaim\nmetadata: {namespace: demo, name: photos}\n"
	for name, tc := range map[string]struct {
		reason, object, state string
		want                  []condition
	}{
		"None":  {"a claim that no component has seen", head, stateUnknown, nil},
		"Ready": {"a claim of a draft without conditions", head + "status: {readyToUse: true}", stateGood, nil},
		"Error": {
			"status.error of a draft without conditions", head + "status: {readyToUse: false, error: {message: no such class}}", statePoor,
			[]condition{{Type: "error", Message: "no such class", State: statePoor}},
		},
		"Condition": {
			"a condition of the KEP", head + "status: {conditions: [{type: Provisioned, status: 'True', reason: Done}], readyToUse: true}",
			stateGood, []condition{{Type: "Provisioned", Status: "True", Reason: "Done", State: stateGood}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(tc.object), &object.Object); err != nil {
				t.Fatal(err)
			}
			n := newNode(object)
			if diff := cmp.Diff(tc.want, n.Conditions); diff != "" || n.State != tc.state {
				t.Errorf("%s: state %s, want %s; conditions -want, +got:\n%s", tc.reason, n.State, tc.state, diff)
			}
		})
	}
}
