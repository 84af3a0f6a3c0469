package podproxy

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// createVerb is the verb that a stream requires, also if it begins with a GET.
const createVerb = "create"

// authorizeCreate rejects a user who may only read.
func (p *Proxy) authorizeCreate(ctx context.Context) error {
	info, ok := request.RequestInfoFrom(ctx)
	if !ok {
		return apierrors.NewInternalError(errors.New("no request info in context"))
	}
	if info.Verb == createVerb {
		return nil
	}
	attributes, err := filters.GetAuthorizerAttributes(ctx)
	if err != nil {
		return apierrors.NewInternalError(fmt.Errorf("error building authorizer attributes: %w", err))
	}
	decision, reason, err := p.Authorizer.Authorize(ctx, creating{attributes})
	if err != nil {
		return err
	}
	if decision != authorizer.DecisionAllow {
		return apierrors.NewForbidden(schema.GroupResource{Group: info.APIGroup, Resource: info.Resource}, info.Name, errors.New(reason))
	}
	return nil
}

// creating are the attributes of a request with another verb.
type creating struct{ authorizer.Attributes }

// GetVerb implements authorizer.Attributes.
func (creating) GetVerb() string { return createVerb }
