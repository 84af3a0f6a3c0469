package gcs

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// statusCancelled is Google's status for a cancelled upload.
const statusCancelled = 499

// beginUpload starts a resumable upload. Unlike Google's, its URL does not work
// without a token.
func (s *Service) beginUpload(x *exchange) error {
	in, err := incomingOf(x, x.body.Bytes(), x.r.Header.Get("X-Upload-Content-Type"))
	if err != nil {
		return err
	}
	if length, err := strconv.ParseInt(x.r.Header.Get("X-Upload-Content-Length"), 10, 64); err == nil && length > s.options.MaxBodyBytes {
		return errTooLarge
	}
	id, err := s.uploads.begin(&upload{incoming: in, key: x.caller.Account().AccessKeyID})
	if err != nil {
		return err
	}
	query := url.Values{"uploadType": {"resumable"}, "upload_id": {id}}
	x.w.Header().Set("Location", s.base(x)+"/upload/storage/v1/b/"+url.PathEscape(in.bucket)+"/o?"+query.Encode())
	x.w.Header().Set("X-Guploader-Uploadid", id)
	x.w.Header().Set("Content-Length", "0")
	x.begin(http.StatusOK)
	return nil
}

// base returns the address that the client uses for the service.
func (s *Service) base(x *exchange) string {
	if x.r.TLS != nil {
		return "https://" + x.r.Host
	}
	return "http://" + x.r.Host
}

// continueUpload receives a chunk, or returns the progress.
func (s *Service) continueUpload(x *exchange) error {
	id := x.query.Get("upload_id")
	found, err := s.uploads.find(id, x.caller.Account().AccessKeyID, x.target.bucket)
	if err != nil {
		return err
	}
	chunk, err := chunkOf(x.r.Header.Get("Content-Range"), int64(x.body.Len()))
	if err != nil {
		return err
	}
	have := int64(len(found.content))
	switch {
	case chunk.size > 0 && chunk.first > have:
		return errInvalid.with("A chunk before this one is missing")
	case chunk.size > 0 && chunk.first+chunk.size > have: // a chunk may repeat received bytes at its start
		if chunk.first+chunk.size > s.options.MaxBodyBytes {
			return errTooLarge
		}
		found.content = append(found.content, x.body.Bytes()[have-chunk.first:]...)
		have = int64(len(found.content))
	}
	if chunk.total < 0 || have < chunk.total {
		return x.sendProgress(have)
	}
	if have > chunk.total {
		return errInvalid.with("The body is longer than Content-Range declares")
	}
	return s.endUpload(x, id, found)
}

// endUpload ends the upload, and stores an object from the received bytes.
func (s *Service) endUpload(x *exchange, id string, found *upload) error {
	s.uploads.end(id)
	in := found.incoming
	sums, err := declared(x.r.Header, in.document)
	if err != nil {
		return err
	}
	in.sums = sums
	if in.contentType == "" {
		in.contentType = x.r.Header.Get("Content-Type")
	}
	return s.finish(x, in, found.content)
}

// sendProgress returns the number of received bytes. Clients that cannot handle status
// 308 announce this.
func (x *exchange) sendProgress(have int64) error {
	if have > 0 {
		x.w.Header().Set("Range", "bytes=0-"+strconv.FormatInt(have-1, 10))
	}
	x.w.Header().Set("Content-Length", "0")
	status := http.StatusPermanentRedirect
	if x.r.Header.Get("X-Guploader-No-308") != "" {
		x.w.Header().Set("X-Http-Status-Code-Override", "308")
		status = http.StatusOK
	}
	x.begin(status)
	return nil
}

func (s *Service) cancelUpload(x *exchange) error {
	id := x.query.Get("upload_id")
	if _, err := s.uploads.find(id, x.caller.Account().AccessKeyID, x.target.bucket); err != nil {
		return err
	}
	s.uploads.end(id)
	x.w.Header().Set("Content-Length", "0")
	x.begin(statusCancelled)
	return nil
}

// chunk is a part of an upload, from the header Content-Range.
type chunk struct {
	first, size int64
	total       int64 // -1 if it is unknown
}

// chunkOf parses "bytes 0-9/20", "bytes 0-9/*", "bytes */20" and "bytes */*". Without
// the header, the chunk is the whole content.
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

var errRange = errInvalid.with("Content-Range is not valid, or not that of the body")

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
