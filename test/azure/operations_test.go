package azure_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/appendblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/lease"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/pageblob"
)

// use does what applications do with a container, in the order of the steps. The container is
// empty before and after it.
func use(ctx context.Context, c *container.Client) error {
	for _, step := range []struct {
		name string
		do   func(context.Context, *container.Client) error
	}{
		{"properties", useProperties}, {"conditions", useConditions}, {"blocks", useBlocks}, {"append blobs", useAppendBlobs},
		{"copies", useCopies}, {"snapshots", useSnapshots}, {"leases", useLeases}, {"lists", useLists},
		{"page blobs", usePageBlobs}, {"tiers", useTiers}, {"searches", useSearches}, {"batches", useBatches},
		{"sources", useSources}, {"deletion", deleteAll},
	} {
		if err := step.do(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// upload puts a blob at once.
func upload(ctx context.Context, c *container.Client, name, content string, options *blockblob.UploadOptions) error {
	_, err := c.NewBlockBlobClient(name).Upload(ctx, streaming.NopCloser(strings.NewReader(content)), options)
	return err
}

// expect downloads a blob, and compares its content.
func expect(ctx context.Context, c *blob.Client, want string, options *blob.DownloadStreamOptions) error {
	got, err := c.DownloadStream(ctx, options)
	if err != nil {
		return err
	}
	body := got.NewRetryReader(ctx, nil)
	data, err := io.ReadAll(body)
	if err := errors.Join(err, body.Close()); err != nil {
		return err
	}
	if string(data) != want {
		return fmt.Errorf("the content is %.40q, want %.40q", data, want)
	}
	return nil
}

// rejected returns an error unless err has the code.
func rejected(err error, code bloberror.Code) error {
	if bloberror.HasCode(err, code) {
		return nil
	}
	return fmt.Errorf("expected %s, got: %v", code, err) //nolint:errorlint // it may be nil
}

func useProperties(ctx context.Context, c *container.Client) error {
	if _, err := c.GetProperties(ctx, nil); err != nil {
		return err
	}
	err := upload(ctx, c, "a/äö b.txt", "hello", &blockblob.UploadOptions{
		HTTPHeaders: &blob.HTTPHeaders{BlobContentType: new("text/plain")},
		Metadata:    map[string]*string{"colour": new("red")}, Tags: map[string]string{"project": "cosi"},
	})
	if err != nil {
		return err
	}
	b := c.NewBlobClient("a/äö b.txt")
	if err := expect(ctx, b, "ell", &blob.DownloadStreamOptions{Range: blob.HTTPRange{Offset: 1, Count: 3}}); err != nil {
		return err
	}
	got, err := b.GetProperties(ctx, nil)
	if err != nil {
		return err
	}
	if *got.ContentType != "text/plain" || *got.ContentLength != 5 || *got.Metadata["Colour"] != "red" || *got.TagCount != 1 {
		return fmt.Errorf("the properties are %s, %d, %v, %d", *got.ContentType, *got.ContentLength, got.Metadata, *got.TagCount)
	}
	return changeProperties(ctx, b)
}

func changeProperties(ctx context.Context, b *blob.Client) error {
	if _, err := b.SetMetadata(ctx, map[string]*string{"shape": new("round")}, nil); err != nil {
		return err
	}
	if _, err := b.SetHTTPHeaders(ctx, blob.HTTPHeaders{BlobContentType: new("image/png")}, nil); err != nil {
		return err
	}
	if _, err := b.SetTags(ctx, map[string]string{"project": "other"}, nil); err != nil {
		return err
	}
	tags, err := b.GetTags(ctx, nil)
	if err == nil && (len(tags.BlobTagSet) != 1 || *tags.BlobTagSet[0].Value != "other") {
		err = fmt.Errorf("the tags are %v", tags.BlobTagSet)
	}
	return err
}

func useConditions(ctx context.Context, c *container.Client) error {
	when := func(m blob.ModifiedAccessConditions) *blockblob.UploadOptions {
		return &blockblob.UploadOptions{AccessConditions: &blob.AccessConditions{ModifiedAccessConditions: &m}}
	}
	create := when(blob.ModifiedAccessConditions{IfNoneMatch: to.Ptr(azcore.ETagAny)})
	if err := upload(ctx, c, "conditional", "one", create); err != nil {
		return err
	}
	if err := rejected(upload(ctx, c, "conditional", "two", create), bloberror.BlobAlreadyExists); err != nil {
		return err
	}
	before, err := c.NewBlobClient("conditional").GetProperties(ctx, nil)
	if err != nil {
		return err
	}
	replace := when(blob.ModifiedAccessConditions{IfMatch: before.ETag})
	if err := upload(ctx, c, "conditional", "two", replace); err != nil {
		return err
	}
	return rejected(upload(ctx, c, "conditional", "three", replace), bloberror.ConditionNotMet)
}

func useBlocks(ctx context.Context, c *container.Client) error {
	b := c.NewBlockBlobClient("blocks")
	ids := []string{base64.StdEncoding.EncodeToString([]byte("1")), base64.StdEncoding.EncodeToString([]byte("2"))}
	for i, content := range []string{"one", "two"} {
		if _, err := b.StageBlock(ctx, ids[i], streaming.NopCloser(strings.NewReader(content)), nil); err != nil {
			return err
		}
	}
	staged, err := b.GetBlockList(ctx, blockblob.BlockListTypeUncommitted, nil)
	if err != nil {
		return err
	}
	if len(staged.UncommittedBlocks) != 2 {
		return fmt.Errorf("%d blocks are uncommitted", len(staged.UncommittedBlocks))
	}
	if _, err := b.CommitBlockList(ctx, []string{ids[1], ids[0]}, nil); err != nil {
		return err
	}
	if err := expect(ctx, b.BlobClient(), "twoone", nil); err != nil {
		return err
	}
	return useLargeBlob(ctx, c)
}

// useLargeBlob uploads and downloads in parallel, as the client does for large contents.
func useLargeBlob(ctx context.Context, c *container.Client) error {
	content := make([]byte, 5<<20)
	_, _ = rand.Read(content) // never fails
	b := c.NewBlockBlobClient("large")
	options := &blockblob.UploadStreamOptions{
		BlockSize: 1 << 20, Concurrency: 3, TransactionalValidation: blob.TransferValidationTypeComputeCRC64(),
	}
	if _, err := b.UploadStream(ctx, bytes.NewReader(content), options); err != nil {
		return err
	}
	got := make([]byte, len(content))
	if _, err := b.DownloadBuffer(ctx, got, &blob.DownloadBufferOptions{BlockSize: 1 << 20, Concurrency: 3}); err != nil {
		return err
	}
	if !bytes.Equal(got, content) {
		return errors.New("the large blob has another content")
	}
	return nil
}

func useAppendBlobs(ctx context.Context, c *container.Client) error {
	b := c.NewAppendBlobClient("log")
	if _, err := b.Create(ctx, nil); err != nil {
		return err
	}
	for i, line := range []string{"one\n", "two\n"} {
		at := &appendblob.AppendPositionAccessConditions{AppendPosition: new(int64(i * len(line)))}
		_, err := b.AppendBlock(ctx, streaming.NopCloser(strings.NewReader(line)),
			&appendblob.AppendBlockOptions{AppendPositionAccessConditions: at})
		if err != nil {
			return err
		}
	}
	if _, err := b.Seal(ctx, nil); err != nil {
		return err
	}
	_, err := b.AppendBlock(ctx, streaming.NopCloser(strings.NewReader("three\n")), nil)
	if err := rejected(err, "BlobIsSealed"); err != nil {
		return err
	}
	return expect(ctx, b.BlobClient(), "one\ntwo\n", nil)
}

func useCopies(ctx context.Context, c *container.Client) error {
	if err := upload(ctx, c, "source", "copied", nil); err != nil {
		return err
	}
	source := c.NewBlobClient("source").URL()
	got, err := c.NewBlobClient("copy").StartCopyFromURL(ctx, source, nil)
	if err != nil {
		return err
	}
	if *got.CopyStatus != blob.CopyStatusTypeSuccess {
		return fmt.Errorf("the copy is %s", *got.CopyStatus)
	}
	if _, err := c.NewBlobClient("copy2").CopyFromURL(ctx, source, nil); err != nil {
		return err
	}
	if _, err := c.NewBlockBlobClient("copy3").UploadBlobFromURL(ctx, source, nil); err != nil {
		return err
	}
	for _, name := range []string{"copy", "copy2", "copy3"} {
		if err := expect(ctx, c.NewBlobClient(name), "copied", nil); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func useSnapshots(ctx context.Context, c *container.Client) error {
	b := c.NewBlobClient("source")
	made, err := b.CreateSnapshot(ctx, nil)
	if err != nil {
		return err
	}
	if err := upload(ctx, c, "source", "new", nil); err != nil {
		return err
	}
	old, err := b.WithSnapshot(*made.Snapshot)
	if err != nil {
		return err
	}
	if err := expect(ctx, old, "copied", nil); err != nil {
		return err
	}
	_, err = b.Delete(ctx, nil)
	if err := rejected(err, bloberror.SnapshotsPresent); err != nil {
		return err
	}
	_, err = b.Delete(ctx, &blob.DeleteOptions{DeleteSnapshots: to.Ptr(blob.DeleteSnapshotsOptionTypeInclude)})
	return err
}

func useLeases(ctx context.Context, c *container.Client) error {
	held, err := lease.NewBlobClient(c.NewBlobClient("copy"), nil)
	if err != nil {
		return err
	}
	if _, err := held.AcquireLease(ctx, 15, nil); err != nil {
		return err
	}
	if err := rejected(upload(ctx, c, "copy", "x", nil), bloberror.LeaseIDMissing); err != nil {
		return err
	}
	err = upload(ctx, c, "copy", "x", &blockblob.UploadOptions{
		AccessConditions: &blob.AccessConditions{LeaseAccessConditions: &blob.LeaseAccessConditions{LeaseID: held.LeaseID()}},
	})
	if err != nil {
		return err
	}
	if _, err := held.RenewLease(ctx, nil); err != nil {
		return err
	}
	_, err = held.ReleaseLease(ctx, nil)
	return err
}

func useLists(ctx context.Context, c *container.Client) error {
	var names, prefixes []string
	flat := c.NewListBlobsFlatPager(&container.ListBlobsFlatOptions{MaxResults: new(int32(3)),
		Include: container.ListBlobsInclude{Metadata: true}})
	for flat.More() {
		page, err := flat.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, item := range page.Segment.BlobItems {
			names = append(names, *item.Name)
		}
	}
	want := []string{"a/äö b.txt", "blocks", "conditional", "copy", "copy2", "copy3", "large", "log"}
	if !slices.Equal(names, want) {
		return fmt.Errorf("the blobs are %q, want %q", names, want)
	}
	grouped := c.NewListBlobsHierarchyPager("/", nil)
	for grouped.More() {
		page, err := grouped.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, prefix := range page.Segment.BlobPrefixes {
			prefixes = append(prefixes, *prefix.Name)
		}
	}
	if !slices.Equal(prefixes, []string{"a/"}) {
		return fmt.Errorf("the prefixes are %q", prefixes)
	}
	return nil
}

func usePageBlobs(ctx context.Context, c *container.Client) error {
	const page = 512
	b := c.NewPageBlobClient("pages")
	if _, err := b.Create(ctx, 4*page, nil); err != nil {
		return err
	}
	written := strings.Repeat("x", 2*page)
	_, err := b.UploadPages(ctx, streaming.NopCloser(strings.NewReader(written)), blob.HTTPRange{Offset: page, Count: 2 * page}, nil)
	if err != nil {
		return err
	}
	if _, err := b.ClearPages(ctx, blob.HTTPRange{Offset: 2 * page, Count: page}, nil); err != nil {
		return err
	}
	update := &pageblob.UpdateSequenceNumberOptions{ActionType: to.Ptr(pageblob.SequenceNumberActionTypeUpdate), SequenceNumber: new(int64(7))}
	if _, err := b.UpdateSequenceNumber(ctx, update); err != nil {
		return err
	}
	if _, err := b.Resize(ctx, 3*page, nil); err != nil {
		return err
	}
	got, err := b.NewGetPageRangesPager(nil).NextPage(ctx)
	if err != nil {
		return err
	}
	if len(got.PageRange) != 1 || *got.PageRange[0].Start != page || *got.PageRange[0].End != 2*page-1 {
		return fmt.Errorf("the ranges are %v", got.PageRange)
	}
	zeros := strings.Repeat("\x00", page)
	return expect(ctx, b.BlobClient(), zeros+written[:page]+zeros, nil)
}

func useTiers(ctx context.Context, c *container.Client) error {
	if err := upload(ctx, c, "archived", "content", nil); err != nil {
		return err
	}
	b := c.NewBlobClient("archived")
	if _, err := b.SetTier(ctx, blob.AccessTierArchive, nil); err != nil {
		return err
	}
	_, err := b.DownloadStream(ctx, nil)
	if err := rejected(err, bloberror.BlobArchived); err != nil {
		return err
	}
	if _, err := b.SetTier(ctx, blob.AccessTierCool, nil); err != nil {
		return err
	}
	got, err := b.GetProperties(ctx, nil)
	if err == nil && (*got.AccessTier != "Cool" || *got.AccessTierInferred) {
		err = fmt.Errorf("the tier is %s, inferred: %t", *got.AccessTier, *got.AccessTierInferred)
	}
	return err
}

func useSearches(ctx context.Context, c *container.Client) error {
	tagged := &blockblob.UploadOptions{Tags: map[string]string{"colour": "red", "size": "20"}}
	if err := upload(ctx, c, "tagged", "content", tagged); err != nil {
		return err
	}
	for where, want := range map[string]int{`colour='red'`: 1, `colour='red' AND size>'3'`: 0} {
		got, err := c.FilterBlobs(ctx, where, nil)
		if err != nil {
			return err
		}
		if len(got.Blobs) != want {
			return fmt.Errorf("%d blobs with %s, want %d", len(got.Blobs), where, want)
		}
	}
	return nil
}

// useSources writes ranges of another blob to a blob of each type.
func useSources(ctx context.Context, c *container.Client) error {
	const size = 512
	content := strings.Repeat("x", size)
	if err := upload(ctx, c, "source", content, nil); err != nil {
		return err
	}
	source := c.NewBlobClient("source").URL()
	blocks, log, pages := c.NewBlockBlobClient("blocks2"), c.NewAppendBlobClient("log2"), c.NewPageBlobClient("pages2")
	id := base64.StdEncoding.EncodeToString([]byte("1"))
	if _, err := blocks.StageBlockFromURL(ctx, id, source, nil); err != nil {
		return err
	}
	if _, err := blocks.CommitBlockList(ctx, []string{id}, nil); err != nil {
		return err
	}
	if _, err := log.Create(ctx, nil); err != nil {
		return err
	}
	at := &appendblob.AppendPositionAccessConditions{AppendPosition: new(int64(0))}
	_, err := log.AppendBlockFromURL(ctx, source, &appendblob.AppendBlockFromURLOptions{AppendPositionAccessConditions: at})
	if err != nil {
		return err
	}
	if _, err := pages.Create(ctx, size, nil); err != nil {
		return err
	}
	if _, err := pages.UploadPagesFromURL(ctx, source, 0, 0, size, nil); err != nil {
		return err
	}
	for _, b := range []*blob.Client{blocks.BlobClient(), log.BlobClient(), pages.BlobClient()} {
		if err := expect(ctx, b, content, nil); err != nil {
			return err
		}
	}
	return nil
}

// useBatches changes the tier of a blob, and deletes blobs.
func useBatches(ctx context.Context, c *container.Client) error {
	for _, add := range []func(*container.BatchBuilder) error{
		func(batch *container.BatchBuilder) error { return batch.SetTier("tagged", blob.AccessTierCold, nil) },
		func(batch *container.BatchBuilder) error {
			return errors.Join(batch.Delete("archived", nil), batch.Delete("tagged", nil), batch.Delete("pages", nil))
		},
	} {
		batch, err := c.NewBatchBuilder()
		if err != nil {
			return err
		}
		if err := add(batch); err != nil {
			return err
		}
		got, err := c.SubmitBatch(ctx, batch, nil)
		if err != nil {
			return err
		}
		for _, part := range got.Responses {
			if part.Error != nil {
				return part.Error
			}
		}
	}
	return nil
}

func deleteAll(ctx context.Context, c *container.Client) error {
	if err := deleteBlobs(ctx, c); err != nil {
		return err
	}
	_, err := c.NewBlobClient("large").GetProperties(ctx, nil)
	return rejected(err, bloberror.BlobNotFound)
}

func deleteBlobs(ctx context.Context, c *container.Client) error {
	var left []string
	pages := c.NewListBlobsFlatPager(nil)
	for pages.More() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, item := range page.Segment.BlobItems {
			left = append(left, *item.Name)
		}
	}
	for _, name := range left {
		if _, err := c.NewBlobClient(name).Delete(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}
