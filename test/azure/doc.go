// Package azure tests the Azure service through the whole of COSI with the clients that
// applications use: the SDKs for Go and Python, and rclone. It is a module of its own, so that
// programs that import cosi-emu do not depend on Azure's SDK.
package azure
