package env_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/internal/env"
)

func s3Variables(endpoint, authority string) []env.Variable {
	variables := []env.Variable{
		{Name: "COSI_EMU_NAME", Value: "default"}, {Name: "KUBECONFIG", Value: "/k"}, {Name: "COSI_PROTOCOL", Value: "S3"},
		{Name: "AWS_ENDPOINT_URL", Value: endpoint}, {Name: "AWS_DEFAULT_REGION", Value: "here-1"}, {Name: "BUCKET_NAME", Value: "b"},
		{Name: "AWS_ACCESS_KEY_ID", Value: "AK"}, {Name: "AWS_SECRET_ACCESS_KEY", Value: "SK"},
	}
	if authority != "" {
		variables = append(variables, env.Variable{Name: "AWS_CA_BUNDLE", Value: authority})
	}
	return variables
}

func TestWriteConfiguration(t *testing.T) {
	plain, secure := s3Variables("http://127.0.0.1:9000", ""), s3Variables("https://127.0.0.1:9000", "/ca.crt")
	for name, tc := range map[string]struct {
		reason    string
		variables []env.Variable
		format    env.Format
		want      string
	}{
		"Rclone": {"A remote has the name cosi.", plain, env.FormatRclone, `# rclone --config FILE ls cosi:b
[cosi]
type = s3
provider = Other
endpoint = http://127.0.0.1:9000
region = here-1
access_key_id = AK
secret_access_key = SK
force_path_style = true
`},
		"S3cmd": {"It has no URL, but a host and a flag.", secure, env.FormatS3cmd, `# s3cmd -c FILE ls s3://b
[default]
access_key = AK
secret_key = SK
host_base = 127.0.0.1:9000
host_bucket = 127.0.0.1:9000
bucket_location = here-1
use_https = True
ca_certs_file = /ca.crt
`},
		"AWSConfig": {"Keys may be in the configuration.", secure, env.FormatAWSConfig, `# AWS_CONFIG_FILE=FILE aws s3 ls s3://b
[default]
aws_access_key_id = AK
aws_secret_access_key = SK
region = here-1
endpoint_url = https://127.0.0.1:9000
s3 =
  addressing_style = path
ca_bundle = /ca.crt
`},
		"Spring": {"Properties.", plain, env.FormatSpring, `# application.properties of Spring Cloud AWS; cosi.bucket is for @Value.
cosi.bucket=b
spring.cloud.aws.credentials.access-key=AK
spring.cloud.aws.credentials.secret-key=SK
spring.cloud.aws.region.static=here-1
spring.cloud.aws.s3.endpoint=http://127.0.0.1:9000
spring.cloud.aws.s3.path-style-access-enabled=true
`},
		"Docker": {"A container has other files and another loopback address.", append(
			s3Variables("http://127.0.0.1:9000", ""), env.Variable{Name: "CERT", Value: "a\nb"}, env.Variable{Name: "QUOTED", Value: "it's $x"},
			env.Variable{Name: "AWS_CA_BUNDLE", Value: "/a/ca"}, env.Variable{Name: "OTHER_CA", Value: "/b/ca"},
			env.Variable{Name: "SSL_CERT_FILE", Value: "/a/ca"},
		), env.FormatDocker, `# A container reaches 127.0.0.1 of this machine with 'docker run --network host'. For other networks, start with
# 'cosi-emu up --listen 0.0.0.0 --advertise host.docker.internal', and that name in /etc/hosts of this machine.
# KUBECONFIG is a file: -v /k:/cosi-emu/k:ro -e KUBECONFIG=/cosi-emu/k
COSI_PROTOCOL=S3
AWS_ENDPOINT_URL=http://127.0.0.1:9000
AWS_DEFAULT_REGION=here-1
BUCKET_NAME=b
AWS_ACCESS_KEY_ID=AK
AWS_SECRET_ACCESS_KEY=SK
# CERT has several lines, which --env-file does not support
QUOTED=it's $x
# AWS_CA_BUNDLE, SSL_CERT_FILE are one file: -v /a/ca:/cosi-emu/ca:ro -e AWS_CA_BUNDLE=/cosi-emu/ca -e SSL_CERT_FILE=/cosi-emu/ca
# OTHER_CA is a file: -v /b/ca:/cosi-emu/2/ca:ro -e OTHER_CA=/cosi-emu/2/ca
`},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, write(t, tc.variables, tc.format)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWriteYAML reads configurations as their programs do: endpoints are hosts, and TLS is a boolean.
func TestWriteYAML(t *testing.T) {
	for name, tc := range map[string]struct {
		format env.Format
		want   map[string]any
	}{
		"Thanos": {env.FormatThanos, map[string]any{"type": "S3", "config": map[string]any{
			"bucket": "b", "endpoint": "127.0.0.1:9000", "region": "here-1", "access_key": "AK", "secret_key": "SK", "insecure": false,
			"bucket_lookup_type": "path", "http_config": map[string]any{"tls_config": map[string]any{"ca_file": "/ca.crt"}},
		}}},
		"Loki": {env.FormatLoki, map[string]any{"common": map[string]any{"storage": map[string]any{"s3": map[string]any{
			"bucketnames": "b", "endpoint": "127.0.0.1:9000", "region": "here-1", "access_key_id": "AK", "secret_access_key": "SK",
			"insecure": false, "s3forcepathstyle": true, "http_config": map[string]any{"ca_file": "/ca.crt"},
		}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]any{}
			if err := yaml.Unmarshal([]byte(write(t, s3Variables("https://127.0.0.1:9000", "/ca.crt"), tc.format)), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// TestWriteOtherProtocol: a configuration for S3 requires the keys of an S3 bucket.
func TestWriteOtherProtocol(t *testing.T) {
	for _, format := range env.Formats() {
		err := env.Write(&strings.Builder{}, []env.Variable{{Name: "COSI_PROTOCOL", Value: "GCS"}}, env.Format(format))
		if got := errors.Is(err, env.ErrProtocol); got != env.Format(format).RequiresAccess() {
			t.Errorf("%s: Write() = %v", format, err)
		}
	}
}

func TestMap(t *testing.T) {
	variables := []env.Variable{{Name: "BUCKET_NAME", Value: "b"}}
	for name, tc := range map[string]struct {
		reason string
		texts  []string
		want   []env.Variable
		err    string
	}{
		"None": {"Nothing is added.", nil, variables, ""},
		"Renamed": {
			"Both names have the value.", []string{"S3_BUCKET=BUCKET_NAME"}, []env.Variable{variables[0], {Name: "S3_BUCKET", Value: "b"}}, "",
		},
		"Unknown": {"A misspelt key has a suggestion.", []string{"A=BUCKET_NAM"}, nil,
			`A=BUCKET_NAM: no variable has the name BUCKET_NAM: did you mean "BUCKET_NAME"?`},
		"NoKey":  {"It has the form of an assignment.", []string{"A"}, nil, `"A" must have the form NAME=KEY`},
		"NoName": {"A shell would reject the name.", []string{"a-b=BUCKET_NAME"}, nil, `"a-b=BUCKET_NAME" must have the form NAME=KEY`},
	} {
		t.Run(name, func(t *testing.T) {
			var got []env.Variable
			mappings, err := env.ParseMappings(tc.texts)
			if err == nil {
				got, err = env.Map(variables, mappings)
			}
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("%s\nerror %v, want %q", tc.reason, err, tc.err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
