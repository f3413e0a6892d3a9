{{- define "scorelay.name" -}}
{{ default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "scorelay.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{ default $full .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* What follows takes a list: the root, and the component (api, relayer, setup, audit). */}}
{{- define "scorelay.selector" -}}
app.kubernetes.io/name: {{ include "scorelay.name" (first .) }}
app.kubernetes.io/instance: {{ (first .).Release.Name }}
app.kubernetes.io/component: {{ last . }}
{{- end }}

{{- define "scorelay.labels" -}}
{{- $root := first . -}}
{{ include "scorelay.selector" . }}
app.kubernetes.io/part-of: scorelay
app.kubernetes.io/version: {{ coalesce (get $root.Values.image.tags (last .)) $root.Values.image.tag $root.Chart.AppVersion | trunc 63 | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" | trunc 63 | quote }}
{{- end }}

{{- define "scorelay.meta" -}}
name: {{ include "scorelay.fullname" (first .) }}-{{ last . }}
namespace: {{ (first .).Release.Namespace }}
labels: {{- include "scorelay.labels" . | nindent 2 }}
{{- end }}

{{/* A list: the root, and the component. A cloud's identity, which may use keys in its KMS, is for those who sign. */}}
{{- define "scorelay.serviceAccount" -}}
{{- $account := (first .).Values.serviceAccount -}}
{{- if $account.create -}}
{{ include "scorelay.fullname" (first .) }}-{{ last . }}
{{- else if has (last .) (list "relayer" "setup") -}}
{{ default "default" $account.name }}
{{- else -}}
default
{{- end -}}
{{- end }}

{{/* A list: the root, and the program (api, relayer, scorelay). */}}
{{- define "scorelay.image" -}}
{{- $image := (first .).Values.image -}}
{{- $name := printf "%s/%s/%s" $image.registry $image.repository (last .) -}}
{{- $tagged := printf "%s:%s" $name (coalesce (get $image.tags (last .)) $image.tag (first .).Chart.AppVersion) -}}
{{- with get $image.digests (last .) }}{{ $tagged = printf "%s@%s" $name . }}{{ end -}}
{{ $tagged }}
{{- end }}

{{/* What the component is told of the outside: secrets by the files that scorelay.secrets mounts. */}}
{{- define "scorelay.env" -}}
{{- $v := (first .).Values -}}
{{- $component := last . -}}
{{- $service := has $component (list "api" "relayer") -}}
{{- if $v.nats.urlSecret.name }}
- {name: SCORELAY_NATS_URL_FILE, value: /run/scorelay/nats-url}
{{- else }}
- {name: SCORELAY_NATS_URL, value: {{ $v.nats.url | quote }}}
{{- end }}
{{- if $v.nats.credentialsSecret.name }}
- {name: SCORELAY_NATS_CREDENTIALS, value: /run/scorelay/nats.creds}
{{- end }}
{{- if ne $component "audit" }}
- {name: SCORELAY_NATS_MONITOR_URL, value: {{ join "," $v.nats.monitorURLs | quote }}}
{{- end }}
{{- if $v.chain.rpcSecret.name }}
- {name: SCORELAY_CHAIN_RPC_FILE, value: /run/scorelay/chain-rpc}
{{- else }}
- {name: SCORELAY_CHAIN_RPC, value: {{ $v.chain.rpc | quote }}}
{{- end }}
{{- if not (has $component (list "setup" "api")) }}
- {name: SCORELAY_CONFIRMATIONS, value: {{ int64 $v.chain.confirmations | quote }}}
- {name: SCORELAY_FINALITY, value: {{ $v.chain.finality }}}
{{- end }}
{{- if $service }}
{{- if $v.redis.urlSecret.name }}
- {name: SCORELAY_REDIS_URL_FILE, value: /run/scorelay/redis-url}
{{- else }}
- {name: SCORELAY_REDIS_URL, value: {{ $v.redis.url | quote }}}
{{- end }}
- {name: SCORELAY_ADMIN_LISTEN, value: ":9100"}
{{- if and (eq $component "api") $v.api.opsTokenSecret.name }}
- {name: SCORELAY_OPS_TOKEN_FILE, value: /run/scorelay/ops-token}
{{- end }}
- {name: SCORELAY_DRAIN_TIMEOUT, value: {{ int64 $v.drainSeconds }}s}
{{- range $name, $value := mergeOverwrite (deepCopy $v.settings) (get $v $component).settings }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}
{{- /* 88 % of the limit: Go collects before the kernel ends the program */ -}}
{{- with dig "resources" "limits" "memory" "" (get $v $component) | toString }}
{{- $unit := regexFind "[A-Za-z]*$" . }}
{{- $bytes := get (dict "" 1 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776) $unit }}
- {name: GOMEMLIMIT, value: {{ mulf 0.88 $bytes (trimSuffix $unit . | float64) | int64 | quote }}}
{{- end }}
{{- if $v.authorities.configMap }}
- {name: SSL_CERT_DIR, value: "/etc/ssl/certs:/etc/scorelay/authorities"}
{{- end }}
{{- end }}

{{/* The Secrets behind scorelay.env, as sources of one volume; empty where nothing is secret. */}}
{{- define "scorelay.secrets" -}}
{{- $v := (first .).Values -}}
{{- range $path, $from := dict "nats-url" $v.nats.urlSecret "nats.creds" $v.nats.credentialsSecret "chain-rpc" $v.chain.rpcSecret "redis-url" $v.redis.urlSecret "ops-token" $v.api.opsTokenSecret }}
{{- if and $from.name (or (ne $path "redis-url") (has (last $) (list "api" "relayer"))) (or (ne $path "ops-token") (eq (last $) "api")) }}
- secret: {name: {{ $from.name | quote }}, items: [{key: {{ $from.key | quote }}, path: {{ $path }}}]}
{{- end }}
{{- end }}
{{- end }}

{{- define "scorelay.mounts" -}}
{{- if include "scorelay.secrets" . }}
- {name: secrets, mountPath: /run/scorelay, readOnly: true}
{{- end }}
{{- if (first .).Values.authorities.configMap }}
- {name: authorities, mountPath: /etc/scorelay/authorities, readOnly: true}
{{- end }}
{{- end }}

{{- define "scorelay.volumes" -}}
{{- with include "scorelay.secrets" . | trim }}
- name: secrets
  projected:
    defaultMode: 0440
    sources: {{- . | nindent 4 }}
{{- end }}
{{- with (first .).Values.authorities.configMap }}
- {name: authorities, configMap: {name: {{ . | quote }}}}
{{- end }}
{{- end }}

{{/* The signers of the lanes: their environment, mounts and volumes. */}}
{{- define "scorelay.signers.env" }}
{{- if .Values.relayer.keystore.secret }}
- {name: SCORELAY_SIGNER_KEYSTORE, value: /run/signers/keystore}
{{- end }}
{{- if .Values.relayer.keystore.passwordSecret.name }}
- {name: SCORELAY_SIGNER_PASSWORD_FILE, value: /run/signers/password/password}
{{- end }}
{{- end }}
{{- define "scorelay.signers.mounts" }}
{{- if .Values.relayer.keystore.secret }}
- {name: keystore, mountPath: /run/signers/keystore, readOnly: true}
{{- end }}
{{- if .Values.relayer.keystore.passwordSecret.name }}
- {name: keystore-password, mountPath: /run/signers/password, readOnly: true}
{{- end }}
{{- range $i, $name := .Values.relayer.secrets }}
- {name: secret-{{ $i }}, mountPath: {{ printf "/run/secrets/%s" $name | quote }}, readOnly: true}
{{- end }}
{{- end }}
{{- define "scorelay.signers.volumes" }}
{{- with .Values.relayer.keystore.secret }}
- {name: keystore, secret: {secretName: {{ . | quote }}, defaultMode: 0440}}
{{- end }}
{{- with .Values.relayer.keystore.passwordSecret }}
{{- if .name }}
- {name: keystore-password, secret: {secretName: {{ .name | quote }}, defaultMode: 0440, items: [{key: {{ .key | quote }}, path: password}]}}
{{- end }}
{{- end }}
{{- range $i, $name := .Values.relayer.secrets }}
- {name: secret-{{ $i }}, secret: {secretName: {{ $name | quote }}, defaultMode: 0440}}
{{- end }}
{{- end }}

{{/* The account that tops them up, for relayers alone. */}}
{{- define "scorelay.topup.env" }}
{{- if .Values.relayer.topUp.secret }}
- {name: SCORELAY_TOPUP_KEYSTORE, value: /run/topup/topup.json}
{{- if .Values.relayer.topUp.passwordKey }}
- {name: SCORELAY_TOPUP_PASSWORD_FILE, value: /run/topup/password}
{{- end }}
{{- end }}
{{- end }}
{{- define "scorelay.topup.mounts" }}
{{- if .Values.relayer.topUp.secret }}
- {name: topup, mountPath: /run/topup, readOnly: true}
{{- end }}
{{- end }}
{{- define "scorelay.topup.volumes" }}
{{- with .Values.relayer.topUp }}
{{- if .secret }}
- name: topup
  secret:
    secretName: {{ .secret | quote }}
    defaultMode: 0440
    items:
      - {key: {{ .key | quote }}, path: topup.json}
      {{- if .passwordKey }}
      - {key: {{ .passwordKey | quote }}, path: password}
      {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* A list: the root, and the component. What every pod is: nobody, on a file system that it cannot write, without a token for Kubernetes. */}}
{{- define "scorelay.pod" -}}
serviceAccountName: {{ include "scorelay.serviceAccount" . | quote }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with (first .).Values.image.pullSecrets }}
imagePullSecrets: [{{ range $i, $name := . }}{{ if $i }}, {{ end }}{name: {{ $name | quote }}}{{ end }}]
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "scorelay.container" -}}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{/* A list: the root, and api or relayer. Where the scheduler may put its pods. */}}
{{- define "scorelay.placement" -}}
{{- $root := first . -}}
{{- $pod := (get $root.Values (last .)).pod -}}
topologySpreadConstraints:
{{- range $key, $when := dict "topology.kubernetes.io/zone" $root.Values.topologySpread.zone "kubernetes.io/hostname" $root.Values.topologySpread.node }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: {{ $when }}
    labelSelector:
      matchLabels: {{- include "scorelay.selector" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
{{- end }}
{{- with $pod.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- range $key := list "nodeSelector" "tolerations" "affinity" }}
{{- with get $pod $key }}
{{ $key }}: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* The admin listener tells. Decrypting many keys comes before it, so the start has five minutes. */}}
{{- define "scorelay.probes" -}}
startupProbe:
  httpGet: {path: /livez, port: admin}
  periodSeconds: 2
  failureThreshold: 150
livenessProbe:
  httpGet: {path: /livez, port: admin}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /readyz, port: admin}
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end }}

