# docs/examples/update.sh: signs an update of the demo project of `scorelay dev` and sends it with curl
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
api=$(node dev.mjs apiUrl)
apiKey=$(node dev.mjs apiKey)
projectId=$(node dev.mjs projectId)
updaterKey=$(node dev.mjs updaterKey)
updateId=0x$(openssl rand -hex 32) # one-off; many updates: count up, docs/ids.md
message=$(node -p 'Date.now()')
signature=$(node --input-type=module -e "
  import { load } from './dev.mjs'
  const { Wallet } = await load('ethers')
  console.log(await new Wallet('$updaterKey').signMessage('$message'))")
curl --fail-with-body -sSw "\n" "$api/update-score" -H "X-API-KEY: $apiKey" -H 'Content-Type: application/json' -d '{
  "updateId": "'$updateId'",
  "projectId": "'$projectId'",
  "actionName": "'$(node dev.mjs actions.0)'",
  "scoreType": "'$(node dev.mjs scoreType)'",
  "targetWallet": "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
  "message": "'$message'",
  "signature": "'$signature'"
}'
