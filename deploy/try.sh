#!/usr/bin/env bash
# Runs both compose files for real where no image registry can be reached: builds stand-ins of the same names for the images
# of others, builds Scorelay's own through deploy/Dockerfile, and takes the stacks through their paces. .ci/deep runs it.
#
#   deploy/try.sh           docker-compose.yml: start, create a key, load, scale, kill a relayer, the API and NATS, audit;
#                           deploy/production/docker-compose.yml: certificates, keys, setup, start, an update, audit
#   deploy/try.sh --keep    the same, but leave the last stack running; it says how to reach it
#
# It needs root, Debian 12, Go and npm. Its dockerd runs in namespaces of its own, so that ports, networks and images clash
# with nothing here, no container reaches anything outside, and nothing remains. What it makes stays in SCORELAY_TRY_DIR (by default
# /tmp/scorelay-try) for the next time. It exits 0 only if everything worked; where it cannot be tried, it says why and exits 77.
set -euo pipefail
cd "$(dirname "$0")/.."

WORK=${SCORELAY_TRY_DIR:-${TMPDIR:-/tmp}/scorelay-try}
KEEP=${1:-}
export COMPOSE_PROJECT_NAME=scorelay-try DOCKER_HOST=unix://$WORK/docker.sock DOCKER_BUILDKIT=1
mkdir -p "$WORK"

say() { printf '\n== %s (%ss)\n' "$*" "$SECONDS"; }
skip() { printf '\nNOT RUN: %s\n' "$*"; exit 77; }

[ "$(id -u)" = 0 ] || skip "needs root, for dockerd"
grep -qs '^VERSION_CODENAME=bookworm$' /etc/os-release || skip "needs Debian 12, for the stand-ins"
exec 9>"$WORK/lock" # which dockerd holds, too
flock -n 9 || skip "another one runs with $WORK"

need() { # command package
  command -v "$1" >/dev/null && return
  local install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$2")
  { "${install[@]}" || { apt-get update && "${install[@]}"; }; } >>"$WORK/apt.log" 2>&1 || skip "couldn't install $2; see $WORK/apt.log"
}

DOCKERD= # what holds its namespaces; INIT is the first process in them
finish() {
  status=$?
  set +e
  if [ -n "${UP:-}" ] && [ $status != 0 ]; then
    compose ps --all
    compose logs --tail 60
    docker logs --tail 5 scorelay-try-chain
  fi
  if [ -n "$DOCKERD" ] && [ -z "$KEEP" ]; then
    docker rm --force scorelay-try-chain >/dev/null 2>&1
    [ -z "${UP:-}" ] || compose --profile '*' down --volumes --timeout 5 >/dev/null 2>&1
    kill "$INIT" 2>/dev/null
    wait "$DOCKERD" 2>/dev/null
  fi
  exit $status
}
trap finish EXIT

# If this script dies, so does dockerd, and with it every container.
start_docker() {
  need dockerd docker.io
  need ip iproute2
  need curl curl
  need openssl openssl
  rm -rf "$WORK/docker"/{exec,pid,data/containers,data/network,data/volumes} # what one that was killed left
  local run=(setpriv --pdeathsig KILL unshare --kill-child)
  [ -z "$KEEP" ] || run=(unshare)
  # shellcheck disable=SC2016
  "${run[@]}" --net --pid --fork --mount-proc sh -c 'ip link set lo up; dockerd "$@" & trap "kill $!" TERM; wait; wait' sh \
    --data-root "$WORK/docker/data" --exec-root "$WORK/docker/exec" --pidfile "$WORK/docker/pid" --host "$DOCKER_HOST" >"$WORK/dockerd.log" 2>&1 &
  DOCKERD=$!
  for _ in $(seq 60); do
    INIT=$(pgrep -P "$DOCKERD") && docker info >/dev/null 2>&1 && return
    kill -0 "$DOCKERD" 2>/dev/null || break
    sleep 0.5
  done
  skip "dockerd doesn't start here; see $WORK/dockerd.log"
}

# inside runs a program of this machine where dockerd publishes ports.
inside() { nsenter --target "$INIT" --net "$@"; }

