// Has an owner sign the edit that the screen shows, in a browser wallet that announces itself (EIP-6963), and posts it. What is signed is read from the
// values that the screen shows, here and nowhere else; the server encodes the same by itself, and refuses the signature of anything else.
'use strict'
{
  const panel = document.getElementById('signing')
  const types = {
    EIP712Domain: [['string', 'name'], ['string', 'version'], ['uint256', 'chainId'], ['address', 'verifyingContract']],
    EditProject: [['bytes32', 'projectId'], ['Edit[]', 'edits'], ['uint256', 'nonce'], ['uint256', 'deadline']],
    Edit: [['string', 'operation'], ['address', 'member'], ['string', 'name'], ['uint32', 'points'], ['uint8', 'direction']],
  }
  for (const name in types) types[name] = types[name].map(([type, name]) => ({ name, type }))

  const list = panel?.querySelector('.wallets')
  const line = panel?.querySelector('[role=status]')
  const more = document.getElementById('more')
  const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  // As on the server: what cannot be seen, or turns the text around, is shown as its code.
  const visible = (text, most = 300) => String(text).slice(0, most).replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu,
    (c) => c === ' ' ? c : `[U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`)

  const short = (id) => visible(`${id.slice(0, 6)}…${id.slice(-4)}`)

  // say tells how it stands: state is a class (good, waiting, bad), which has a sign, too.
  const say = (state, text, ...links) => {
    const mark = document.createElement('b')
    mark.className = state
    mark.textContent = { good: '✓ ', waiting: '◷ ', bad: '✕ ' }[state]
    line.replaceChildren(mark, text, ...links)
  }
  // offer shows a button for what to do next; without a name there is none.
  const offer = (name, act) => {
    if (!name && document.activeElement === more) line.focus() // what had the focus is hidden
    more.hidden = !name
    more.textContent = name ?? ''
    more.onclick = act
  }
  let running = false
  const busy = (is) => {
    running = is
    for (const button of panel.querySelectorAll('button')) button.setAttribute('aria-disabled', is) // a disabled one would lose the focus
  }

  const edit = () => {
    const value = (name) => document.querySelector(`#what [data-field=${name}]`)?.value
    return {
      projectId: value('projectId'),
      edits: [{
        operation: value('operation'), member: value('member') ?? `0x${'0'.repeat(40)}`, name: value('name') ?? '',
        points: Number(value('points') ?? 0), direction: Number(value('direction') ?? 0),
      }],
      nonce: Number(value('nonce')), deadline: Number(value('deadline')),
    }
  }

  // refusal is a wallet's error in words, by the codes of EIP-1193 and of JSON-RPC.
  const refusal = (error, name) => {
    const code = error?.code ?? error?.data?.originalError?.code
    switch (code) {
      case 4001: return `You refused in ${name}. Nothing was signed.`
      case 4100: return `${name} is locked, or does not let this page use the account. Unlock it, then choose it again.`
      case 4200: case -32601: return `${name} cannot do this: ${visible(error.message)}`
      case 4900: case 4901: return `${name} has no connection to its chain.`
      case 4902: return `${name} does not know this chain. Add it there, then choose the wallet again.`
      case -32002: return `${name} has a question open already. Open it and answer that, then choose it again.`
      default: return `${name} answered: ${visible(error?.message ?? error)}${code === undefined ? '' : ` (${visible(code)})`}`
    }
  }

  // sign leads from a chosen wallet to a posted edit, or says what is in the way. One runs at a time.
  const sign = async ({ provider, info }) => {
    const name = visible(info.name, 60)
    const domain = JSON.parse(panel.dataset.domain)
    if (running) return
    offer()
    busy(true)
    try {
      say('waiting', `Look at ${name}: unlock it, and connect an owner's account.`)
      const accounts = await provider.request({ method: 'eth_requestAccounts' })
      const owners = panel.dataset.owners.trim().split(' ')
      const owner = accounts.find((account) => owners.some((each) => each.toLowerCase() === account.toLowerCase()))
      if (!owner) {
        say('bad', `${accounts.map(short).join(', ') || 'No account'} is no owner of this project. Choose an owner's account in ${name} (${owners.slice(0, 5).map(short).join(', ')}${
          owners.length > 5 ? ', …' : ''}), then choose the wallet again.`)
        return
      }
      const chain = BigInt(await provider.request({ method: 'eth_chainId' }))
      if (chain !== BigInt(domain.chainId)) {
        say('bad', `${name} is on chain ${chain}. The project is on chain ${domain.chainId}.`)
        offer(`Switch ${name} to chain ${domain.chainId}`, () => change({ provider, info }, domain.chainId))
        return
      }
      say('waiting', `Compare what ${name} shows with the above. If it is the same, sign it there, as ${short(owner)}.`)
      const message = edit()
      const typed = { types, primaryType: 'EditProject', domain, message }
      const signature = await provider.request({ method: 'eth_signTypedData_v4', params: [owner, JSON.stringify(typed)] })
      await post(message, signature)
    } catch (error) {
      say('bad', refusal(error, name))
    } finally {
      busy(false)
    }
  }

  const change = async (wallet, chainId) => {
    if (running) return
    offer()
    busy(true)
    try {
      say('waiting', `Confirm it in ${visible(wallet.info.name, 60)}.`)
      await wallet.provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: `0x${BigInt(chainId).toString(16)}` }] })
    } catch (error) {
      say('bad', refusal(error, visible(wallet.info.name, 60)))
      return
    } finally {
      busy(false)
    }
    await sign(wallet)
  }

  // post sends the signed edit until it has an answer that stays: it is stored once, however often it comes.
  const post = async ({ edits, nonce, deadline }, signature) => {
    const body = JSON.stringify({ edits, nonce, deadline, signature })
    for (;;) {
      let answer, problem
      say('waiting', 'Signed. It is being sent.')
      try {
        answer = await fetch(panel.dataset.to, {
          method: 'POST', body, keepalive: true, redirect: 'error', headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': panel.dataset.token },
        })
        problem = await answer.json()
      } catch {
        problem = { title: 'The API could not be reached' }
      }
      if (answer?.ok) {
        say('good', 'Accepted.')
        location.assign(`${panel.dataset.to}/${nonce}`)
        return
      }
      const retry = Number(answer?.headers.get('Retry-After')) || (!answer || answer.status >= 500 ? 5 : 0) // a proxy's 502 says nothing of the API's
      const details = [problem.detail, ...(problem.errors ?? []).map((e) => `${e.pointer.split('/').pop()} ${e.detail}`)].filter(Boolean).join('; ')
      const told = `${visible(problem.title)}${details && `: ${visible(details)}`}${problem.code ? ` (${visible(problem.code)})` : ''}.`
      if (!retry) {
        const again = document.createElement('a')
        again.href = location.href
        again.textContent = 'Load this screen again'
        say('bad', `${told} Nothing was changed. `, again)
        return
      }
      say('waiting', `${told} It is sent again in ${retry} s; keep this page open.`)
      await pause(retry)
    }
  }

  const known = new Set()
  // announced shows a wallet as a button. What it says of itself is text, and its icon an image within it: both are the wallet's word.
  const announced = ({ detail }) => {
    const { info, provider } = detail ?? {}
    if (typeof info?.uuid !== 'string' || typeof info.name !== 'string' || typeof provider?.request !== 'function' || known.has(info.uuid)) return
    known.add(info.uuid)
    const item = document.createElement('li')
    const button = document.createElement('button')
    const label = document.createElement('span')
    const rdns = document.createElement('small')
    rdns.textContent = visible(info.rdns ?? '', 60)
    label.append(visible(info.name, 60), rdns)
    if (/^data:image\/(svg\+xml|png|webp|jpeg|gif)[;,]/.test(info.icon) && info.icon.length < 200_000) {
      const icon = document.createElement('img')
      icon.src = info.icon
      icon.alt = ''
      button.append(icon)
    }
    button.type = 'button'
    button.append(label)
    button.addEventListener('click', () => sign({ provider, info }))
    item.append(button)
    list.append(item)
    if (known.size === 1) say('waiting', 'Choose a wallet. It shows what you sign before you sign it.')
  }
  if (panel) {
    panel.hidden = false
    document.getElementById('unscripted').remove()
    say('waiting', 'Looking for wallets in this browser…')
    addEventListener('eip6963:announceProvider', announced)
    dispatchEvent(new Event('eip6963:requestProvider'))
    pause(1).then(() => {
      if (!known.size) say('bad', 'No wallet announced itself in this browser (EIP-6963). Install or enable one and load this screen again, or use a shell.')
    })
  }
}
