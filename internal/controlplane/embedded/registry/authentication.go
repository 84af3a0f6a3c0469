package registry

import (
	"context"
	"errors"
	"net/http"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// tokenReviews authenticates tokens for programs that get them.
func tokenReviews(requests authenticator.Request, audiences authenticator.Audiences) reviewREST {
	return &review[authenticationv1.TokenReview, *authenticationv1.TokenReview]{
		singular: "tokenreview",
		check: func(_ context.Context, question *authenticationv1.TokenReview) error {
			if question.Spec.Token == "" {
				return apierrors.NewBadRequest("token is required for TokenReview in authentication")
			}
			return nil
		},
		answer: func(ctx context.Context, question *authenticationv1.TokenReview) (*authenticationv1.TokenReview, error) {
			wanted := authenticator.Audiences(question.Spec.Audiences)
			if len(wanted) == 0 {
				wanted = audiences
			}
			return question, reviewToken(authenticator.WithAudiences(ctx, wanted), requests, question, wanted)
		},
	}
}

func reviewToken(
	ctx context.Context, requests authenticator.Request, review *authenticationv1.TokenReview, audiences authenticator.Audiences,
) error {
	bearer := (&http.Request{Header: http.Header{"Authorization": {"Bearer " + review.Spec.Token}}}).WithContext(ctx)
	response, ok, err := requests.AuthenticateRequest(bearer)
	review.Status.Authenticated = ok
	if err != nil {
		review.Status.Error = err.Error()
	}
	if response == nil || response.User == nil {
		return nil
	}
	if len(audiences.Intersect(response.Audiences)) == 0 {
		return apierrors.NewInternalError(errors.New("error validating audiences"))
	}
	review.Status.User, review.Status.Audiences = userInfo(response.User), response.Audiences
	return nil
}

// selfSubjectReviews tells users who they are.
func selfSubjectReviews() reviewREST {
	return &review[authenticationv1.SelfSubjectReview, *authenticationv1.SelfSubjectReview]{
		singular: "selfsubjectreview",
		answer: func(ctx context.Context, _ *authenticationv1.SelfSubjectReview) (*authenticationv1.SelfSubjectReview, error) {
			who, ok := request.UserFrom(ctx)
			if !ok {
				return nil, apierrors.NewBadRequest("no user present on request")
			}
			return &authenticationv1.SelfSubjectReview{
				ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.Now()},
				Status:     authenticationv1.SelfSubjectReviewStatus{UserInfo: userInfo(who)},
			}, nil
		},
	}
}

func userInfo(who user.Info) authenticationv1.UserInfo {
	info := authenticationv1.UserInfo{
		Username: who.GetName(), UID: who.GetUID(), Groups: who.GetGroups(), Extra: map[string]authenticationv1.ExtraValue{},
	}
	for key, values := range who.GetExtra() {
		info.Extra[key] = values
	}
	return info
}
