package gcs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
)

// objectResource is an object in the form of the JSON API.
type objectResource struct {
	attributes

	Kind         string    `json:"kind"`
	ID           string    `json:"id"`
	ETag         string    `json:"etag"`
	SelfLink     string    `json:"selfLink"`
	MediaLink    string    `json:"mediaLink"`
	ClassUpdated time.Time `json:"timeStorageClassUpdated"`
	// TimeDeleted is the time at which the version was replaced or deleted; zero for the latest.
	TimeDeleted time.Time `json:"timeDeleted,omitzero"`
}

func (x *exchange) resource(a *attributes) objectResource {
	path := "/storage/v1/b/" + a.Bucket + "/o/" + url.PathEscape(a.Name)
	base := x.Base()
	return objectResource{
		attributes: *a, Kind: "storage#object", ID: fmt.Sprintf("%s/%s/%d", a.Bucket, a.Name, a.Generation), ETag: a.etag(),
		SelfLink:     base + path,
		MediaLink:    fmt.Sprintf("%s/download%s?generation=%d&alt=media", base, path, a.Generation),
		ClassUpdated: a.TimeCreated,
	}
}

func (x *exchange) sendObject(o *object) error {
	return x.send(x.resource(&o.attributes))
}

func (s *Service) describe(x *exchange) error {
	found, err := s.existing(x)
	if err == nil {
		err = x.checkETag(found.etag())
	}
	if err != nil {
		return err
	}
	item := x.resource(&found.attributes)
	for _, v := range x.bucket.Versions(found.Name) {
		if v.Generation() <= found.Generation {
			break
		}
		item.TimeDeleted = v.Modified()
	}
	return x.send(item)
}

func (s *Service) describeBucket(x *exchange) error {
	b, err := s.options.Store.GetBucket(x.R.Context(), x.target.bucket)
	if err != nil {
		return err
	}
	return x.send(struct {
		Kind           string    `json:"kind"`
		ID             string    `json:"id"`
		Name           string    `json:"name"`
		ProjectNumber  string    `json:"projectNumber"`
		Generation     string    `json:"generation"`
		Metageneration string    `json:"metageneration"`
		Location       string    `json:"location"`
		LocationType   string    `json:"locationType"`
		StorageClass   string    `json:"storageClass"`
		ETag           string    `json:"etag"`
		SelfLink       string    `json:"selfLink"`
		TimeCreated    time.Time `json:"timeCreated"`
		Updated        time.Time `json:"updated"`
	}{
		Kind: "storage#bucket", ID: b.Name, Name: b.Name, ProjectNumber: "0", Generation: "1", Metageneration: "1",
		Location: "LOCALHOST", LocationType: "region", StorageClass: defaultClass, ETag: "CAE=",
		SelfLink: x.Base() + "/storage/v1/b/" + b.Name, TimeCreated: b.CreatedAt, Updated: b.CreatedAt,
	})
}

func (x *exchange) send(document any) error {
	body, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	x.W.Header().Set("Content-Type", failure.ContentType)
	x.W.WriteHeader(http.StatusOK)
	_, _ = x.W.Write(body) // the client may have disconnected
	return nil
}
