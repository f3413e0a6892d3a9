#!/usr/bin/env bash
# Runs docker-compose.yml for real where no image registry can be reached: builds stand-ins of the same names for every
# image it needs, builds Scorelay's own images through deploy/Dockerfile, and takes the stack through its paces.
#
#   deploy/try.sh           start, create a key, load, scale, kill a relayer and the API, audit, remove
#   deploy/try.sh --keep    the same, but leave the stack running at the end
#
# It needs root, Debian with apt, Go, npm and the network for packages. It starts a dockerd of its own, since the stand-ins
# have the names of real images, and stops it at the end; to use another one, name it in DOCKER_HOST. What it builds stays
# in SCORELAY_TRY_DIR (by default /tmp/scorelay-try) for the next time. It exits 0 only if everything worked; where it
# cannot be tried, it says so and exits 77.
set -euo pipefail
cd "$(dirname "$0")/.."

COMPOSE_VERSION=v2.40.3
WORK=${SCORELAY_TRY_DIR:-${TMPDIR:-/tmp}/scorelay-try}
KEEP=${1:-}
export COMPOSE_PROJECT_NAME=scorelay-try
mkdir -p "$WORK"

say() { printf '\n== %s (%ss)\n' "$*" "$SECONDS"; }
skip() { printf '\n!! NOT TRIED: %s\n' "$*" >&2; exit 77; }

[ "$(id -u)" = 0 ] || skip "needs root, for dockerd and debootstrap"
command -v apt-get >/dev/null || skip "needs Debian, for the stand-ins"

need() { # command package
  command -v "$1" >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$2" >>"$WORK/apt.log" 2>&1 ||
    skip "couldn't install $2; see $WORK/apt.log"
}

DOCKERD=
finish() {
  status=$?
  set +e
  if [ -n "${UP:-}" ] && [ "$KEEP" != --keep ]; then
    [ $status = 0 ] || compose logs --tail 60 api relayer nats
    compose down --volumes --timeout 5 >/dev/null 2>&1
  fi
  if [ -n "$DOCKERD" ] && [ "$KEEP" != --keep ]; then kill "$DOCKERD"; wait "$DOCKERD" 2>/dev/null; fi
  exit $status
}
trap finish EXIT

start_docker() {
  need dockerd docker.io
  if [ -n "${DOCKER_HOST:-}" ]; then
    docker info >/dev/null 2>&1 || skip "the dockerd that DOCKER_HOST names doesn't answer"
    return
  fi
  export DOCKER_HOST=unix://$WORK/docker.sock
  dockerd --data-root "$WORK/docker/data" --exec-root "$WORK/docker/exec" --pidfile "$WORK/docker/pid" \
    --host "$DOCKER_HOST" >"$WORK/dockerd.log" 2>&1 &
  DOCKERD=$!
  for _ in $(seq 60); do
    docker info >/dev/null 2>&1 && return
    kill -0 "$DOCKERD" 2>/dev/null || break
    sleep 0.5
  done
  skip "dockerd doesn't start here; see $WORK/dockerd.log"
}

# The compose plugin where there is one, else the same program built from its Go module.
find_compose() {
  if docker compose version >/dev/null 2>&1; then
    COMPOSE=(docker compose)
    return
  fi
  COMPOSE=("$WORK/docker-compose-$COMPOSE_VERSION")
  [ -x "${COMPOSE[0]}" ] && return
  local module
  module=$(cd "$WORK" && GOFLAGS='' go mod download -json "github.com/docker/compose/v2@$COMPOSE_VERSION" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  rm -rf "$WORK/compose" && cp -r "$module" "$WORK/compose" && chmod -R u+w "$WORK/compose"
  (cd "$WORK/compose" && go build -o "${COMPOSE[0]}" ./cmd)
}
compose() { "${COMPOSE[@]}" "$@"; }

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
  mkdir -p "$1/bin" "$1/tmp" "$1/data"
  cp "$(command -v busybox)" "$1/bin/busybox"
  for applet in sh wget; do ln -sf busybox "$1/bin/$applet"; done
}

image() { # name directory
  tar -C "$2" -c . | docker import - "$1" >/dev/null
}

image_of() { # service
  compose config --format json "$1" | sed -n 's/.*"image": "\(.*\)".*/\1/p' | head -1
}

