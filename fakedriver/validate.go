package fakedriver

import (
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/util/validation"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

const maxIDLength = 2048

var idPattern = regexp.MustCompile(`^[a-zA-Z0-9._/-]+$`)

func invalid(format string, arguments ...any) error {
	return status.Errorf(codes.InvalidArgument, format, arguments...)
}

// checkName checks a name that COSI gives: a DNS subdomain.
func checkName(field, name string) error {
	if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
		return invalid("%s %s is not valid: %s", field, quote(name), strings.Join(problems, "; "))
	}
	return nil
}

// checkID checks an ID by the rules of the protocol, and that it cannot be read as a path.
func checkID(field, id string) error {
	switch {
	case id == "":
		return invalid("%s is empty", field)
	case len(id) > maxIDLength:
		return invalid("%s has %d characters, more than %d", field, len(id), maxIDLength)
	case !idPattern.MatchString(id):
		return invalid("%s %s is not valid: it may have letters, digits, '-', '.', '_' and '/' only", field, quote(id))
	}
	for part := range strings.SplitSeq(id, "/") {
		if part == "" || part == "." || part == ".." {
			return invalid("%s %s is not valid: it has an empty, '.' or '..' element", field, quote(id))
		}
	}
	return nil
}

// checkBucketID checks the ID of a bucket, which is its name in S3.
func checkBucketID(id string) error {
	if err := checkID("bucket_id", id); err != nil {
		return err
	}
	if err := ValidateBucketName(id); err != nil {
		return invalid("bucket_id: %s", err)
	}
	return nil
}

func checkAccountID(id string) error { return checkID("account_id", id) }

func (d *Driver) checkAuthentication(authentication *cosiv1alpha2.AuthenticationType, serviceAccount string) error {
	switch authentication.GetType() {
	case cosiv1alpha2.AuthenticationType_KEY:
		if serviceAccount != "" {
			return invalid("service_account_name %s is given, but the authentication type is Key", quote(serviceAccount))
		}
		return nil
	case cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT:
		if !d.options.ServiceAccounts {
			return invalid("authentication type ServiceAccount is not supported: this driver cannot verify tokens, and supports Key only")
		}
		return d.checkServiceAccount(serviceAccount)
	default:
		return invalid("authentication type %s is not valid: it must be %s", authentication.GetType(), d.authenticationTypes())
	}
}

// checkServiceAccount checks the ServiceAccount of an account, which requests of v1alpha1 do not
// have.
func (d *Driver) checkServiceAccount(name string) error {
	if d.options.Dialect == dialects.V1alpha1 && name == AnyServiceAccount {
		return nil
	}
	return checkName("service_account_name", name)
}

func (d *Driver) authenticationTypes() string {
	if d.options.ServiceAccounts {
		return "Key or ServiceAccount"
	}
	return "Key"
}

// quote makes a caller's text short and safe to print.
func quote(text string) string {
	const most = 80
	if len(text) > most {
		return strconv.QuoteToASCII(text[:most]) + "..."
	}
	return strconv.QuoteToASCII(text)
}
