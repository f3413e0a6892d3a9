// live.js has a screen show what is so now: every two seconds it reads the screen's own address and replaces the parts that changed.
'use strict'
addEventListener('DOMContentLoaded', () => {
  const parts = [...document.querySelectorAll('[data-part]')]
  if (!parts.length) return
  const says = document.getElementById('following-state'), button = document.getElementById('following-pause')
  const every = 2000
  let timer, paused = false, ended = false

  const tell = (kind, text) => { // once, since screen readers say what changes
    if (says.textContent !== text) says.textContent = text
    says.className = `state ${kind}`
  }
  const sights = (part) => [...part.querySelectorAll('a, button, [tabindex]')]

  function replace(part, fresh) {
    if (part.dataset.shown === fresh.innerHTML) return
    const focus = sights(part).indexOf(document.activeElement), scrolled = sights(part).map((one) => one.scrollLeft)
    part.dataset.shown = fresh.innerHTML
    part.replaceChildren(...document.adoptNode(fresh).childNodes)
    sights(part).forEach((one, i) => { one.scrollLeft = scrolled[i] ?? 0 })
    sights(part)[focus]?.focus({ preventScroll: true })
    improve(part)
  }

  async function look() {
    try {
      const answer = await fetch(location.pathname, { redirect: 'manual', signal: AbortSignal.timeout(20_000) })
      if (answer.type === 'opaqueredirect') {
        ended = true
        button.hidden = true
        return tell('bad', '✕ the session ended: load this screen again')
      }
      const next = new DOMParser().parseFromString(await answer.text(), 'text/html')
      if (paused) return
      for (const part of parts) {
        const fresh = next.getElementById(part.id)
        if (fresh) replace(part, fresh)
      }
      if (answer.ok) tell('good', '● live')
      else tell('waiting', '◷ reconnecting')
    } catch {
      if (!paused) tell('waiting', '◷ reconnecting')
    }
  }
  async function turn() {
    clearTimeout(timer)
    if (paused || ended || document.hidden) return
    await look()
    clearTimeout(timer)
    timer = setTimeout(turn, every)
  }
  button.addEventListener('click', () => {
    paused = !paused
    button.textContent = paused ? 'Resume' : 'Pause'
    if (paused) tell('waiting', '‖ paused')
    else turn()
  })
  document.addEventListener('visibilitychange', turn)
  document.getElementById('following').hidden = false
  tell('good', '● live')
  timer = setTimeout(turn, every)
})
