# syntax=docker/dockerfile:1

# The image of every component of cosi-emu: the first argument says which one.
#
#   make image
#   docker buildx build --platform linux/amd64,linux/arm64 --tag registry.example.com/cosi-emu:v1 --push .

# It builds on the machine's own platform, for any other.
FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm AS build
ARG TARGETOS=linux
ARG TARGETARCH
ENV GOCACHE=/cache/build GOMODCACHE=/cache/mod
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/cache go mod download
COPY . .
RUN --mount=type=cache,target=/cache \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags='-s -w' -o /out/cosi-emu ./cmd/cosi-emu

# Certificates and a user without rights, and nothing else.
FROM gcr.io/distroless/static-debian12:nonroot
LABEL org.opencontainers.image.title="cosi-emu" \
      org.opencontainers.image.description="COSI controller, sidecar and fake driver (objectstorage.k8s.io/v1alpha2)" \
      org.opencontainers.image.source="https://github.com/cosi-emu/cosi-emu" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /out/cosi-emu /cosi-emu
COPY LICENSE /LICENSE
# By number, so that a kubelet can tell that it is not root.
USER 65532:65532
ENTRYPOINT ["/cosi-emu"]
