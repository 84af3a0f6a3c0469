package driver

import (
	"cmp"
	"maps"
	"regexp"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// A name in COSI is a DNS subdomain, and so are the IDs of this driver.
const maxName = 253

var name = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)

func checkName(field, value string) error {
	if len(value) > maxName || !name.MatchString(value) {
		return status.Errorf(codes.InvalidArgument, "%s %q is not a DNS subdomain of 1 to %d characters", field, value, maxName)
	}
	return nil
}

func checkProtocols(protocols []*cosiv1alpha2.ObjectProtocol) error {
	for _, p := range protocols {
		if p.GetType() != cosiv1alpha2.ObjectProtocol_S3 {
			return status.Errorf(codes.InvalidArgument, "protocol %s is not supported; use S3", p.GetType())
		}
	}
	return nil
}

func checkMode(mode *cosiv1alpha2.AccessMode) error {
	switch mode.GetMode() {
	case cosiv1alpha2.AccessMode_READ_WRITE, cosiv1alpha2.AccessMode_READ_ONLY, cosiv1alpha2.AccessMode_WRITE_ONLY,
		cosiv1alpha2.AccessMode_ANY:
		return nil
	default:
		return status.Errorf(codes.InvalidArgument, "access mode %s is not supported", mode.GetMode())
	}
}

func accountOf(r *cosiv1alpha2.DriverGrantBucketAccessRequest) (account, error) {
	wanted := account{Modes: map[string]modes{}, Parameters: r.GetParameters()}
	err := cmp.Or(checkName("account_id", r.GetAccountId()), checkProtocols([]*cosiv1alpha2.ObjectProtocol{r.GetProtocol()}))
	if err == nil && r.GetAuthenticationType().GetType() != cosiv1alpha2.AuthenticationType_KEY {
		err = status.Errorf(codes.InvalidArgument, "authentication type %s is not supported; use KEY", r.GetAuthenticationType().GetType())
	}
	if err == nil && len(r.GetBuckets()) == 0 {
		err = status.Error(codes.InvalidArgument, "the request names no bucket")
	}
	for _, b := range r.GetBuckets() {
		id := b.GetBucketId()
		err = cmp.Or(err, checkName("bucket_id", id), checkMode(b.GetObjectDataAccessMode()),
			checkMode(b.GetObjectMetadataAccessMode()), checkMode(b.GetBucketMetadataAccessMode()))
		if _, twice := wanted.Modes[id]; twice {
			err = cmp.Or(err, status.Errorf(codes.InvalidArgument, "the request names bucket %q twice", id))
		}
		wanted.Modes[id] = modes{
			b.GetObjectDataAccessMode().GetMode(), b.GetObjectMetadataAccessMode().GetMode(), b.GetBucketMetadataAccessMode().GetMode(),
		}
	}
	return wanted, err
}

// equals returns whether two accounts are the same except for their keys.
func (a account) equals(b account) bool {
	return maps.Equal(a.Modes, b.Modes) && maps.Equal(a.Parameters, b.Parameters)
}
