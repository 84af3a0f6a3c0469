package application

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/webidentity"
)

// roleARN is the prefix of a role's name in AWS clients. The role of an access has the
// access's name.
const roleARN = "arn:aws:iam::000000000000:role/"

func (a *Application) serviceAccountCredentials(
	ctx context.Context, asked *spec.S3, s3Options s3.Options,
) (aws.CredentialsProvider, error) {
	name, err := a.Variables.Text(ctx, asked.ServiceAccount)
	if err != nil {
		return nil, err
	}
	access, err := a.Variables.Text(ctx, asked.Access)
	if err != nil {
		return nil, err
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: a.Namespace, Name: name}}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{Audiences: []string{webidentity.Audience}}}
	if err := a.Client.SubResource("token").Create(ctx, account, request); err != nil {
		return nil, fmt.Errorf("get a token of ServiceAccount/%s: %w", name, err)
	}
	client := sts.New(sts.Options{
		BaseEndpoint: s3Options.BaseEndpoint, Region: s3Options.Region, HTTPClient: s3Options.HTTPClient,
		RetryMaxAttempts: s3Options.RetryMaxAttempts,
	})
	return stscreds.NewWebIdentityRoleProvider(client, roleARN+access, token(request.Status.Token)), nil
}

// token is the token that a Pod reads from a file.
type token string

// GetIdentityToken implements stscreds.IdentityTokenRetriever.
func (t token) GetIdentityToken() ([]byte, error) { return []byte(t), nil }
