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
