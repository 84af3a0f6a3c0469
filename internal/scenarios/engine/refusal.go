package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// refused is a failure if the API server has refused a request, and says so: the
// scenario asks for something that is not allowed.
func refused(object client.Object, err error) error {
	// Not by its reason: what cannot be applied at all is refused without one.
	if status := apierrors.APIStatus(nil); !errors.As(err, &status) {
		return err
	}
	return &Failure{
		Subject: subjectOf(object), Message: fmt.Sprintf("%s was refused: %s", subjectOf(object), err), refusal: err.Error(),
	}
}

// wantRefusal turns the outcome of a step around: that the API server has refused
// it, in the words that are expected, is right.
func (r *run) wantRefusal(ctx context.Context, s *spec.Step, outcome error) error {
	want, err := r.text(ctx, s.Refused)
	if err != nil {
		return err
	}
	if outcome == nil {
		return &Failure{Message: "the API server has allowed it; expected: a refusal that says " + want}
	}
	failure, ok := errors.AsType[*Failure](outcome)
	switch {
	case !ok || failure.refusal == "":
		return outcome
	case !strings.Contains(failure.refusal, want):
		failure.Message += "; expected: a refusal that says " + want
		return failure
	}
	return nil
}