# Debian 12 has no compose that knows --wait; the next Debian's runs here as well.
find_compose() {
  COMPOSE=(docker compose)
  docker compose version >/dev/null 2>&1 && return
  COMPOSE=("$WORK/compose/usr/libexec/docker/cli-plugins/docker-compose")
  [ -x "${COMPOSE[0]}" ] && return
  local at=$WORK/apt
  mkdir -p "$at/lists/partial" "$at/cache"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main" >"$at/sources.list"
  local options=(-o Dir::Etc::SourceList="$at/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$at/lists"
    -o Dir::Cache="$at/cache" -o APT::Sandbox::User=root)
  (cd "$at" && rm -f ./*.deb && apt-get "${options[@]}" update && apt-get "${options[@]}" download docker-compose) >>"$WORK/apt.log" 2>&1 ||
    skip "couldn't download docker-compose; see $WORK/apt.log"
  dpkg-deb -x "$at"/docker-compose_*.deb "$WORK/compose"
}
compose() { "${COMPOSE[@]}" --progress quiet "$@"; }

# copy_program puts a program and the libraries it is linked with into a directory that becomes an image.
copy_program() { # path directory
  mkdir -p "$2/usr/bin"
  cp -L "$1" "$2/usr/bin/"
  { ldd "$1" 2>/dev/null || true; } | grep -o '/[^ ]*' | sort -u | while read -r lib; do
    mkdir -p "$2$(dirname "$lib")"
    cp -L "$lib" "$2$lib"
  done
}

busybox_into() { # directory
  mkdir -p "$1/bin" "$1/tmp" "$1/data" "$1/etc/ssl/certs"
  cp "$(command -v busybox)" "$1/bin/busybox"
  for applet in cp grep mkdir sh wget; do ln -sf busybox "$1/bin/$applet"; done
  cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/" # which build and cast ask for
}

image() { # name directory options
  tar -C "$2" -c . | docker import --change 'ENV PATH=/usr/bin:/bin' "${@:3}" - "$1" >/dev/null
}

image_of() { # service
  compose --profile '*' config --format json "$1" | sed -n 's/.*"image": "\(.*\)".*/\1/p' | head -1
}

stand_ins() {
  need busybox busybox-static
  need redis-server redis-server
  need prometheus prometheus
  need wget wget
  local dir=$WORK/images
  rm -rf "$dir" && mkdir -p "$dir"

  busybox_into "$dir/nats"
  copy_program "$(command -v wget)" "$dir/nats" # busybox's speaks no TLS that Go takes; the image's does
  CGO_ENABLED=0 go build -o "$dir/nats/bin/nats-server" github.com/nats-io/nats-server/v2
  image "$(image_of nats)" "$dir/nats"

  busybox_into "$dir/redis"
  copy_program "$(command -v redis-server)" "$dir/redis"
  copy_program "$(command -v redis-cli)" "$dir/redis"
  chown 999:1000 "$dir/redis/data" # as the image has it
  image "$(image_of redis)" "$dir/redis"

  busybox_into "$dir/prometheus"
  copy_program "$(command -v prometheus)" "$dir/prometheus"
  image "$(image_of prometheus)" "$dir/prometheus" --change 'ENTRYPOINT ["/usr/bin/prometheus"]'

  busybox_into "$dir/chain"
  local anvil
  anvil=$(image_of chain) && anvil=${anvil##*:v}
  npm install --prefix "$WORK/npm" --no-fund --no-audit "@foundry-rs/anvil@$anvil" "@foundry-rs/cast@$anvil" >"$WORK/npm.log" 2>&1
  for program in anvil cast; do
    copy_program "$(echo "$WORK"/npm/node_modules/@foundry-rs/$program-linux-*/bin/$program)" "$dir/chain"
  done
  echo 'root:x:0:0:root:/root:/bin/sh' >"$dir/chain/etc/passwd"
  image "$(image_of chain)" "$dir/chain"
}

# own_images builds through deploy/Dockerfile. Its golang is a stand-in that compiles nothing: in a first build it notes what go is
# asked, and this machine's Go, whose caches are warm, does that with the files that the first build was given; in the second build
# it hands out what came of it.
own_images() {
  local golang dir=$WORK/golang asked
  golang=$(sed -n 's/^FROM \(golang:[^ ]*\) .*/\1/p' deploy/Dockerfile)
  rm -rf "$dir" && mkdir -p "$dir/stand-in/made"
  busybox_into "$dir/stand-in"
  cat >"$dir/stand-in/bin/go" <<'GO'
#!/bin/sh
printf '%s\n' "CGO_ENABLED=$CGO_ENABLED" go "$@" >/asked
mkdir -p /out
[ ! -e /made/api ] || cp /made/* /out/
GO
  chmod +x "$dir/stand-in/bin/go"
  image "$golang" "$dir/stand-in"
  build build scorelay-try/build
  local container
  container=$(docker create scorelay-try/build -)
  docker cp "$container:/src" "$dir/src"
  docker cp "$container:/asked" "$dir/asked"
  docker rm "$container" >/dev/null
  mapfile -t asked <"$dir/asked"
  (cd "$dir/src" && GOFLAGS='' env "${asked[@]/#\/out\//$dir/stand-in/made/}")
  image "$golang" "$dir/stand-in"
  for target in api relayer scorelay; do build "$target" "localhost/scorelay/$target:dev"; done
  CGO_ENABLED=0 go build -C cmd/bench -o "$WORK/bench" . # the load generator, which no image has
}

# Debian's client builds with BuildKit by itself; newer ones need a plugin that may not be there.
build() { # target name
  local docker=docker
  docker buildx version >/dev/null 2>&1 || docker=/usr/bin/docker
  $docker build --quiet --network none -f deploy/Dockerfile --target "$1" -t "$2" .
}

tool() { compose run --rm -T scorelay "$@"; }

up() { UP=1; compose up --wait --wait-timeout 180 --no-build "$@"; }

# kill_one kills a service's process from outside, so that the restart policy has to bring it back.
kill_one() { # service
  nsenter --target "$INIT" --pid kill -9 "$(docker inspect --format '{{.State.Pid}}' "$(compose ps -q "$1" | head -1)")"
}

# load sends updates from a container, with the API key in $key.
load() { # API, updates per second, seconds
  SCORELAY_API_KEY=$key compose run --rm -T -e SCORELAY_API_KEY -v "$WORK/bench:/bench:ro" --entrypoint /bench scorelay load --url "$1" --rate "$2" --duration "$3"
}

# clients runs the example clients through the published ports.
clients() {
  (cd docs/examples && { npm ls >/dev/null 2>&1 || npm ci --silent --no-audit --no-fund; })
  local contract
  contract=$(compose logs --no-log-prefix setup | sed -n 's/.*"contract": "\(0x[0-9a-f]*\)".*/\1/p' | head -1)
  printf '{"apiUrl":"http://127.0.0.1:8080","apiKey":"%s","rpcUrl":"http://127.0.0.1:8545","contract":"%s"}' "$key" "$contract" >"$WORK/dev.json"
  inside node docs/examples/clients.mjs "$WORK/dev.json"
  SCORELAY_API_KEY=$key inside node docs/examples/web3.mjs
}

# scraped starts Prometheus and sees that it scrapes so many programs, all of them up, and has read the alerts.
scraped() { # programs
  compose --profile observability up --wait --wait-timeout 60 --no-build prometheus
  local answer='' prometheus=http://127.0.0.1:9090/api/v1
  for _ in $(seq 60); do
    answer=$(inside curl -fsS "$prometheus/query" --data-urlencode "query=sum(up{job=~\"scorelay-.*\"})")
    case $answer in *",\"$1\"]"*) break ;; esac
    sleep 1
  done
  case $answer in *",\"$1\"]"*) ;; *)
    echo "Prometheus answers $answer, and should see $1 programs"
    return 1
    ;;
  esac
  inside curl -fsS "$prometheus/rules" | grep -q ScorelayNotDurable
  echo "Prometheus scrapes $1 programs; Grafana was not started: Debian has no package for a stand-in"
}

