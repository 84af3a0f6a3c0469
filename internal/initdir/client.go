package initdir

import (
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awscredentials "github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/certs"
	"github.com/cosi-emu/cosi-emu/internal/env"
)

func rootClient(info emulator.Info, transport *http.Transport) (*s3.Client, error) {
	variables, err := env.ForRootKey(info)
	if err != nil {
		return nil, err
	}
	value := map[string]string{}
	for _, v := range variables {
		value[v.Name] = v.Value
	}
	if transport.TLSClientConfig, err = certs.ClientConfig(info.S3CertificateAuthority); err != nil {
		return nil, err
	}
	return s3.New(s3.Options{
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported, // the bucket may have object lock
		BaseEndpoint:               aws.String(info.S3Endpoint), Region: info.S3Region, UsePathStyle: true,
		HTTPClient: &http.Client{Transport: transport},
		Credentials: awscredentials.NewStaticCredentialsProvider(
			value[v1alpha2.SecretKeyS3AccessKeyID], value[v1alpha2.SecretKeyS3SecretAccessKey], ""),
	}), nil
}
