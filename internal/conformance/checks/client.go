package checks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/conformance/dataplane"
	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func (c *C) use(access *port.Access, bucket int) dataplane.Client {
	if len(access.Buckets) <= bucket {
		c.notReached("DriverGrantBucketAccess", errors.New("the response has no information about the bucket"))
	}
	return c.across(access, access, bucket)
}

// across returns a client for a bucket of one access with the credentials of another. Without a client, or
// without a service that answers it, the check ends.
func (c *C) across(credentials, bucket *port.Access, i int) dataplane.Client {
	client, err := c.connect(credentials, bucket, i)
	switch {
	case errors.Is(err, errNoHMAC):
		c.notSupported("requests without an HMAC key", err)
	case err != nil:
		c.notReached("DriverGrantBucketAccess", err)
	}
	c.closed(client)
	if c.protocol == azureBlob || c.protocol == googleStorage {
		if err := c.answers(client); err != nil && !dataplane.IsAnswer(err) {
			c.notSupported("no "+c.protocol.String()+" service answers to the credentials", err)
		}
	}
	return client
}

var errNoHMAC = errors.New("the response has none")

// connect returns a client for a bucket of one access with the credentials of another.
func (c *C) connect(credentials, bucket *port.Access, i int) (dataplane.Client, error) {
	lacks := errors.New("the response lacks a value for a client of " + c.protocol.String())
	info := bucket.Buckets[i]
	switch c.protocol {
	case azureBlob:
		if credentials.Azure == nil || bucket.Azure == nil {
			return nil, lacks
		}
		return dataplane.NewAzure(bucket.Azure, credentials.Azure, c.env.Parameters.AzureEndpoint)
	case googleStorage:
		if credentials.GCS == nil || info.GCS == nil {
			return nil, lacks
		}
		if credentials.GCS.GetAccessId() == "" {
			return nil, errNoHMAC
		}
		return dataplane.NewGCS(info.GCS, credentials.GCS, c.env.Parameters.GCSEndpoint), nil
	default:
		if credentials.S3.GetAccessKeyId() == "" || credentials.S3.GetAccessSecretKey() == "" || info.S3 == nil ||
			info.S3.GetEndpoint() == "" && c.env.Parameters.S3Endpoint == "" {
			return nil, lacks
		}
		if endpoint := cmp.Or(c.env.Parameters.S3Endpoint, info.S3.GetEndpoint()); !strings.Contains(endpoint, "://") {
			return nil, fmt.Errorf("the endpoint %q has no scheme; write https://%s, or http://%s for a service without TLS",
				endpoint, endpoint, endpoint)
		}
		return c.s3Client(info.S3, credentials.S3), nil
	}
}

// unseen returns why no request can show whether the credentials of an access work, or nil.
func (c *C) unseen(access *port.Access) error {
	if len(access.Buckets) == 0 {
		return errors.New("the response of DriverGrantBucketAccess has no information about the bucket")
	}
	client, err := c.connect(access, access, 0)
	if err != nil {
		return err
	}
	defer client.Close()
	switch err := c.answers(client); {
	case err == nil:
		return nil
	case dataplane.IsAnswer(err):
		return fmt.Errorf("the %s service has no bucket of the name that they have: %w", c.protocol, err)
	default:
		return fmt.Errorf("no %s service answers to them: %w", c.protocol, err)
	}
}

// s3Client returns a client for a bucket. In v1alpha1, applications get the name of the bucket, and
// many drivers return this as the ID.
func (c *C) s3Client(info *cosiv1alpha2.S3BucketInfo, credential *cosiv1alpha2.S3CredentialInfo) dataplane.Client {
	of := func(bucket string) dataplane.Client {
		return dataplane.NewS3(&cosiv1alpha2.S3BucketInfo{
			BucketId: bucket, Region: info.GetRegion(), AddressingStyle: info.GetAddressingStyle(),
			Endpoint: cmp.Or(c.env.Parameters.S3Endpoint, info.GetEndpoint()),
		}, credential)
	}
	id := info.GetBucketId()
	if name := c.nameOf[id]; c.speaks(v1alpha1) && name != "" && name != id {
		return dataplane.Either(of, name, id)
	}
	return of(id)
}

func (c *C) closed(client dataplane.Client) {
	c.later(func(context.Context) error { client.Close(); return nil })
}

// answers returns an error if no object store is behind the credentials, or if it does not have the bucket.
func (c *C) answers(client dataplane.Client) error {
	ctx, cancel := context.WithTimeout(c.Context, c.env.CallTimeout)
	defer cancel()
	if _, err := client.Get(ctx, "conformance/none"); !dataplane.ReachesBucket(err) {
		return err
	}
	return nil
}
