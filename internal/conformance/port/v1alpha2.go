package port

import (
	"context"
	"fmt"

	"google.golang.org/grpc"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

type v1alpha2 struct {
	health

	dialect     dialects.Dialect
	identity    cosiv1alpha2.IdentityClient
	provisioner *dialects.Client
}

func newV1alpha2(conn grpc.ClientConnInterface, dialect dialects.Dialect) *v1alpha2 {
	return &v1alpha2{
		health: newHealth(conn), dialect: dialect, identity: cosiv1alpha2.NewIdentityClient(conn), provisioner: dialects.NewClient(conn, dialect),
	}
}

func (d *v1alpha2) Dialect() dialects.Dialect { return d.dialect }

func (d *v1alpha2) Info(ctx context.Context) (Info, error) {
	r, err := d.identity.DriverGetInfo(ctx, &cosiv1alpha2.DriverGetInfoRequest{})
	if err != nil {
		return Info{}, err
	}
	info := Info{Name: r.GetName()}
	for _, p := range r.GetSupportedProtocols() {
		info.Protocols = append(info.Protocols, p.GetType())
	}
	return info, nil
}

func (d *v1alpha2) BucketKey(ctx context.Context, request BucketRequest) (string, error) {
	if !d.dialect.GeneratesBucketIDs() {
		return request.Key, nil
	}
	r, err := d.provisioner.DriverGenerateBucketId(ctx, &cosiv1alpha2.DriverGenerateBucketIdRequest{
		Name: request.Key, Protocols: protocols(request.Protocols), Parameters: request.Parameters,
	})
	return r.GetBucketId(), err
}

func (d *v1alpha2) CreateBucket(ctx context.Context, request BucketRequest) (*Bucket, error) {
	r, err := d.provisioner.CreateBucket(ctx, &cosiv1alpha2.DriverCreateBucketRequest{
		BucketId: request.Key, Protocols: protocols(request.Protocols), Parameters: request.Parameters,
	})
	if err != nil {
		return nil, err
	}
	return bucket(r.GetBucketId(), r.GetProtocols()), nil
}

func (d *v1alpha2) GetBucket(ctx context.Context, request BucketRequest) (*Bucket, error) {
	r, err := d.provisioner.GetBucket(ctx, &cosiv1alpha2.DriverGetBucketRequest{
		BucketId: request.Key, Protocols: protocols(request.Protocols), Parameters: request.Parameters,
	})
	if err != nil {
		return nil, err
	}
	return bucket(r.GetBucketId(), r.GetProtocols()), nil
}

func (d *v1alpha2) DeleteBucket(ctx context.Context, id string, parameters map[string]string) error {
	_, err := d.provisioner.DriverDeleteBucket(ctx, &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: id, Parameters: parameters})
	return err
}

func (d *v1alpha2) AccountKey(ctx context.Context, request AccessRequest) (string, error) {
	if d.dialect != dialects.KEP {
		return request.Key, nil
	}
	r, err := d.provisioner.DriverGenerateBucketAccessId(ctx, &cosiv1alpha2.DriverGenerateBucketAccessIdRequest{
		AccountName: request.Key, Protocol: protocol(request.Protocol), AuthenticationType: authentication(request.Authentication),
		ServiceAccountName: request.ServiceAccount, Parameters: request.Parameters, Buckets: granted(request.Buckets),
	})
	return r.GetAccountId(), err
}

func (d *v1alpha2) Grant(ctx context.Context, request AccessRequest) (*Access, error) {
	r, err := d.grant(ctx, request)
	if err != nil {
		return nil, err
	}
	credentials := r.GetCredentials()
	access := &Access{AccountID: r.GetAccountId(), S3: credentials.GetS3(), Azure: credentials.GetAzure(), GCS: credentials.GetGcs()}
	for _, b := range r.GetBuckets() {
		access.Buckets = append(access.Buckets, *bucket(b.GetBucketId(), b.GetBucketInfo()))
	}
	access.Protocols = present(credentials.GetS3() != nil, credentials.GetAzure() != nil, credentials.GetGcs() != nil)
	return access, nil
}

func (d *v1alpha2) grant(ctx context.Context, request AccessRequest) (*dialects.GrantBucketAccessResponse, error) {
	if d.dialect.GeneratesBucketIDs() {
		return d.provisioner.GrantAccess(ctx, &cosiv1alpha2.DriverGrantBucketAccessRequest{
			AccountId: request.Key, Protocol: protocol(request.Protocol), AuthenticationType: authentication(request.Authentication),
			ServiceAccountName: request.ServiceAccount, Parameters: request.Parameters, Buckets: granted(request.Buckets),
		})
	}
	buckets, err := d.grantedInOneMode(request.Buckets)
	if err != nil {
		return nil, err
	}
	return d.provisioner.GrantOneMode(ctx, &dialects.GrantBucketAccessRequest{
		AccountName: request.Key, Protocol: protocol(request.Protocol), AuthenticationType: authentication(request.Authentication),
		ServiceAccountName: request.ServiceAccount, Parameters: request.Parameters, Buckets: buckets,
	})
}

