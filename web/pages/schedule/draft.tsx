import { FilePenLine, Send } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import type { BoardShift } from '../../parts/board/row.ts'
import { Button } from '../../parts/button.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh, useRead } from '../../read.ts'
import { readDrafted } from './drafted.ts'
import './draft.css'

// The bar below the filters counts the unpublished days, and publishes or discards them.

const PublishPanel = lazy(() => import('./publish.tsx'))

export function DraftBar(props: {
  department: string
  shifts: ReadonlyMap<string, BoardShift>
  /** The days that the board shows, and their name. */
  from: string
  to: string
  span: string
  /** The board has unsaved changes, which a publication would leave out. */
  isUnsaved: boolean
}) {
  const { t } = useTranslation(['schedule', 'shell'])
  const { department, shifts, isUnsaved, from, to, span } = props
  const filters = department === '' ? {} : { department }
  const { data } = useRead('schedule/draft/summary', filters)
  const [asking, setAsking] = useState<'publish' | 'discard'>()
  const days = data?.days ?? 0
  const discard = async () => {
    let count = 0
    const kept: string[] = []
    for (const employees of await readDrafted(filters)) {
      const { changedDays, refused } = await write('schedule/draft/delete', { employees })
      count += changedDays
      kept.push(...refused.map(({ name }) => name))
    }
    refresh(['schedule/'])
    if (kept.length > 0) say(t('draft.notDiscarded', { names: kept.join(', ') }), 'danger')
    else say(t('draft.discarded', { count }))
    setAsking(undefined)
  }
  return (
    <>
      {days > 0 && (
        <section className="notice draft-bar" aria-label={t('draft.label')}>
          <FilePenLine className="icon" aria-hidden="true" />
          <div>
            <strong role="status">{t('draft.count', { count: days })}</strong>
            <p className="muted small">
              {isUnsaved ? (
                t('draft.saveFirst')
              ) : (
                <>
                  {t('draft.hint')} <span className="draft-sample">{t('draft.sample')}</span>
                </>
              )}
            </p>
          </div>
          <Button look="quiet" onClick={() => setAsking('discard')}>
            {t('draft.discard')}
          </Button>
          <Button
            look="primary"
            icon={<Send className="icon" />}
            disabled={isUnsaved}
            onClick={() => setAsking('publish')}
          >
            {t('draft.publish')}
          </Button>
        </section>
      )}
      {asking === 'publish' && (
        <Suspense>
          <PublishPanel {...{ department, shifts, shown: { from, to }, span }} onClose={() => setAsking(undefined)} />
        </Suspense>
      )}
      {asking === 'discard' && (
        <Ask
          title={t('draft.discardTitle')}
          yes={t('draft.discardYes')}
          no={t('shell:cancel')}
          danger
          onYes={discard}
          onNo={() => setAsking(undefined)}
        >
          {t('draft.discardText', { count: days })}
        </Ask>
      )}
    </>
  )
}
