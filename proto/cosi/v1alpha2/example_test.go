package cosi_test

import (
	"context"
	"fmt"

	"google.golang.org/grpc"

	cosi "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

type identity struct {
	cosi.UnimplementedIdentityServer
}

func (identity) DriverGetInfo(context.Context, *cosi.DriverGetInfoRequest) (*cosi.DriverGetInfoResponse, error) {
	return &cosi.DriverGetInfoResponse{
		Name:               "my.driver.example",
		SupportedProtocols: []*cosi.ObjectProtocol{{Type: cosi.ObjectProtocol_S3}},
	}, nil
}

func Example() {
	server := grpc.NewServer()
	cosi.RegisterIdentityServer(server, identity{})
	for service := range server.GetServiceInfo() {
		fmt.Println(service)
	}
	// Output: sigs.k8s.io.cosi.v1alpha2.Identity
}