// grantedInOneMode returns buckets with at most one mode, the mode for objects. A request that a
// single mode cannot express is an error of the suite.
func (d *v1alpha2) grantedInOneMode(buckets []AccessedBucket) ([]*dialects.GrantBucketAccessRequest_AccessedBucket, error) {
	var all []*dialects.GrantBucketAccessRequest_AccessedBucket
	for _, b := range buckets {
		mode := b.Modes.ObjectData
		if b.Modes.ObjectMetadata != cosiv1alpha2.AccessMode_ANY || b.Modes.BucketMetadata != cosiv1alpha2.AccessMode_ANY ||
			mode == cosiv1alpha2.AccessMode_ANY || d.dialect == dialects.NoModes && mode != cosiv1alpha2.AccessMode_READ_WRITE {
			return nil, fmt.Errorf("access modes %v in %s: %w", b.Modes, d.dialect.Protocol(), ErrDialect)
		}
		granted := &dialects.GrantBucketAccessRequest_AccessedBucket{BucketId: b.ID}
		if mode != Unset {
			granted.AccessMode = &dialects.AccessMode{Mode: d.oneMode(mode)}
		}
		all = append(all, granted)
	}
	return all, nil
}

// oneMode returns the number of a mode in the dialects with one mode for a bucket. Unknown numbers
// stay.
func (d *v1alpha2) oneMode(mode Mode) dialects.AccessMode_Mode {
	number, known := dialects.AccessMode_Mode_value[mode.String()]
	switch {
	case d.dialect == dialects.NoModes:
		return dialects.AccessMode_UNKNOWN // which is not on the wire
	case known:
		return dialects.AccessMode_Mode(number)
	default:
		return dialects.AccessMode_Mode(mode)
	}
}

func (d *v1alpha2) Revoke(ctx context.Context, request AccessRequest) error {
	r := &cosiv1alpha2.DriverRevokeBucketAccessRequest{
		AccountId: request.Key, Protocol: protocol(request.Protocol), AuthenticationType: authentication(request.Authentication),
		ServiceAccountName: request.ServiceAccount, Parameters: request.Parameters,
	}
	for _, b := range request.Buckets {
		r.Buckets = append(r.Buckets, &cosiv1alpha2.DriverRevokeBucketAccessRequest_AccessedBucket{BucketId: b.ID})
	}
	_, err := d.provisioner.DriverRevokeBucketAccess(ctx, r)
	return err
}

func protocols(types []Protocol) []*cosiv1alpha2.ObjectProtocol {
	var all []*cosiv1alpha2.ObjectProtocol
	for _, t := range types {
		all = append(all, protocol(t))
	}
	return all
}

func protocol(t Protocol) *cosiv1alpha2.ObjectProtocol {
	if t == Unset {
		return nil
	}
	return &cosiv1alpha2.ObjectProtocol{Type: t}
}

func authentication(t Authentication) *cosiv1alpha2.AuthenticationType {
	if t == Unset {
		return nil
	}
	return &cosiv1alpha2.AuthenticationType{Type: t}
}

func accessMode(m Mode) *cosiv1alpha2.AccessMode {
	if m == Unset {
		return nil
	}
	return &cosiv1alpha2.AccessMode{Mode: m}
}

func granted(buckets []AccessedBucket) []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket {
	var all []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket
	for _, b := range buckets {
		all = append(all, &cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{
			BucketId:                 b.ID,
			ObjectDataAccessMode:     accessMode(b.Modes.ObjectData),
			ObjectMetadataAccessMode: accessMode(b.Modes.ObjectMetadata),
			BucketMetadataAccessMode: accessMode(b.Modes.BucketMetadata),
		})
	}
	return all
}

func bucket(id string, info *cosiv1alpha2.ObjectProtocolAndBucketInfo) *Bucket {
	return &Bucket{
		ID: id, S3: info.GetS3(), Azure: info.GetAzure(), GCS: info.GetGcs(),
		Protocols: present(info.GetS3() != nil, info.GetAzure() != nil, info.GetGcs() != nil),
	}
}

func present(s3, azure, gcs bool) []Protocol {
	var all []Protocol
	for i, set := range []bool{s3, azure, gcs} {
		if set {
			all = append(all, []Protocol{cosiv1alpha2.ObjectProtocol_S3, cosiv1alpha2.ObjectProtocol_AZURE, cosiv1alpha2.ObjectProtocol_GCS}[i])
		}
	}
	return all
}