# development drives the stack of docker-compose.yml as an operator and a client do.
development() {
  say "docker-compose.yml"; up
  compose ps
  key=$(tool keys create try) # docker compose run --rm -T scorelay keys create
  say "load"; load http://api:8080 100 10s
  say "audit"; tool audit --wait 2m
  say "web3.js, ethers and viem, from outside"; clients
  say "scale to four relayers"; up --scale relayer=4
  say "load, while a relayer, the API and NATS are killed"
  load http://api:8080 100 20s &
  local loading=$!
  sleep 5
  kill_one relayer
  sleep 5
  kill_one api
  sleep 5
  kill_one nats
  wait $loading || echo "the generator saw errors while the API was away, as it should"
  say "audit"; tool audit --wait 2m
  say "observability"; scraped 5
  compose --profile '*' down --volumes --timeout 5
}

# keystore makes the keystore file of one of anvil's keys, as the development stack has them.
keystore() { # directory password-file index name
  mkdir -p "$1"
  local key
  key=$(grep -o '0x[0-9a-f]\{64\}' docker-compose.yml | sed -n "$3p")
  "$(echo "$WORK"/npm/node_modules/@foundry-rs/cast-linux-*/bin/cast)" wallet import --keystore-dir "$1" --private-key "$key" --unsafe-password "$(cat "$2")" "$4" >/dev/null
}

