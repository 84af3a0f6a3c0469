package application

import (
	"cmp"
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/scenario/s3access"
	"github.com/cosi-emu/cosi-emu/internal/scenario/signedurl"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/secretvalues"
)

type credentials struct {
	signedurl.Sender

	client *s3.Client
	bucket string
}

func (a *Application) credentials(ctx context.Context, asked *spec.S3) (*credentials, error) {
	name, err := a.Variables.Text(ctx, asked.Secret)
	if err != nil {
		return nil, err
	}
	secret := &corev1.Secret{}
	key := client.ObjectKey{}
	key.Namespace, key.Name = spec.SplitName(name, a.Namespace)
	if err := a.Client.Get(ctx, key, secret); err != nil {
		return nil, fmt.Errorf("read Secret/%s: %w", name, err)
	}
	values, err := secretvalues.Data(secret)
	if err != nil {
		return nil, err
	}
	value := func(key string) string { return values[key] }
	options, transport, err := s3access.Options(value)
	if err != nil {
		return nil, fmt.Errorf("use Secret/%s: %w", name, err)
	}
	c := &credentials{
		Sender: signedurl.Sender{Transport: transport, Attempts: max(1, a.Attempts)}, bucket: value(v1alpha2.SecretKeyBucketName),
	}
	options.RetryMaxAttempts, options.Region = c.Attempts, cmp.Or(options.Region, s3access.DefaultRegion)
	if !asked.Bucket.IsZero() {
		if c.bucket, err = a.Variables.Text(ctx, asked.Bucket); err != nil {
			return nil, err
		}
	}
	if !asked.ServiceAccount.IsZero() {
		if options.Credentials, err = a.serviceAccountCredentials(ctx, asked, options); err != nil {
			return nil, err
		}
	}
	c.client = s3.New(options)
	return c, nil
}
