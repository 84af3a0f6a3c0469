package cosi_test

import (
	"context"
	"fmt"

	"google.golang.org/grpc"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

type identity struct {
	cosiv1alpha2.UnimplementedIdentityServer
}

func (identity) DriverGetInfo(context.Context, *cosiv1alpha2.DriverGetInfoRequest) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	return &cosiv1alpha2.DriverGetInfoResponse{
		Name:               "my.driver.example",
		SupportedProtocols: []*cosiv1alpha2.ObjectProtocol{{Type: cosiv1alpha2.ObjectProtocol_S3}},
	}, nil
}

func Example() {
	server := grpc.NewServer()
	cosiv1alpha2.RegisterIdentityServer(server, identity{})
	for service := range server.GetServiceInfo() {
		fmt.Println(service)
	}
	// Output: sigs.k8s.io.cosi.v1alpha2.Identity
}
