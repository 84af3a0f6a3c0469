package registry

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
)

func subjectAccessReviews(a authorizer.Authorizer) reviewREST {
	return &review[authorizationv1.SubjectAccessReview, *authorizationv1.SubjectAccessReview]{
		singular: "subjectaccessreview",
		check: func(_ context.Context, q *authorizationv1.SubjectAccessReview) error {
			return invalid("", append(validateSubjectSpec(&q.Spec), validateEmptyMeta(q.ObjectMeta)...))
		},
		answer: func(ctx context.Context, q *authorizationv1.SubjectAccessReview) (*authorizationv1.SubjectAccessReview, error) {
			q.Status = decide(ctx, a, subject(&q.Spec), q.Spec.ResourceAttributes, q.Spec.NonResourceAttributes)
			return q, nil
		},
	}
}

func localSubjectAccessReviews(a authorizer.Authorizer) reviewREST {
	return &review[authorizationv1.LocalSubjectAccessReview, *authorizationv1.LocalSubjectAccessReview]{
		singular: "localsubjectaccessreview", namespaced: true,
		check: checkLocal,
		answer: func(
			ctx context.Context, q *authorizationv1.LocalSubjectAccessReview,
		) (*authorizationv1.LocalSubjectAccessReview, error) {
			q.Status = decide(ctx, a, subject(&q.Spec), q.Spec.ResourceAttributes, q.Spec.NonResourceAttributes)
			return q, nil
		},
	}
}

func checkLocal(ctx context.Context, q *authorizationv1.LocalSubjectAccessReview) error {
	errs := validateSubjectSpec(&q.Spec)
	if of := q.Spec.ResourceAttributes; of != nil && of.Namespace != q.Namespace {
		errs = append(errs, field.Invalid(field.NewPath("spec.resourceAttributes.namespace"), of.Namespace, "must match metadata.namespace"))
	}
	if q.Spec.NonResourceAttributes != nil {
		errs = append(errs, field.Invalid(field.NewPath("spec.nonResourceAttributes"), q.Spec.NonResourceAttributes,
			"disallowed on this kind of request"))
	}
	if err := invalid("", errs); err != nil {
		return err
	}
	if namespace := request.NamespaceValue(ctx); namespace != q.Namespace {
		return apierrors.NewBadRequest("spec.resourceAttributes.namespace must match namespace: " + namespace)
	}
	return nil
}

func selfSubjectAccessReviews(a authorizer.Authorizer) reviewREST {
	return &review[authorizationv1.SelfSubjectAccessReview, *authorizationv1.SelfSubjectAccessReview]{
		singular: "selfsubjectaccessreview",
		check: func(_ context.Context, q *authorizationv1.SelfSubjectAccessReview) error {
			errs := validateAttributes(q.Spec.ResourceAttributes, q.Spec.NonResourceAttributes)
			return invalid("", append(errs, validateEmptyMeta(q.ObjectMeta)...))
		},
		answer: func(ctx context.Context, q *authorizationv1.SelfSubjectAccessReview) (*authorizationv1.SelfSubjectAccessReview, error) {
			who, ok := request.UserFrom(ctx)
			if !ok {
				return nil, apierrors.NewBadRequest("no user present on request")
			}
			q.Status = decide(ctx, a, who, q.Spec.ResourceAttributes, q.Spec.NonResourceAttributes)
			return q, nil
		},
	}
}

func selfSubjectRulesReviews(rules authorizer.RuleResolver) reviewREST {
	return &review[authorizationv1.SelfSubjectRulesReview, *authorizationv1.SelfSubjectRulesReview]{
		singular: "selfsubjectrulesreview",
		check: func(_ context.Context, q *authorizationv1.SelfSubjectRulesReview) error {
			if q.Spec.Namespace == "" {
				return apierrors.NewBadRequest("no namespace on request")
			}
			return nil
		},
		answer: func(ctx context.Context, q *authorizationv1.SelfSubjectRulesReview) (*authorizationv1.SelfSubjectRulesReview, error) {
			who, ok := request.UserFrom(ctx)
			if !ok {
				return nil, apierrors.NewBadRequest("no user present on request")
			}
			return &authorizationv1.SelfSubjectRulesReview{Status: rulesOf(ctx, rules, who, q.Spec.Namespace)}, nil
		},
	}
}

func rulesOf(
	ctx context.Context, rules authorizer.RuleResolver, who user.Info, namespace string,
) authorizationv1.SubjectRulesReviewStatus {
	resources, urls, incomplete, err := rules.RulesFor(ctx, who, namespace)
	status := authorizationv1.SubjectRulesReviewStatus{
		ResourceRules:    make([]authorizationv1.ResourceRule, len(resources)),
		NonResourceRules: make([]authorizationv1.NonResourceRule, len(urls)),
		Incomplete:       incomplete,
	}
	for i, rule := range resources {
		status.ResourceRules[i] = authorizationv1.ResourceRule{
			Verbs: rule.GetVerbs(), APIGroups: rule.GetAPIGroups(), Resources: rule.GetResources(), ResourceNames: rule.GetResourceNames(),
		}
	}
	for i, rule := range urls {
		status.NonResourceRules[i] = authorizationv1.NonResourceRule{Verbs: rule.GetVerbs(), NonResourceURLs: rule.GetNonResourceURLs()}
	}
	if err != nil {
		status.EvaluationError = err.Error()
	}
	return status
}