stand_ins() {
  need busybox busybox-static
  need redis-server redis-server
  local dir=$WORK/images
  rm -rf "$dir" && mkdir -p "$dir"/{nats,redis,chain}

  busybox_into "$dir/nats"
  CGO_ENABLED=0 go build -o "$dir/nats/bin/nats-server" github.com/nats-io/nats-server/v2
  image "$(image_of nats)" "$dir/nats"

  busybox_into "$dir/redis"
  copy_program "$(command -v redis-server)" "$dir/redis"
  copy_program "$(command -v redis-cli)" "$dir/redis"
  image "$(image_of redis)" "$dir/redis"

  busybox_into "$dir/chain"
  local anvil
  anvil=$(image_of chain) && anvil=${anvil##*:v}
  npm install --prefix "$WORK/npm" --no-fund --no-audit "@foundry-rs/anvil@$anvil" "@foundry-rs/cast@$anvil" >"$WORK/npm.log" 2>&1
  for program in anvil cast; do
    copy_program "$(echo "$WORK"/npm/node_modules/@foundry-rs/$program-linux-*/bin/$program)" "$dir/chain"
  done
  mkdir -p "$dir/chain/etc/ssl/certs" # cast refuses to run without certificates
  cp -L /etc/ssl/certs/ca-certificates.crt "$dir/chain/etc/ssl/certs/"
  echo 'root:x:0:0:root:/root:/bin/sh' >"$dir/chain/etc/passwd"
  image "$(image_of chain)" "$dir/chain"
}

# golang is Debian with a C compiler and this machine's Go, as the official image is.
golang() {
  local name root=$WORK/golang
  name=$(sed -n 's/^FROM \(golang:[^ ]*\) .*/\1/p' deploy/Dockerfile)
  docker image inspect "$name" >/dev/null 2>&1 && return
  need debootstrap debootstrap
  rm -rf "$root"
  debootstrap --variant=minbase --include=gcc,libc6-dev,ca-certificates bookworm "$root" http://deb.debian.org/debian >"$WORK/debootstrap.log"
  cp -r "$(go env GOROOT)" "$root/usr/local/go"
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
  tar -C "$root" -c . | docker import --change 'ENV PATH=/usr/local/go/bin:/usr/bin:/bin GOTOOLCHAIN=local' - "$name" >/dev/null
}

# Debian's client builds with BuildKit by itself; newer ones need a plugin that may not be there.
build() {
  if docker buildx version >/dev/null 2>&1; then docker build "$@"; else DOCKER_BUILDKIT=1 /usr/bin/docker build "$@"; fi
}

own_images() {
  for target in api relayer scorelay; do
    build --network host -f deploy/Dockerfile --target "$target" -t "scorelay/$target:dev" .
  done
}

tool() { compose run --rm -T scorelay "$@"; }

# kill_one kills a service's process from outside, so that the restart policy has to bring it back.
kill_one() { # service
  kill -9 "$(docker inspect --format '{{.State.Pid}}' "$(compose ps -q "$1" | head -1)")"
}

# clients runs the example clients through the published ports.
clients() {
  (cd docs/examples && npm ci --silent)
  local contract
  contract=$(compose logs --no-log-prefix setup | sed -n 's/.*"contract": "\(0x[0-9a-f]*\)".*/\1/p' | head -1)
  printf '{"apiUrl":"http://127.0.0.1:8080","apiKey":"%s","rpcUrl":"http://127.0.0.1:8545","contract":"%s"}' "$key" "$contract" >"$WORK/dev.json"
  node docs/examples/clients.mjs "$WORK/dev.json"
  SCORELAY_API_KEY=$key node docs/examples/web3.mjs
}

# exercise drives the running stack as an operator and a client do.
exercise() {
  compose ps
  key=$(tool keys create try) # docker compose run --rm -T scorelay keys create
  load() { # updates per second, seconds
    SCORELAY_API_KEY=$key compose run --rm -T -e SCORELAY_API_KEY scorelay load --api http://api:8080 --rate "$1" --duration "$2"
  }
  say "load"
  load 100 10s
  say "audit"
  tool audit --wait 2m
  say "web3.js, ethers and viem, from outside"
  clients
  say "scale to four relayers"
  compose up --wait --no-build --scale relayer=4
  say "load, while a relayer, the API and NATS are killed"
  load 100 20s &
  local loading=$!
  sleep 5
  kill_one relayer
  sleep 5
  kill_one api
  sleep 5
  kill_one nats
  wait $loading || echo "the generator saw errors while the API was away, as it should"
  say "audit"
  tool audit --wait 2m
}

if grep -q @sha256: docker-compose.yml deploy/Dockerfile; then skip "stand-ins have no digests of real images: go run -C deploy/release ./pin -remove"; fi
say "docker"; start_docker
say "compose"; find_compose; compose version
say "stand-ins"; stand_ins
say "a stand-in for golang"; golang
say "our own images, through deploy/Dockerfile"; own_images
say "up"; UP=1; compose up --wait --no-build
exercise
say "everything worked"
