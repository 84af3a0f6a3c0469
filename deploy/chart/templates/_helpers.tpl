{{/* The prefix of all names. */}}
{{- define "cosi.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains "cosi" .Release.Name -}}
{{- .Release.Name | trunc 36 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-cosi" (.Release.Name | trunc 31 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{- define "cosi.leaseNamespace" -}}
{{- default .Release.Namespace .Values.leaderElection.namespace -}}
{{- end -}}

{{- define "cosi.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/* The labels of all objects. */}}
{{- define "cosi.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/part-of: cosi
{{- end -}}

{{/* The labels by which a component is selected: a list of the context and the component. */}}
{{- define "cosi.selector" -}}
app.kubernetes.io/name: cosi-{{ index . 1 }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
{{- end -}}

{{/*
The objects of a file of rights, which is a copy of one in the repository's deploy/: a list of the context, the
file, the components whose ServiceAccounts get the rights, and optionally the namespace of the objects. Roles for leader
election are in the namespace of the Leases.
*/}}
{{- define "cosi.rights" -}}
{{- $args := . -}}
{{- $root := index . 0 -}}
{{- $isWhole := has (index . 1) (list "controller.yaml" "sidecar.yaml" "sidecar-v1alpha1.yaml") -}}
{{- $components := index . 2 -}}
{{- $prefix := include "cosi.fullname" $root -}}
{{- range $text := regexSplit "(?m)^---$" ($root.Files.Get (printf "files/rbac/%s" (index . 1))) -1 }}
{{- $object := $text | replace "name: cosi-" (printf "name: %s-" $prefix) | replace "namespace: cosi-system" (printf "namespace: %s" $root.Release.Namespace) | fromYaml }}
{{- if not (and $isWhole $root.Values.watchNamespaces (hasPrefix "ClusterRole" $object.kind)) }}
{{- $metadata := $object.metadata }}
{{- if gt (len $args) 3 }}
{{- $_ := set $metadata "namespace" (index $args 3) }}
{{- end }}
{{- if and (hasPrefix "Role" $object.kind) (hasSuffix "-leader-election" $metadata.name) }}
{{- $_ := set $metadata "namespace" (include "cosi.leaseNamespace" $root) }}
{{- end }}
{{- $_ := set $metadata "labels" (merge (dig "labels" dict $metadata) (include "cosi.labels" $root | fromYaml)) }}
{{- if and (eq $object.kind "ServiceAccount") (hasSuffix "-sidecar" $metadata.name) $root.Values.driver.serviceAccountAnnotations }}
{{- $_ := set $metadata "annotations" $root.Values.driver.serviceAccountAnnotations }}
{{- end }}
{{- if hasKey $object "subjects" }}
{{- $subjects := list }}
{{- range $subject := $object.subjects }}
{{- range $component := $components }}
{{- if eq $subject.name (printf "%s-%s" $prefix $component) }}
{{- $subjects = append $subjects $subject }}
{{- end }}
{{- end }}
{{- end }}
{{- $_ := set $object "subjects" $subjects }}
{{- end }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
The rights of a component, in the whole cluster or in the watched namespaces: a list of the context, the name of the files
without .yaml, and the component.
*/}}
{{- define "cosi.componentRights" -}}
{{- $root := index . 0 -}}
{{- $file := index . 1 -}}
{{- $components := list (index . 2) -}}
{{- include "cosi.rights" (list $root (printf "%s.yaml" $file) $components) }}
{{- if $root.Values.watchNamespaces }}
{{- include "cosi.rights" (list $root (printf "%s-namespaced.yaml" $file) $components) }}
{{- range $root.Values.watchNamespaces }}
{{- include "cosi.rights" (list $root (printf "%s-served.yaml" $file) $components .) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The right to read the Secrets that parameters of classes name, in a namespace that is not watched: a list of the context and the namespace. */}}
{{- define "cosi.secretParameters" -}}
{{- $root := index . 0 -}}
{{- $name := printf "%s-sidecar-secret-parameters" (include "cosi.fullname" $root) -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ $name }}
  namespace: {{ index . 1 }}
  labels: {{- include "cosi.labels" $root | nindent 4 }}
rules:
  - apiGroups: [""]
    resources: [secrets]
    verbs: [get]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ $name }}
  namespace: {{ index . 1 }}
  labels: {{- include "cosi.labels" $root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ $name }}
subjects:
  - kind: ServiceAccount
    name: {{ include "cosi.fullname" $root }}-sidecar
    namespace: {{ $root.Release.Namespace }}
{{- end -}}

{{/* The flags that controller and sidecar have. */}}
{{- define "cosi.args" -}}
- --leader-elect
- --leader-election-namespace={{ include "cosi.leaseNamespace" . }}
- --metrics-bind-address=:8080
{{- if not .Values.metrics.secure }}
- --metrics-secure=false
{{- end }}
- --health-probe-bind-address=:8081
{{- if eq .Values.api "v1alpha1" }}
- --api=v1alpha1
{{- end }}
{{- with .Values.watchNamespaces }}
- --watch-namespaces={{ join "," . }}
{{- end }}
{{- end -}}

{{- define "cosi.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Where the Pods of a component run. */}}
{{- define "cosi.placement" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{/* The Service with a component's metrics, and its ServiceMonitor: a list of the context and the component. */}}
{{- define "cosi.metrics" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $name := printf "%s-%s-metrics" (include "cosi.fullname" $root) $component -}}
# For Prometheus, which scrapes every instance.
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "cosi.labels" $root | nindent 4 }}
    app.kubernetes.io/name: cosi-{{ $component }}
    app.kubernetes.io/component: metrics
spec:
  clusterIP: None
  selector:
    {{- include "cosi.selector" . | nindent 4 }}
  ports:
    - name: metrics
      port: 8080
      targetPort: metrics
{{- with $root.Values.metrics.serviceMonitor }}
{{- if .enabled }}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- merge (deepCopy .labels) (include "cosi.labels" $root | fromYaml) | toYaml | nindent 4 }}
spec:
  selector:
    matchLabels:
      {{- include "cosi.selector" (list $root $component) | nindent 6 }}
      app.kubernetes.io/component: metrics
  endpoints:
    - port: metrics
      interval: {{ .interval }}
      {{- if $root.Values.metrics.secure }}
      scheme: https
      bearerTokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
      tlsConfig:
        insecureSkipVerify: true # the certificate is self-signed
      {{- end }}
{{- end }}
{{- end }}
{{- end -}}
