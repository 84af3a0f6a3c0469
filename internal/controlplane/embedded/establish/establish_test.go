package establish

import (
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
)

func TestBackdate(t *testing.T) {
	now := time.Now()
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(now)},
		Status: apiextensionsv1.CustomResourceDefinitionStatus{Conditions: []apiextensionsv1.CustomResourceDefinitionCondition{
			{Type: apiextensionsv1.NamesAccepted, LastTransitionTime: metav1.NewTime(now)},
			{Type: apiextensionsv1.Established, LastTransitionTime: metav1.NewTime(now)},
		}},
	}
	for range 2 { // the informer may call it again
		if _, err := Backdate(definition); err != nil {
			t.Fatal(err)
		}
		if age := now.Sub(definition.Status.Conditions[1].LastTransitionTime.Time); age != justEstablished {
			t.Errorf("established %s before, want %s", age, justEstablished)
		}
	}
	if !definition.Status.Conditions[0].LastTransitionTime.Time.Equal(now) {
		t.Error("another condition has changed")
	}
	gone := toolscache.DeletedFinalStateUnknown{Key: "a"}
	if got, err := Backdate(gone); got != any(gone) || err != nil {
		t.Errorf("got %v, %v for what is no definition", got, err)
	}
}
