package service

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// S3 is the service that each driver has.
var S3 Service = s3Service{}

// others are the services that a driver enables by its protocols.
var others = []Service{gcsService{}, azureService{}}

// All returns all services.
func All() []Service { return append([]Service{S3}, others...) }

// Others returns the services besides S3 that protocols enable.
func Others(protocols []fakedriver.Protocol) []Service {
	return slices.DeleteFunc(slices.Clone(others), func(s Service) bool { return !slices.Contains(protocols, s.Protocol()) })
}
