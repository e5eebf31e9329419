import { ScrollText, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { auditedNouns } from '../../shared/change.ts'
import { Button } from '../parts/button.tsx'
import { SelectField } from '../parts/field/field.tsx'
import { PersonField } from '../parts/field/person-field.tsx'
import { SearchField, useSearch } from '../parts/field/search-field.tsx'
import { Filters } from '../parts/list/filters.tsx'
import { Range, useRange } from '../parts/list/range.tsx'
import { Empty, Page, Trouble } from '../parts/page.tsx'
import { useList } from '../read.ts'
import { withoutEmpty } from '../without-empty.ts'
import { AuditDays } from './audit/days.tsx'
import type { Change, Noun } from './audit/words.ts'
import './audit.css'

const isNoun = (word: string): word is Noun => auditedNouns.some(noun => noun === word)

export default function AuditPage() {
  const { t } = useTranslation(['audit', 'shell'])
  const range = useRange('1m')
  const search = useSearch()
  const { from, to } = range
  const employee = range.search.get('employee') ?? ''
  const object = range.search.get('object') ?? ''
  const task = range.search.get('task') ?? ''
  const objectName = range.search.get('name') ?? object
  const nounParameter = range.search.get('noun') ?? ''
  const noun = isNoun(nounParameter) ? nounParameter : undefined
  const { words } = search
  const list = useList('audit/grid', {
    from,
    to,
    ...withoutEmpty({ employee, object, task, search: words }),
    ...(noun && { noun }),
  })
  const { rows } = list
  const employeeName = range.search.get('who') ?? ''
  const setObject = (change: Change, name: string) =>
    range.set(
      change.count === undefined ? { object: change.id, name, noun: undefined } : { task: change.id, noun: undefined },
    )
  const isFiltered = Boolean(employee || object || task || noun || words)
  return (
    <Page className="audit-page" title={t('title')} note={t('note')}>
      <Filters
        saved={{ list: 'audit', range }}
        lead={
          <>
            <SearchField hint={t('searchHint')} {...search.field} />
            <Range range={range} />
          </>
        }
        names={['employee', 'noun', 'task', 'object']}
        details={['who', 'name']}
      >
        <PersonField
          label={t('who.label')}
          value={employee || undefined}
          known={employeeName || undefined}
          onPick={(picked, name) => range.set({ employee: picked, who: picked && name })}
        />
        <SelectField
          label={t('noun.label')}
          value={noun ?? ''}
          onText={value => range.set({ noun: value || undefined })}
          options={[['', t('noun.all')], ...auditedNouns.map(choice => [choice, t(`noun.${choice}`)] as const)]}
        />
        {task && (
          <Button className="chip" icon={<X className="icon" />} onClick={() => range.set({ task: undefined })}>
            {t('onlyTask')}
          </Button>
        )}
        {object && (
          <Button
            className="chip"
            icon={<X className="icon" />}
            onClick={() => range.set({ object: undefined, name: undefined })}
          >
            {t('only', { name: objectName })}
          </Button>
        )}
      </Filters>
      {list.error && !rows ? (
        <Trouble error={list.error} onRetry={list.readAgain} />
      ) : !rows ? (
        <Waiting label={t('shell:loading')} />
      ) : rows.length === 0 && !list.hasMore ? (
        <div className="card grid-empty">
          <Empty icon={<ScrollText />} title={t(isFiltered ? 'shell:choice.none' : 'empty.title')}>
            {t(isFiltered ? 'empty.filtered' : 'empty.text')}
          </Empty>
        </div>
      ) : (
        <AuditDays list={list} onObject={setObject} />
      )}
    </Page>
  )
}

function Waiting({ label }: { label: string }) {
  return (
    <div className="audit" role="status" aria-busy="true" aria-label={label}>
      <section>
        <h2>
          <span className="skeleton" style={{ width: 160, height: 16 }} />
        </h2>
        <ul className="card">
          {[62, 48, 71, 55, 66, 43].map(width => (
            <li key={width} className="entry-waiting">
              <span className="skeleton" style={{ width: `${width}%`, height: 12 }} />
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}
