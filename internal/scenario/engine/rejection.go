package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/drafts"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// rejected returns a failure if the API server has rejected a request.
func rejected(object client.Object, err error) error {
	// A status without a reason counts too: the rejection of an apply may have none.
	if status := apierrors.APIStatus(nil); !errors.As(err, &status) {
		return err
	}
	return &outcome.Failure{
		Subject: subjectOf(object), Message: fmt.Sprintf("%s was rejected: %s", subjectOf(object), drafts.Explain(object, err)),
		Rejection: err.Error(),
	}
}

// wantRejection inverts the outcome of a step: it passes if the API server rejects the request with
// the expected message.
func (r *run) wantRejection(ctx context.Context, s *spec.Step, answer error) error {
	want, err := r.variables.Text(ctx, s.Rejected)
	if err != nil {
		return err
	}
	if answer == nil {
		return &outcome.Failure{Message: "the API server accepted it; expected a rejection with " + want}
	}
	failure, ok := errors.AsType[*outcome.Failure](answer)
	switch {
	case !ok || failure.Rejection == "":
		return answer
	case !strings.Contains(failure.Rejection, want):
		failure.Message += "; expected a rejection with " + want
		return failure
	}
	return nil
}
