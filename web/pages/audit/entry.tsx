import { Bot, ChevronDown, KeyRound, ScanLine } from 'lucide-react'
import { Fragment, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { PersonAvatar } from '../../parts/list/person-avatar.tsx'
import { useShownName } from '../../parts/list/person-name.tsx'
import { Link } from '../../parts/shell/router.ts'
import { type Change, type Entry, type Line, type Noun, useAuditWords } from './words.ts'

/** Placeholders in a translated sentence: `\uE000` for its first page element, `\uE001` for its second. */
const places = ['\uE000', '\uE001']
const fill = (sentence: string, parts: readonly ReactNode[]) =>
  sentence.split(/([\uE000\uE001])/).map((piece, index) => {
    const place = places.indexOf(piece)
    // biome-ignore lint/suspicious/noArrayIndexKey: the place in the sentence identifies a piece.
    return <Fragment key={index}>{place < 0 ? piece : parts[place]}</Fragment>
  })

const useSentence = () => {
  const { t } = useTranslation('audit')
  const { objectName } = useAuditWords()
  const shownName = useShownName()
  return (entry: Entry, change: Change) => {
    const actor = entry.apiKey
      ? t('who.key', { name: entry.name })
      : entry.name
        ? shownName(entry.name)
        : t(entry.device ? 'who.device' : entry.employee ? 'who.gone' : 'who.job')
    if (change.count !== undefined) {
      const many = t(change.noun === 'department' ? 'many.department' : 'many.employee', { count: change.count })
      const sentence = t(change.change === 'added' ? 'sentence.imported' : 'sentence.takenBack', {
        who: places[0],
        many: places[1],
      })
      return fill(sentence, [<strong key="who">{actor}</strong>, <strong key="many">{many}</strong>])
    }
    const name = objectName(change, entry.names)
    const isForAll = change.noun === 'invitation' && change.id === 'company'
    const object = t(isForAll ? 'object.invitationOfAll' : `object.${change.noun}`, { name: places[1] })
    const action = change.noun === 'exception' ? (change.change === 'added' ? 'accepted' : 'reopened') : change.change
    return fill(t(`sentence.${action}`, { who: places[0], object }), [
      <strong key="who">{actor}</strong>,
      <strong key="name">{name}</strong>,
    ])
  }
}

/** The line of an entry names at most this many fields. */
const mostFields = 4

/** One entry of the audit log. A press shows its details. */
export function EntryRow(props: { entry: Entry; onObject: (change: Change, name: string) => void }) {
  const { t } = useTranslation(['audit', 'shell'])
  const formats = useFormats()
  const { linesOf } = useAuditWords()
  const sentence = useSentence()
  const { entry } = props
  const [isOpen, setOpen] = useState(false)
  const details = useId()
  const [first] = entry.changes
  if (!first) return null
  const others = entry.changes.length - 1
  const fields = [...new Set(linesOf(first, entry.names).map(({ name }) => name))]
  return (
    <li className={isOpen ? 'entry is-open' : 'entry'}>
      <button type="button" aria-expanded={isOpen} aria-controls={details} onClick={() => setOpen(!isOpen)}>
        <time className="figure muted" dateTime={entry.at}>
          {formats.time(entry.at)}
        </time>
        {entry.name && entry.employee && !entry.apiKey ? (
          <PersonAvatar id={entry.employee} person={entry.name} />
        ) : (
          <span className="avatar" aria-hidden="true">
            {entry.apiKey ? (
              <KeyRound className="icon" />
            ) : entry.device ? (
              <ScanLine className="icon" />
            ) : (
              <Bot className="icon" />
            )}
          </span>
        )}
        <span className="what">
          <span>
            {sentence(entry, first)}
            {others > 0 && <span className="muted"> {t('others', { count: others })}</span>}
          </span>
          {first.change === 'changed' && others === 0 && (
            <span className="muted small">
              {fields.slice(0, mostFields).join(', ')}
              {fields.length > mostFields && ` ${t('more', { count: fields.length - mostFields })}`}
            </span>
          )}
        </span>
        <ChevronDown className="icon" aria-hidden="true" />
      </button>
      <div id={details} hidden={!isOpen}>
        {isOpen && <Details entry={entry} onObject={props.onObject} />}
      </div>
    </li>
  )
}

/** The page of an object. An object without its own page appears on its owner's page. */
const pageOf: Record<Noun, string> = {
  absence: '/exception',
  apiKey: '/system/Application?tab=keys',
  company: '/system/company',
  correction: '/record',
  credential: '/employee',
  dayNote: '/report',
  delegation: '/approve',
  department: '/department',
  device: '/device',
  employee: '/employee',
  exception: '/exception',
  holiday: '/system/holiday',
  hourSet: '/shift/hours',
  invitation: '/employee',
  leave: '/leave',
  period: '/report/close',
  reportMail: '/report',
  reportTemplate: '/report',
  request: '/approve',
  role: '/system/role',
  schedule: '/schedule',
  scheduleTemplate: '/schedule',
  shift: '/shift',
  timeAccount: '/leave',
  webhook: '/system/Application',
}
const isSearched: readonly Noun[] = ['credential', 'department', 'device', 'employee', 'holiday', 'invitation', 'role']

/** A save can touch hundreds of objects. The details show only the first ones. */
const mostChanges = 50

function Details({ entry, onObject }: { entry: Entry; onObject: (change: Change, name: string) => void }) {
  const { t } = useTranslation(['audit', 'shell'])
  const formats = useFormats()
  const { linesOf, objectName } = useAuditWords()
  const sentence = useSentence()
  const searchOf = ({ noun, id }: Change, name: string) => {
    if (noun === 'webhook') return `?endpoint=${id}`
    const isSearch = isSearched.includes(noun) && name !== t('object.gone') && id !== 'company'
    return isSearch ? `?search=${encodeURIComponent(name)}` : ''
  }
  const hiddenCount = entry.changes.length - mostChanges
  return (
    <div className="entry-details">
      {entry.changes.slice(0, mostChanges).map((change, index) => {
        const lines = linesOf(change, entry.names)
        const name = objectName(change, entry.names)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the changes of a save never move.
          <section key={index}>
            {entry.changes.length > 1 && <h3>{sentence(entry, change)}</h3>}
            {lines.length > 0 && <Lines change={change} lines={lines} />}
            <p className="entry-links">
              {change.change !== 'removed' && change.count === undefined && (
                <Link to={`${pageOf[change.noun]}${searchOf(change, name)}`}>{t('open')}</Link>
              )}
              <button type="button" className="link" onClick={() => onObject(change, name)}>
                {t(change.count === undefined ? 'history' : 'each')}
              </button>
            </p>
          </section>
        )
      })}
      {hiddenCount > 0 && <p className="muted">{t('others', { count: hiddenCount })}</p>}
      <p className="muted small entry-origin">
        <span className="figure">{formats.timeWithSeconds(entry.at)}</span>
        {entry.device && <span>{t('origin.device', { device: entry.device })}</span>}
        {entry.job && <span>{t('origin.job', { job: entry.job })}</span>}
        {entry.ip && <span>{t('origin.ip', { ip: entry.ip })}</span>}
        {entry.path && <span className="figure">{entry.path}</span>}
      </p>
    </div>
  )
}

