// Lets the reader of the API description try a call. The key or token stays in this page only.

const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

const token = element('input', {
  type: 'password',
  autocomplete: 'off',
  spellcheck: false,
  placeholder: 'attk_…',
})
document
  .querySelector('header')
  .append(element('label', { className: 'key' }, 'API key or token for trying calls', token))

const send = async (path, body) => {
  const response = await fetch(`/api/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-timezone': Intl.DateTimeFormat().resolvedOptions().timeZone,
      // A pasted key may have blanks around it.
      ...(token.value.trim() && { authorization: `Bearer ${token.value.trim()}` }),
    },
    body,
  })
  const text = await response.text()
  try {
    return `${response.status}\n${JSON.stringify(JSON.parse(text), null, 2)}`
  } catch {
    return `${response.status}\n${text}`
  }
}

const attempt = ({ path, input }) => {
  const indented = JSON.stringify(JSON.parse(input), null, 2)
  const body = element('textarea', { rows: Math.min(12, indented.split('\n').length + 1), spellcheck: false })
  body.value = indented
  const answer = element('output')
  const form = element(
    'form',
    {},
    element('label', {}, 'Body', body),
    element('button', { type: 'submit' }, 'Send'),
    answer,
  )
  form.addEventListener('submit', async event => {
    event.preventDefault()
    answer.textContent = '…'
    try {
      answer.textContent = await send(path, body.value)
    } catch (error) {
      answer.textContent = String(error)
    }
  })
  return form
}

for (const article of document.querySelectorAll('article[data-path]')) {
  const details = element('details', { className: 'try' }, element('summary', {}, 'Try it'))
  // The page has hundreds of paths, so it creates a form only when the reader opens the path.
  details.addEventListener('toggle', () => details.append(attempt(article.dataset)), { once: true })
  article.append(details)
}
