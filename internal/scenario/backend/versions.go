package backend

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

func deleteAllVersions(ctx context.Context, client *s3.Client, deletion s3.DeleteObjectInput) error {
	pages := s3.NewListObjectVersionsPaginator(client, &s3.ListObjectVersionsInput{Bucket: deletion.Bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		if err := deleteVersions(ctx, client, deletion, page); err != nil {
			return err
		}
	}
	return nil
}

func deleteVersions(ctx context.Context, client *s3.Client, deletion s3.DeleteObjectInput, page *s3.ListObjectVersionsOutput) error {
	for _, version := range page.Versions {
		deletion.Key, deletion.VersionId = version.Key, version.VersionId
		if _, err := client.DeleteObject(ctx, &deletion); err != nil {
			return err
		}
	}
	for _, marker := range page.DeleteMarkers {
		deletion.Key, deletion.VersionId = marker.Key, marker.VersionId
		if _, err := client.DeleteObject(ctx, &deletion); err != nil {
			return err
		}
	}
	return nil
}