function Lines({ change, lines }: { change: Change; lines: Line[] }) {
  const { t } = useTranslation(['audit', 'shell'])
  // An entry about reading has no lines. An entry about a change needs both columns.
  const hasBefore = change.change !== 'added'
  const hasAfter = change.change !== 'removed'
  const columns = Number(hasBefore) + Number(hasAfter)
  const secretWord = ({ before, after }: Line) =>
    t(before === undefined ? 'value.set' : after === undefined ? 'value.removed' : 'value.changed')
  return (
    <table className="lines">
      <caption className="unseen">{t(`change.${change.change}`)}</caption>
      <thead>
        <tr>
          <th scope="col">{t('column.field')}</th>
          {hasBefore && <th scope="col">{t(hasAfter ? 'column.before' : 'column.value')}</th>}
          {hasAfter && <th scope="col">{t(hasBefore ? 'column.after' : 'column.value')}</th>}
        </tr>
      </thead>
      <tbody>
        {lines.map(line => (
          <tr key={line.key}>
            <th scope="row">{line.name}</th>
            {line.isSecret ? (
              <td colSpan={columns} className="muted">
                {secretWord(line)}
              </td>
            ) : (
              <>
                {hasBefore && (
                  <td className="was" data-title={hasAfter ? t('column.before') : undefined}>
                    {line.before ?? <span className="muted">{t('shell:none')}</span>}
                  </td>
                )}
                {hasAfter && (
                  <td data-title={hasBefore ? t('column.after') : undefined}>
                    {line.after ?? <span className="muted">{t('shell:none')}</span>}
                  </td>
                )}
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
