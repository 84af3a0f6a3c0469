package env

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// ErrProtocol is the error of a format for another protocol than the access has.
var ErrProtocol = errors.New("the format is for another protocol")

// s3Access is what programs with a configuration of their own must know of an S3 bucket.
type s3Access struct {
	Endpoint, Bucket, Region, Key, Secret string
	// Host is the endpoint without its scheme.
	Host string
	TLS  bool
	// Authority is a file with the certificate authority, or "".
	Authority string
}

// configuration returns a function that writes the configuration of a program for S3.
func configuration(lines func(s3Access) []string) func(io.Writer, []Variable) error {
	return func(w io.Writer, variables []Variable) error {
		access, err := s3AccessOf(variables)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(w, strings.Join(lines(access), "\n"))
		return err
	}
}

func s3AccessOf(variables []Variable) (s3Access, error) {
	values := map[string]string{}
	for _, v := range variables {
		values[v.Name] = v.Value
	}
	access := s3Access{
		Endpoint: values[v1alpha2.SecretKeyS3Endpoint], Bucket: values[v1alpha2.SecretKeyBucketName],
		Region: values[v1alpha2.SecretKeyS3Region], Key: values[v1alpha2.SecretKeyS3AccessKeyID],
		Secret: values[v1alpha2.SecretKeyS3SecretAccessKey], Authority: values["AWS_CA_BUNDLE"],
	}
	if access.Key == "" || access.Endpoint == "" {
		return access, fmt.Errorf("%w: it requires the keys of an S3 bucket, and the Secret has %s=%s; choose shell, dotenv, docker or json",
			ErrProtocol, v1alpha2.SecretKeyProtocol, values[v1alpha2.SecretKeyProtocol])
	}
	u, err := url.Parse(access.Endpoint)
	if err != nil {
		return access, fmt.Errorf("%s: %w", v1alpha2.SecretKeyS3Endpoint, err)
	}
	access.Host, access.TLS = u.Host, u.Scheme == "https"
	return access, nil
}

// with adds a line if the access has a certificate authority.
func (a s3Access) with(lines []string, authority string) []string {
	if a.Authority == "" {
		return lines
	}
	return append(lines, fmt.Sprintf(authority, a.Authority))
}

func rclone(a s3Access) []string {
	lines := []string{
		"# rclone --config FILE ls cosi:" + a.Bucket, "[cosi]", "type = s3", "provider = Other", "endpoint = " + a.Endpoint,
		"region = " + a.Region, "access_key_id = " + a.Key, "secret_access_key = " + a.Secret, "force_path_style = true",
	}
	return a.with(lines, "# With TLS: --ca-cert %s, and AWS_CA_BUNDLE unset.")
}

func s3cmd(a s3Access) []string {
	secure := "False"
	if a.TLS {
		secure = "True"
	}
	return a.with([]string{
		"# s3cmd -c FILE ls s3://" + a.Bucket, "[default]", "access_key = " + a.Key, "secret_key = " + a.Secret, "host_base = " + a.Host,
		"host_bucket = " + a.Host, "bucket_location = " + a.Region, "use_https = " + secure,
	}, "ca_certs_file = %s")
}

func awsConfig(a s3Access) []string {
	return a.with([]string{
		"# AWS_CONFIG_FILE=FILE aws s3 ls s3://" + a.Bucket, "[default]", "aws_access_key_id = " + a.Key, "aws_secret_access_key = " + a.Secret,
		"region = " + a.Region, "endpoint_url = " + a.Endpoint, "s3 =", "  addressing_style = path",
	}, "ca_bundle = %s")
}

func thanos(a s3Access) []string {
	lines := []string{
		"# thanos tools bucket ls --objstore.config-file=FILE", "type: S3", "config:", fmt.Sprintf("  bucket: %q", a.Bucket),
		fmt.Sprintf("  endpoint: %q", a.Host), fmt.Sprintf("  region: %q", a.Region), fmt.Sprintf("  access_key: %q", a.Key),
		fmt.Sprintf("  secret_key: %q", a.Secret), fmt.Sprintf("  insecure: %t", !a.TLS), "  bucket_lookup_type: path",
	}
	return a.with(lines, "  http_config: {tls_config: {ca_file: %q}}")
}

func loki(a s3Access) []string {
	lines := []string{
		"# loki -config.file=FILE, beside the rest of its configuration", "common:", "  storage:", "    s3:",
		fmt.Sprintf("      bucketnames: %q", a.Bucket), fmt.Sprintf("      endpoint: %q", a.Host), fmt.Sprintf("      region: %q", a.Region),
		fmt.Sprintf("      access_key_id: %q", a.Key), fmt.Sprintf("      secret_access_key: %q", a.Secret),
		fmt.Sprintf("      insecure: %t", !a.TLS), "      s3forcepathstyle: true",
	}
	return a.with(lines, "      http_config: {ca_file: %q}")
}

func spring(a s3Access) []string {
	lines := []string{
		"# application.properties of Spring Cloud AWS; cosi.bucket is for @Value.", "cosi.bucket=" + a.Bucket,
		"spring.cloud.aws.credentials.access-key=" + a.Key, "spring.cloud.aws.credentials.secret-key=" + a.Secret,
		"spring.cloud.aws.region.static=" + a.Region, "spring.cloud.aws.s3.endpoint=" + a.Endpoint,
		"spring.cloud.aws.s3.path-style-access-enabled=true",
	}
	return a.with(lines, "# With TLS, import the certificate authority into the trust store of Java: %s")
}
