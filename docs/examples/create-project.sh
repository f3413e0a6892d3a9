# docs/examples/create-project.sh: creates a project with curl, and asks for it
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
api=$(node dev.mjs apiUrl)
apiKey=$(node dev.mjs apiKey)
projectId=0x$(openssl rand -hex 32)
curl --fail-with-body -sSw "\n" "$api/create-project" -H "X-API-KEY: $apiKey" -H 'Content-Type: application/json' -d '{
  "projectId": "'$projectId'",
  "name": "Acme Games",
  "inputActions": [
    { "name": "win", "points": 25, "direction": 0 },
    { "name": "foul", "points": 10, "direction": 1 }
  ],
  "owners": ["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"],
  "updaters": ["0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"],
  "scoreTypes": ["reputation", "skill"]
}'
curl --fail-with-body -sSw "\n" "$api/projects/$projectId" -H "X-API-KEY: $apiKey"
