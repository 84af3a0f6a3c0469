package checks

import (
	"cmp"
	"context"
	"errors"

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

// across returns a client for a bucket of one access with the credentials of another.
func (c *C) across(credentials, bucket *port.Access, i int) dataplane.Client {
	lacks := func(missing bool) {
		if missing {
			c.notReached("DriverGrantBucketAccess", errors.New("the response lacks a value for a client of "+c.protocol.String()))
		}
	}
	info := bucket.Buckets[i]
	switch c.protocol {
	case azureBlob:
		lacks(credentials.Azure == nil || bucket.Azure == nil)
		client, err := dataplane.NewAzure(bucket.Azure, credentials.Azure, c.env.Parameters.AzureEndpoint)
		c.setup("the shared access signature", err)
		return c.served(client)
	case googleStorage:
		lacks(credentials.GCS == nil || info.GCS == nil)
		if credentials.GCS.GetAccessId() == "" {
			c.notSupported("requests without an HMAC key", errors.New("the response has none"))
		}
		return c.served(dataplane.NewGCS(info.GCS, credentials.GCS, c.env.Parameters.GCSEndpoint))
	default:
		lacks(credentials.S3.GetAccessKeyId() == "" || credentials.S3.GetAccessSecretKey() == "" || info.S3 == nil)
		lacks(info.S3.GetEndpoint() == "" && c.env.Parameters.S3Endpoint == "")
		return c.s3Client(info.S3, credentials.S3)
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
		return c.closed(dataplane.Either(of(name), of(id)))
	}
	return c.closed(of(id))
}

func (c *C) closed(client dataplane.Client) dataplane.Client {
	c.later(func(context.Context) error { client.Close(); return nil })
	return client
}

// served ends the check as not supported if no object store is behind the credentials.
func (c *C) served(client dataplane.Client) dataplane.Client {
	ctx, cancel := context.WithTimeout(c.Context, c.env.CallTimeout)
	defer cancel()
	if _, err := client.Get(ctx, "conformance/none"); !dataplane.IsAnswer(err) {
		client.Close()
		c.notSupported("no "+c.protocol.String()+" service answers to the credentials", err)
	}
	return c.closed(client)
}