{{/* Everything that is wrong with the values and that the schema cannot tell, at once. */}}
{{- define "scorelay.check" -}}
{{- $v := .Values -}}
{{- $wrong := list -}}
{{- if and $v.serviceAccount.create $v.serviceAccount.name }}{{ $wrong = append $wrong "serviceAccount.name is of one that is there: it needs serviceAccount.create: false" }}{{ end }}
{{- if and $v.serviceAccount.annotations (not $v.serviceAccount.create) }}{{ $wrong = append $wrong "serviceAccount.annotations need serviceAccount.create: annotate the one that is there yourself" }}{{ end }}
{{- range $name, $pair := dict "nats.url" (list $v.nats.url $v.nats.urlSecret.name) "redis.url" (list $v.redis.url $v.redis.urlSecret.name) "chain.rpc" (list $v.chain.rpc $v.chain.rpcSecret.name) }}
{{- if not (or (first $pair) (last $pair)) }}{{ $wrong = append $wrong (printf "set %s or %sSecret.name" $name $name) }}{{ end }}
{{- if and (first $pair) (last $pair) }}{{ $wrong = append $wrong (printf "%s and %sSecret.name are both set; unset one" $name $name) }}{{ end }}
{{- end }}
{{- if not $v.nats.monitorURLs }}{{ $wrong = append $wrong "set nats.monitorURLs: of every NATS server, since each is asked whether it syncs every write" }}{{ end }}
{{- $signers := keys $v.relayer.settings }}{{ range $v.relayer.env }}{{ $signers = append $signers .name }}{{ end }}
{{- if not (or $v.relayer.keystore.secret (regexMatch "(^| )SCORELAY_SIGNER_" (join " " $signers))) }}{{ $wrong = append $wrong "set relayer.keystore.secret, or say in relayer.settings or relayer.env where else the lanes' signers are" }}{{ end }}
{{- if and $v.relayer.keystore.secret (eq $v.relayer.keystore.secret $v.relayer.keystore.passwordSecret.name) }}{{ $wrong = append $wrong "relayer.keystore.passwordSecret must be another Secret: each key of relayer.keystore.secret is read as a keystore file" }}{{ end }}
{{- if and $v.relayer.topUp.secret (not (regexMatch "(^| )SCORELAY_TOPUP_PER_DAY_ETHER( |$)" (join " " $signers))) }}{{ $wrong = append $wrong "relayer.topUp.secret needs SCORELAY_TOPUP_BELOW_ETHER, SCORELAY_TOPUP_TO_ETHER and SCORELAY_TOPUP_PER_DAY_ETHER in relayer.settings" }}{{ end }}
{{- if and $v.relayer.autoscaling.enabled (lt (int $v.relayer.autoscaling.lanes) 1) }}{{ $wrong = append $wrong "set relayer.autoscaling.lanes: more relayers than lanes only stand by" }}{{ end }}
{{- if and $v.relayer.autoscaling.enabled (not $v.relayer.autoscaling.prometheus) }}{{ $wrong = append $wrong "set relayer.autoscaling.prometheus: KEDA asks it for the backlog" }}{{ end }}
{{- if gt (int $v.api.autoscaling.minReplicas) (int $v.api.autoscaling.maxReplicas) }}{{ $wrong = append $wrong "api.autoscaling.minReplicas is above maxReplicas" }}{{ end }}
{{- if and $v.setup.enabled (not $v.setup.deployer.secret) }}{{ $wrong = append $wrong "set setup.deployer.secret" }}{{ end }}
{{- if and $v.setup.enabled (not $v.setup.relayers) (not $v.relayer.keystore.secret) }}{{ $wrong = append $wrong "set setup.relayers or relayer.keystore.secret: setup makes a lane for each signer" }}{{ end }}
{{- if and $v.setup.contract (not $v.setup.deployBlock) }}{{ $wrong = append $wrong "setup.contract needs setup.deployBlock" }}{{ end }}
{{- if and $v.api.ingress.enabled (not $v.api.ingress.host) }}{{ $wrong = append $wrong "set api.ingress.host" }}{{ end }}
{{- with $wrong }}{{ fail (printf "\n\n  - %s\n" (join "\n  - " .)) }}{{ end }}
{{- end }}
