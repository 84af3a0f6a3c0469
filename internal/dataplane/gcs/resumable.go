package gcs

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// statusCancelled is Google's status for a cancelled upload.
const statusCancelled = 499

// beginUpload starts a resumable upload. Unlike Google's, its URL does not work without a token.
func (s *Service) beginUpload(x *exchange) error {
	in, err := incomingOf(x, x.body.document.Bytes(), x.R.Header.Get("X-Upload-Content-Type"))
	if err != nil {
		return err
	}
	if length, err := strconv.ParseInt(x.R.Header.Get("X-Upload-Content-Length"), 10, 64); err == nil && length > s.options.MaxBodyBytes {
		return failure.ErrTooLarge
	}
	id, err := s.begin(x.bucket, session{incoming: in, Key: x.Caller.Account().AccessKeyID})
	if err != nil {
		return err
	}
	query := url.Values{"uploadType": {"resumable"}, "upload_id": {id}, "name": {in.Name}}
	x.W.Header().Set("Location", x.Base()+"/upload/storage/v1/b/"+url.PathEscape(in.Bucket)+"/o?"+query.Encode())
	x.W.Header().Set("X-Guploader-Uploadid", id)
	x.W.Header().Set("Content-Length", "0")
	x.W.WriteHeader(http.StatusOK)
	return nil
}

// continueUpload receives a chunk, or returns the progress.
func (s *Service) continueUpload(x *exchange) error {
	found, err := s.session(x)
	if err != nil {
		return err
	}
	chunk, err := chunkOf(x.R.Header.Get("Content-Range"), x.body.content.Size())
	if err != nil {
		return err
	}
	if chunk.total >= 0 && chunk.size > 0 && chunk.first+chunk.size > chunk.total {
		return failure.ErrInvalid.With("The body is longer than Content-Range declares")
	}
	progress, err := x.bucket.Append(found.Name, found.id, chunk.first, s.options.MaxBodyBytes, x.body.content)
	if err != nil {
		return err
	}
	switch {
	case chunk.total < 0 || progress.Size < chunk.total:
		return x.sendProgress(progress.Size)
	case progress.Size > chunk.total:
		return failure.ErrInvalid.With("More bytes have been received than Content-Range declares")
	}
	return s.endUpload(x, found)
}

// endUpload stores an object from the received bytes. The upload ends even if the object is
// rejected.
func (s *Service) endUpload(x *exchange, found session) error {
	in := found.incoming
	httpserver.NoteStored(x.R.Context(), in.Name)
	made, err := x.bucket.CompleteAppended(in.Name, found.id, in.conditions(), func(content objects.Body) (objects.Draft, error) {
		sums, err := declared(x.R.Header, in.Document)
		if err != nil {
			return objects.Draft{}, err
		}
		in.sums = sums
		in.ContentType = cmp.Or(in.ContentType, x.R.Header.Get("Content-Type"))
		computed, err := sumsOf(content)
		if err != nil {
			return objects.Draft{}, err
		}
		return s.draft(in, content, computed)
	})
	if err != nil {
		if failure.Of(err).Code < http.StatusInternalServerError {
			err = errors.Join(err, s.abort(x.bucket, found))
		}
		return err
	}
	if found.XML {
		return x.sendCreated(made)
	}
	o, err := objectOf(in.Bucket, made)
	if err != nil {
		return err
	}
	return x.sendObject(o)
}

// sendProgress returns the number of received bytes. Clients that cannot handle status 308 announce
// this.
func (x *exchange) sendProgress(have int64) error {
	if have > 0 {
		x.W.Header().Set("Range", "bytes=0-"+strconv.FormatInt(have-1, 10))
	}
	x.W.Header().Set("Content-Length", "0")
	status := http.StatusPermanentRedirect
	if x.R.Header.Get("X-Guploader-No-308") != "" {
		x.W.Header().Set("X-Http-Status-Code-Override", "308")
		status = http.StatusOK
	}
	x.W.WriteHeader(status)
	return nil
}

func (s *Service) cancelUpload(x *exchange) error {
	found, err := s.session(x)
	if err != nil {
		return err
	}
	if err := s.abort(x.bucket, found); err != nil {
		return err
	}
	x.W.Header().Set("Content-Length", "0")
	x.W.WriteHeader(statusCancelled)
	return nil
}

// chunk is a part of an upload, from the header Content-Range.
type chunk struct {
	first, size int64
	total       int64 // -1 if unknown
}

// chunkOf parses "bytes 0-9/20", "bytes 0-9/*", "bytes */20" and "bytes */*". Without the header,
// the chunk is the whole content.
func chunkOf(header string, size int64) (chunk, error) {
	if header == "" {
		return chunk{size: size, total: size}, nil
	}
	c := chunk{total: -1, size: size}
	value, ok := strings.CutPrefix(header, "bytes ")
	span, end, found := strings.Cut(value, "/")
	if !ok || !found {
		return c, errRange
	}
	if end != "*" {
		total, err := number(end)
		if err != nil || total == nil {
			return c, errRange
		}
		c.total = *total
	}
	first, err := firstOf(span, size)
	c.first = first
	return c, err
}

// endsUpload reports whether a request with this header Content-Range stores the object if it
// succeeds. Others may store it, too: one without content, such as "bytes */20", does so if all
// bytes have been received, and otherwise requests the progress.
func endsUpload(header string) bool {
	if header == "" {
		return true
	}
	span, end, _ := strings.Cut(strings.TrimPrefix(header, "bytes "), "/")
	_, to, _ := strings.Cut(span, "-")
	last, err := number(to)
	total, totalErr := number(end)
	return err == nil && totalErr == nil && last != nil && total != nil && *last == *total-1
}

var errRange = failure.ErrInvalid.With("Content-Range is not valid, or does not match the body")

// firstOf parses "0-9", or "*" for an empty body.
func firstOf(span string, size int64) (int64, error) {
	if span == "*" && size == 0 {
		return 0, nil
	}
	from, to, _ := strings.Cut(span, "-")
	first, err := number(from)
	last, lastErr := number(to)
	if err != nil || lastErr != nil || first == nil || last == nil || *last-*first != size-1 {
		return 0, errRange
	}
	return *first, nil
}
