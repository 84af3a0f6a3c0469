package azure

import (
	"encoding/base64"
	"encoding/xml"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/tagcondition"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

type (
	foundXML struct {
		XMLName    xml.Name       `xml:"EnumerationResults"`
		Endpoint   string         `xml:"ServiceEndpoint,attr"`
		Where      string         `xml:"Where"`
		Blobs      []foundBlobXML `xml:"Blobs>Blob"`
		NextMarker string         `xml:"NextMarker"`
	}
	foundBlobXML struct {
		Name      nameXML `xml:"Name"`
		Container string  `xml:"ContainerName"`
		Tags      tagsXML `xml:"Tags"`
	}
)

// find lists the blobs whose tags meet a filter, with these tags. Snapshots are not found.
func (s *Service) find(x *exchange) error {
	where := x.Query.Get("where")
	if where == "" {
		return failure.ErrMissingQuery.Because("The query parameter where is required.")
	}
	filter, err := tagcondition.ParseFilter(where)
	if err != nil {
		return err
	}
	limit, err := x.maxResults(maxResults)
	if err != nil {
		return err
	}
	after, err := x.marker()
	if err != nil {
		return err
	}
	list := foundXML{Endpoint: x.endpoint(), Where: where}
	for query := (objects.Query{After: after, Max: maxResults}); ; {
		page := x.bucket.List(query)
		for _, listed := range page.Versions {
			tags, ok := filter.Select(x.target.container, listed.Attributes.Tags)
			if !ok {
				continue
			}
			if len(list.Blobs) == limit {
				list.NextMarker = base64.URLEncoding.EncodeToString([]byte(list.Blobs[limit-1].Name))
				return x.sendXML(list)
			}
			list.Blobs = append(list.Blobs, foundBlobXML{Name: nameXML(listed.Key), Container: x.target.container, Tags: documentOf(tags)})
		}
		if !page.IsTruncated {
			return x.sendXML(list)
		}
		query.After = page.Next
	}
}