# operator_files makes all that an operator brings to deploy/production/docker-compose.yml, with the commands of
# docs/operations.md, "On one machine".
operator_files() {
  local dir=$SCORELAY_DIR nats redis commands
  commands=$(sed -n '/^mkdir -p authorities/,/^```/p' docs/operations.md | sed '/^```/d; s/scores.example.com/localhost/')
  [ -n "$commands" ]
  rm -rf "$dir" && mkdir -p "$dir"/{nats,redis,relayer,setup}
  nats=$(openssl rand -hex 16) redis=$(openssl rand -hex 16)
  echo "users: [{ user: scorelay, password: \"$nats\" }]" >"$dir/nats/users.conf"
  printf '%s\n' 'user default off' "user scorelay on >$redis ~* &* +@all -@admin -@dangerous +info" >"$dir/redis/users.acl"
  echo "tls://scorelay:$nats@nats:4222" >"$dir/nats-url"
  echo "rediss://scorelay:$redis@redis:6379/0" >"$dir/redis-url"
  echo "http://chain.example:8545" >"$dir/chain-rpc"
  openssl rand -hex 16 | tee "$dir/setup/password" >"$dir/relayer/password"
  keystore "$dir/setup" "$dir/setup/password" 1 deployer.json
  keystore "$dir/relayer/signers" "$dir/relayer/password" 2 lane-0.json
  keystore "$dir/relayer/signers" "$dir/relayer/password" 3 lane-1.json
  (cd "$dir"; eval "$commands"; rm ca.key) 2>"$WORK/openssl.log"
}

# production drives the stack of deploy/production/docker-compose.yml, whose real chain is an anvil outside of it.
production() {
  export COMPOSE_PROJECT_NAME=scorelay-try-production COMPOSE_FILE=deploy/production/docker-compose.yml
  export SCORELAY_VERSION=dev SCORELAY_DIR=$WORK/production
  say "deploy/production/docker-compose.yml: certificates, passwords, keys"; operator_files
  UP=1; compose create --no-build
  docker run -d --rm --name scorelay-try-chain --network "${COMPOSE_PROJECT_NAME}_default" --network-alias chain.example -p 127.0.0.1:8545:8545 \
    --entrypoint anvil "$(COMPOSE_FILE=docker-compose.yml image_of chain)" --host 0.0.0.0 --chain-id 31337 --block-time 1 --slots-in-an-epoch 1 >/dev/null
  say "setup"; compose run --rm -T setup --admin 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266
  rm -r "$SCORELAY_DIR/setup" # as an operator is told
  say "up"; up
  compose ps
  key=$(tool keys create try)
  say "an update from outside, by TLS"
  SCORELAY_API_KEY=$key SCORELAY_API_URL=https://localhost SCORELAY_RPC_URL=http://127.0.0.1:8545 NODE_EXTRA_CA_CERTS=$SCORELAY_DIR/authorities/ca.pem \
    inside node docs/examples/web3.mjs
  say "load, while a relayer, NATS and Redis are killed"
  load https://api:8080 50 10s &
  local loading=$!
  sleep 3
  for service in relayer nats redis; do kill_one $service; done
  wait $loading
  say "audit"; tool audit --wait 2m
  say "relayers and the API made anew, as in an upgrade; NATS and Redis restarted; backup"
  up --force-recreate relayer
  up --force-recreate api
  compose restart nats redis
  rm -rf "$WORK/backups" && mkdir "$WORK/backups" && chown 65532 "$WORK/backups"
  compose run --rm -T -v "$WORK/backups:/backups" scorelay backup /backups/2026-11-23
  [ -s "$WORK/backups/2026-11-23/manifest.json" ]
  say "observability"; scraped 3
}

if grep -q @sha256: docker-compose.yml deploy/Dockerfile; then skip "stand-ins have no digests of real images: go run -C deploy/release ./pin -remove"; fi
say "docker"; start_docker
say "compose"; find_compose; compose version
say "stand-ins"; stand_ins
say "our own images, through deploy/Dockerfile"; own_images
development
production
say "everything worked"
[ -z "$KEEP" ] || echo "it runs on: export DOCKER_HOST=$DOCKER_HOST; reach its ports by nsenter -t $INIT -n; end it by kill $INIT"
