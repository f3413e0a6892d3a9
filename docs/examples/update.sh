# docs/examples/update.sh: signs an update of the demo project and sends it with curl
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
dev() { node dev.mjs "$1"; }
message=$(node -p 'Date.now()')
signature=$(node --input-type=module -e "
  import { Wallet } from 'ethers'
  console.log(await new Wallet('$(dev updaterKey)').signMessage('$message'))")
curl --fail-with-body -sSw "\n" "$(dev apiUrl)/update-score" -H "X-API-KEY: $(dev apiKey)" -H 'Content-Type: application/json' -d '{
  "updateId": "0x'"$(openssl rand -hex 31)"'00",
  "projectId": "'"$(dev projectId)"'", "actionName": "'"$(dev actions.0)"'", "scoreType": "'"$(dev scoreType)"'",
  "targetWallet": "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
  "message": "'"$message"'", "signature": "'"$signature"'"
}'
