{{- define "berth.name" -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{- define "berth.selector" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "berth.labels" -}}
{{ include "berth.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "berth.shadow" -}}
{{- if eq .Values.mode "shadow" }}true{{ end -}}
{{- end }}

{{- define "berth.lease" -}}
{{- if eq .Values.mode "replace" }}kube-scheduler{{ else }}{{ .Values.leaseName }}{{ end -}}
{{- end }}

{{- define "berth.schedulerName" -}}
{{- if eq .Values.mode "second" }}{{ .Values.schedulerName }}{{ else }}default-scheduler{{ end -}}
{{- end }}

{{- define "berth.replicas" -}}
{{- if include "berth.shadow" . }}1{{ else }}{{ .Values.replicas }}{{ end -}}
{{- end }}

{{/* The configuration file. Whoever holds kube-scheduler's Lease must find it in kube-scheduler's namespace. */}}
{{- define "berth.configuration" -}}
{{- range $key := list "apiVersion" "kind" "leaderElection" "profiles" }}
{{- if hasKey $.Values.configuration $key }}
{{- fail (printf "configuration.%s is set by the chart" $key) }}
{{- end }}
{{- end }}
{{- $election := dict "leaderElect" false }}
{{- if not (include "berth.shadow" .) }}
{{- $namespace := ternary "kube-system" .Release.Namespace (eq .Values.mode "replace") }}
{{- $election = dict "leaderElect" true "resourceName" (include "berth.lease" .) "resourceNamespace" $namespace }}
{{- end }}
{{- $profiles := .Values.profiles | default (list (dict "schedulerName" (include "berth.schedulerName" .))) }}
{{- $head := dict "apiVersion" "kubescheduler.config.k8s.io/v1" "kind" "KubeSchedulerConfiguration" }}
{{- $own := dict "leaderElection" $election "profiles" $profiles }}
{{- toYaml (merge $head $own .Values.configuration) }}
{{- end }}

{{- define "berth.reads" -}}
# What the plugins read.
- apiGroups: [""]
  resources: [pods, nodes, namespaces, services, replicationcontrollers, persistentvolumes, persistentvolumeclaims]
  verbs: [get, list, watch]
- apiGroups: [apps]
  resources: [replicasets, statefulsets]
  verbs: [get, list, watch]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch]
- apiGroups: [storage.k8s.io]
  resources: [storageclasses, csinodes, csidrivers, csistoragecapacities, volumeattachments]
  verbs: [get, list, watch]
- apiGroups: [resource.k8s.io]
  resources: [deviceclasses, resourceslices, resourceclaims, devicetaintrules]
  verbs: [get, list, watch]
# Groups of pods, under the feature gates GenericWorkload and CompositePodGroup.
- apiGroups: [scheduling.k8s.io]
  resources: [podgroups, compositepodgroups]
  verbs: [get, list, watch]
{{- end }}

{{- define "berth.reviews" -}}
# Who its clients are, and what they may.
- apiGroups: [authentication.k8s.io]
  resources: [tokenreviews]
  verbs: [create]
- apiGroups: [authorization.k8s.io]
  resources: [subjectaccessreviews]
  verbs: [create]
{{- end }}

{{/* berth serve; another name, so that no selector matches both. */}}
{{- define "berth.questions.name" -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" }}-questions
{{- end }}

{{- define "berth.questions.selector" -}}
app.kubernetes.io/name: berth-questions
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "berth.questions.labels" -}}
{{ include "berth.questions.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
