package app_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

func startS3(ctx context.Context, t *testing.T) *s3.Client {
	t.Helper()
	container, err := testcontainers.Run(ctx, "ghcr.io/cosi-emu/cosi-emu:v0.2.0",
		testcontainers.WithCmd("up", "--only", "s3", "--listen", "0.0.0.0", "--s3-port", "9000", "--bucket", "photos"),
		testcontainers.WithEnv(map[string]string{"COSI_EMU_S3_ROOT_KEY": "test:testtest"}),
		testcontainers.WithExposedPorts("9000/tcp"),
		testcontainers.WithWaitStrategy(wait.ForLog("Object storage is up")),
	)
	testcontainers.CleanupContainer(t, container)
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := container.PortEndpoint(ctx, "9000/tcp", "http")
	if err != nil {
		t.Fatal(err)
	}
	return s3.New(s3.Options{
		BaseEndpoint: aws.String(endpoint), Region: "eu-central-1", UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider("test", "testtest", ""),
	})
}
