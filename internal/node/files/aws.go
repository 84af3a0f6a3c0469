package files

import (
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Paths of the files that the AWS tools and SDKs read. The variables AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE
// lead to them.
const (
	AWSCredentials = "aws/credentials"
	AWSConfig      = "aws/config"
)

// awsFiles renders the profile "default". Without a key there is no file with credentials.
func awsFiles(values map[string]string) (map[string][]byte, error) {
	credentials := profile{values: values}
	credentials.add("aws_access_key_id", v1alpha2.SecretKeyS3AccessKeyID)
	credentials.add("aws_secret_access_key", v1alpha2.SecretKeyS3SecretAccessKey)
	config := profile{values: values}
	config.add("region", v1alpha2.SecretKeyS3Region)
	config.add("endpoint_url", v1alpha2.SecretKeyS3Endpoint)
	if values[v1alpha2.SecretKeyS3AddressingStyle] != "" {
		config.lines = append(config.lines, "s3 =")
		config.add("  addressing_style", v1alpha2.SecretKeyS3AddressingStyle)
	}
	files := map[string][]byte{}
	for path, p := range map[string]profile{AWSCredentials: credentials, AWSConfig: config} {
		if p.err != nil {
			return nil, p.err
		}
		if len(p.lines) > 0 {
			files[path] = []byte("[default]\n" + strings.Join(p.lines, "\n") + "\n")
		}
	}
	return files, nil
}

// profile is a section of a file.
type profile struct {
	values map[string]string
	lines  []string
	err    error
}

// add adds a setting, unless its value is empty. A line break would let a value add settings.
func (p *profile) add(name, key string) {
	value := p.values[key]
	switch {
	case value == "":
	case strings.ContainsAny(value, "\r\n"):
		p.err = fmt.Errorf("the value of %s has a line break, which no file of the AWS tools can have", key)
	default:
		p.lines = append(p.lines, name+" = "+value)
	}
}
