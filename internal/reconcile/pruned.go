package reconcile

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ReasonPruned is the reason of a PrunedError.
const ReasonPruned metav1.StatusReason = "Pruned"

// PrunedError means that the API server has dropped fields of a status. An API server drops fields
// that its CustomResourceDefinition lacks, such as one of an earlier draft, and reports no error.
type PrunedError struct {
	// Object is kind and name.
	Object string
	Fields []string
}

func (e *PrunedError) Error() string {
	return fmt.Sprintf("the API server has dropped %s of %s, which its CustomResourceDefinition lacks: "+
		"it is of another draft of COSI than this component; install the definitions of the component",
		strings.Join(e.Fields, ", "), e.Object)
}

// Status implements apierrors.APIStatus, as a rejection.
func (e *PrunedError) Status() metav1.Status {
	return metav1.Status{Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity, Reason: ReasonPruned, Message: e.Error()}
}

// PatchStatus writes the status of an object, and copies the API server's answer into the object.
// It returns a PrunedError if the answer lacks fields of the status.
func PatchStatus[T client.Object](ctx context.Context, c client.Client, object T, patch client.Patch) error {
	data, err := patch.Data(object)
	if err != nil {
		return err
	}
	// The answer is decoded into an empty object; any other would keep fields that the answer
	// lacks.
	answer := newObject[T]()
	answer.SetNamespace(object.GetNamespace())
	answer.SetName(object.GetName())
	if err := c.Status().Patch(ctx, answer, client.RawPatch(patch.Type(), data)); err != nil {
		return err
	}
	err = checkKept(describe(object), object, answer)
	reflect.ValueOf(object).Elem().Set(reflect.ValueOf(answer).Elem())
	return err
}

// checkKept returns a PrunedError if the answer to a write of the status lacks fields.
func checkKept(name string, wanted, answer client.Object) error {
	var statuses [2]any
	for i, object := range []client.Object{wanted, answer} {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return err
		}
		statuses[i] = content["status"]
	}
	lost := lostFields("status", statuses[0], statuses[1])
	if len(lost) == 0 {
		return nil
	}
	slices.Sort(lost)
	return &PrunedError{Object: name, Fields: slices.Compact(lost)}
}

// lostFields returns the paths of fields that only the first value has.
func lostFields(path string, wanted, answer any) []string {
	if isEmpty(answer) && !isEmpty(wanted) {
		return []string{path}
	}
	var lost []string
	switch wanted := wanted.(type) {
	case map[string]any:
		answers, _ := answer.(map[string]any)
		for name, value := range wanted {
			lost = append(lost, lostFields(path+"."+name, value, answers[name])...)
		}
	case []any:
		answers, _ := answer.([]any)
		for i, item := range wanted[:min(len(wanted), len(answers))] {
			lost = append(lost, lostFields(path+"[]", item, answers[i])...)
		}
	}
	return lost
}

// isEmpty reports whether the types of the API do not distinguish a value from a missing one.
func isEmpty(value any) bool {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Map, reflect.Slice:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}