func invalid(kind string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: authorizationv1.GroupName, Kind: kind}, "", errs)
}

func validateSubjectSpec(spec *authorizationv1.SubjectAccessReviewSpec) field.ErrorList {
	errs := validateAttributes(spec.ResourceAttributes, spec.NonResourceAttributes)
	if spec.User == "" && len(spec.Groups) == 0 {
		errs = append(errs, field.Invalid(field.NewPath("spec", "user"), spec.User, "at least one of user or group must be specified"))
	}
	return errs
}

func validateAttributes(resource *authorizationv1.ResourceAttributes, url *authorizationv1.NonResourceAttributes) field.ErrorList {
	path := field.NewPath("spec")
	switch {
	case resource != nil && url != nil:
		return field.ErrorList{field.Invalid(path.Child("nonResourceAttributes"), url,
			"cannot be specified in combination with resourceAttributes")}
	case resource == nil && url == nil:
		return field.ErrorList{field.Invalid(path, url,
			"exactly one of nonResourceAttributes or resourceAttributes must be specified")}
	case resource != nil:
		path = path.Child("resourceAttributes")
		return append(validateFieldSelector(resource.FieldSelector, path.Child("fieldSelector")),
			validateLabelSelector(resource.LabelSelector, path.Child("labelSelector"))...)
	default:
		return nil
	}
}

func validateFieldSelector(s *authorizationv1.FieldSelectorAttributes, path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	errs := validateForms(s.RawSelector, len(s.Requirements), path)
	options := metav1validation.FieldSelectorValidationOptions{AllowUnknownOperatorInRequirement: true}
	for i, requirement := range s.Requirements {
		errs = append(errs, metav1validation.ValidateFieldSelectorRequirement(requirement, options, path.Child("requirements").Index(i))...)
	}
	return errs
}

func validateLabelSelector(s *authorizationv1.LabelSelectorAttributes, path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	errs := validateForms(s.RawSelector, len(s.Requirements), path)
	options := metav1validation.LabelSelectorValidationOptions{AllowUnknownOperatorInRequirement: true}
	for i, requirement := range s.Requirements {
		errs = append(errs, metav1validation.ValidateLabelSelectorRequirement(requirement, options, path.Child("requirements").Index(i))...)
	}
	return errs
}

// validateForms checks that a selector has one of its two forms.
func validateForms(raw string, requirements int, path *field.Path) field.ErrorList {
	switch {
	case raw != "" && requirements > 0:
		return field.ErrorList{field.Invalid(path.Child("rawSelector"), raw, "may not specified at the same time as requirements")}
	case raw == "" && requirements == 0:
		return field.ErrorList{field.Required(path.Child("requirements"), "requirements or rawSelector is required")}
	default:
		return nil
	}
}

func validateEmptyMeta(meta metav1.ObjectMeta) field.ErrorList {
	meta.ManagedFields = nil
	if equality.Semantic.DeepEqual(metav1.ObjectMeta{}, meta) {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("metadata"), meta, "must be empty")}
}

func subject(spec *authorizationv1.SubjectAccessReviewSpec) user.Info {
	who := &user.DefaultInfo{Name: spec.User, Groups: spec.Groups, UID: spec.UID, Extra: map[string][]string{}}
	for key, values := range spec.Extra {
		who.Extra[key] = values
	}
	return who
}

func decide(
	ctx context.Context, a authorizer.Authorizer, who user.Info,
	resource *authorizationv1.ResourceAttributes, url *authorizationv1.NonResourceAttributes,
) authorizationv1.SubjectAccessReviewStatus {
	attributes := authorizer.AttributesRecord{User: who}
	if resource != nil {
		attributes.ResourceRequest, attributes.Verb, attributes.Namespace = true, resource.Verb, resource.Namespace
		attributes.APIGroup, attributes.APIVersion = resource.Group, resource.Version
		attributes.Resource, attributes.Subresource, attributes.Name = resource.Resource, resource.Subresource, resource.Name
	} else {
		attributes.Verb, attributes.Path = url.Verb, url.Path
	}
	decision, reason, err := a.Authorize(ctx, attributes)
	status := authorizationv1.SubjectAccessReviewStatus{
		Allowed: decision == authorizer.DecisionAllow, Denied: decision == authorizer.DecisionDeny, Reason: reason,
	}
	if err != nil {
		status.EvaluationError = err.Error()
	}
	return status
}
