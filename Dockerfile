# syntax=docker/dockerfile:1

# The image of every component of cosi-emu: the first argument selects one. `make release` writes the
# same image without a container tool.
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
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags='-s -w' -o /out/usr/bin/cosi-emu ./cmd/cosi-emu
# A library creates the directory in /tmp when the program starts, which would end with a panic on a
# read-only root file system.
RUN mkdir -p /out/etc /home/nonroot && mkdir -m 1777 /out/tmp && mkdir /out/tmp/kubebuilder-envtest && \
    echo 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin' >/out/etc/passwd && \
    echo 'nonroot:x:65532:' >/out/etc/group

# The program and a user without rights, and nothing else.
FROM scratch
LABEL org.opencontainers.image.title="cosi-emu" \
      org.opencontainers.image.description="COSI controller, sidecar, fake driver and emulator (objectstorage.k8s.io)" \
      org.opencontainers.image.source="https://github.com/cosi-emu/cosi-emu" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /out/ /
COPY --from=build --chown=65532:65532 --chmod=700 /home/nonroot /home/nonroot
COPY LICENSE /LICENSE
# No program of a control plane can run here.
ENV PATH=/usr/bin HOME=/home/nonroot COSI_EMU_CONTROL_PLANE=embedded
WORKDIR /home/nonroot
# By number, so that a kubelet can recognize that it is not root.
USER 65532:65532
ENTRYPOINT ["/usr/bin/cosi-emu"]
