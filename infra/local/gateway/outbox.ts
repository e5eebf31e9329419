import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

// The local stack sends no mail. A file stores the mail, and /outbox shows it.

export interface Mail {
  id: string
  at: string
  from: string
  /** The recipients' addresses, separated by commas. */
  to: string
  subject: string
  text: string
  html?: string
  /** The attachments; `content` is Base64. */
  files?: { name: string; type: string; content: string }[]
}

export interface Outbox {
  add(mail: Mail): void
  /** All mails, newest last. */
  list(): Mail[]
}

export const openOutbox = (file: string): Outbox => ({
  // A newline on both sides, because a crash may have truncated the previous line.
  add: mail => appendFileSync(file, `\n${JSON.stringify(mail)}\n`, { mode: 0o600 }),
  list() {
    if (!existsSync(file)) return []
    // Skips a line that a crash truncated. The sender of that mail never got a success response.
    return readFileSync(file, 'utf8')
      .split('\n')
      .flatMap(line => {
        try {
          return [JSON.parse(line)]
        } catch {
          return []
        }
      })
  },
})

const quoted = (text: string) => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

/** Makes links in the text clickable, and escapes everything else. */
const linked = (text: string) =>
  text
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((part, i) => (i % 2 ? `<a href="${quoted(part)}">${quoted(part)}</a>` : quoted(part)))
    .join('')

/** A download link for an attachment. */
const attached = ({ name, type, content }: NonNullable<Mail['files']>[number]) =>
  `<p><a download="${quoted(name)}" href="data:${quoted(type)};base64,${quoted(content)}">${quoted(name)}</a></p>`

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { max-width: 45rem; margin: 2rem auto; padding: 0 1rem }
  article { border-top: 1px solid #8888; padding: 1rem 0 }
  h2 { font-size: 1.1rem; margin: 0 }
  pre { white-space: pre-wrap; font: inherit; overflow-wrap: anywhere }
  small { opacity: .75 }
`

/** The content security policy allows the inline style by its hash. */
export const outboxStyleHash = createHash('sha256').update(style).digest('base64')

/** The HTML page of the outbox, newest mail first. */
export const outboxPage = (mails: Mail[]): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Outbox</title><link rel="icon" href="/icon.svg">
<style>${style}</style>
<h1>Outbox</h1>
<p>The local stack shows mail here instead of sending it.${mails.length === 0 ? ' There is none yet.' : ''}</p>
${mails
  .toReversed()
  .map(
    ({ at, to, subject, text, files = [] }) => `<article><h2>${quoted(subject)}</h2>
<small>to ${quoted(to)}, <time>${quoted(at)}</time></small><pre>${linked(text)}</pre>${files.map(attached).join('')}</article>`,
  )
  .join('\n')}
</html>
`
