import { ArrowRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { ListEnd } from '../../parts/list/list-end.tsx'
import { Trouble } from '../../parts/page.tsx'
import { type RowOf, useList } from '../../read.ts'
import { type Change, useAuditWords } from '../audit/words.ts'
import { useHours } from './hours.ts'
import type { Shift } from './values.ts'

type Version = RowOf<'shift/version/grid'>

/** Metadata of a version, such as its author and time. */
const metadataFields: readonly string[] = ['id', 'version', 'at', 'by', 'isUsed']

/** The changes from one version to the next. */
const changeOf = (previous: Version, current: Version): Change => {
  const [before, after]: Record<string, unknown>[] = [previous, current]
  const names = Object.keys({ ...before, ...after }).filter(name => !metadataFields.includes(name))
  return {
    noun: 'shift',
    id: current.id,
    name: current.name,
    change: 'changed',
    fields: Object.fromEntries(names.map(name => [name, { before: before?.[name], after: after?.[name] }])),
  }
}

/** The versions of the shift, newest first. Locked days still use the version of their calculation. */
export function ShiftVersions({ shift, onClose }: { shift: Shift; onClose: () => void }) {
  const { t } = useTranslation(['shift', 'shell'])
  const list = useList('shift/version/grid', { id: shift.id })
  if (list.error && !list.rows) return <Trouble error={list.error} onRetry={list.readAgain} />
  return (
    <>
      <div className="panel-body">
        <p className="muted small">{t('versions.text')}</p>
        <ol className="versions" aria-busy={!list.rows}>
          {list.rows?.map((version, index) => (
            <Entry key={version.version} version={version} before={list.rows?.[index + 1]} isNow={index === 0} />
          ))}
          <ListEnd list={list} />
        </ol>
      </div>
      <footer className="panel-foot">
        <Button onClick={onClose}>{t('shell:close')}</Button>
      </footer>
    </>
  )
}

function Entry(props: { version: Version; before: Version | undefined; isNow: boolean }) {
  const { t } = useTranslation(['shift', 'shell'])
  const formats = useFormats()
  const hoursOf = useHours()
  const { linesOf } = useAuditWords()
  const { version, before } = props
  const lines = before ? linesOf(changeOf(before, version), {}) : []
  return (
    <li>
      <p className="version-head">
        <strong>{t('versions.number', { number: formats.number(version.version) })}</strong>
        {props.isNow && <span className="tag ok">{t('versions.now')}</span>}
        <span className={`shift-name shift-color ${version.color ?? 'teal'}`}>{hoursOf(version)}</span>
      </p>
      <p className="muted small">
        <span className="figure">{formats.dayAndTime(version.at)}</span>
        {version.by && ` · ${version.by}`}
      </p>
      {version.version === 1 && <p>{t('versions.first')}</p>}
      {lines.length > 0 && (
        <ul>
          {lines.map(line => (
            <li key={line.key}>
              <span className="muted">{line.name}</span> {line.before ?? t('shell:none')}
              <ArrowRight className="icon" aria-hidden="true" />
              <span className="unseen">{t('versions.becomes')}</span> <strong>{line.after ?? t('shell:none')}</strong>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
