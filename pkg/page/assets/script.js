// What the page does better with a script: the theme before anything is drawn, local times, ids copied by one click, and a screen that is read again
// until what it tells of is final.
'use strict'
const root = document.documentElement
try {
  if (localStorage.theme) root.dataset.theme = localStorage.theme
} catch { /* a browser may keep nothing */ }

// improve adds to a part of a screen what needs a script.
function improve(part) {
  for (const time of part.querySelectorAll('time')) {
    time.title = `${new Date(time.dateTime).toLocaleString()} (${time.title})`
  }
  for (const button of part.querySelectorAll('.copy')) {
    if (!navigator.clipboard) break // a browser has one at HTTPS and at this machine
    button.hidden = false
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.dataset.copy)
      button.textContent = 'copied'
      setTimeout(() => { button.textContent = 'copy' }, 1500)
    })
  }
}

// follow reads the screen again while more is to come, ever more rarely while nothing does, and not in a tab that is not seen.
async function follow(line) {
  const parts = (of) => ['verdict', 'now'].map((id) => of.getElementById(id))
  const live = 'Live: this screen follows by itself.'
  line.hidden = false
  line.textContent = live
  let shown = ''
  for (let seconds = 1; ; seconds = Math.min(seconds * 1.5, 15)) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    if (document.hidden) {
      line.textContent = 'Paused while this tab is hidden.'
      await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
      seconds = 0.5
      continue
    }
    let answer, text
    try {
      answer = await fetch(location.href)
      text = await answer.text()
    } catch { /* told below */ }
    if (answer?.redirected) {
      line.textContent = 'Your session has ended: load this screen again.'
      return
    }
    if (!answer?.ok || text === undefined) {
      line.textContent = 'Reconnecting.'
      seconds = Math.max(seconds, Number(answer?.headers.get('Retry-After')))
      continue
    }
    line.textContent = live
    const now = parts(new DOMParser().parseFromString(text, 'text/html'))
    const last = !('live' in now[1].dataset)
    const is = now.map((part) => part.innerHTML).join('')
    if (is !== shown) {
      if (shown) seconds = 0.5 // more comes soon
      shown = is
      for (const [i, part] of parts(document).entries()) {
        part.className = now[i].className
        part.replaceChildren(...now[i].childNodes)
        improve(part)
      }
    }
    if (last) {
      line.hidden = true
      return
    }
  }
}

addEventListener('DOMContentLoaded', () => {
  const theme = document.getElementById('theme')
  const dark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  const label = () => { theme.textContent = dark() ? 'Light' : 'Dark' }
  theme.hidden = false
  theme.addEventListener('click', () => {
    root.dataset.theme = dark() ? 'light' : 'dark'
    label()
    try { localStorage.theme = root.dataset.theme } catch { /* as above */ }
  })
  label()
  improve(document)
  if (document.querySelector('[data-live]')) follow(document.getElementById('live'))
})
