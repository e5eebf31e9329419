import { CalendarRange, Copy } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { useMayOpen } from '../../menu.ts'
import { Button } from '../../parts/button.tsx'
import { Deed } from '../../parts/say/deed.tsx'
import { DeleteQuestion } from '../../parts/say/delete-question.tsx'
import { say } from '../../parts/say/toast.tsx'
import { usePageNavigate } from '../../parts/shell/router.ts'
import { refresh, useRead } from '../../read.ts'
import type { Shift } from './values.ts'

/** The actions on a whole shift, such as deleting it. */
export function ShiftMore(props: { shift: Shift; onCopy: () => void; onDone: () => void; onCancel: () => void }) {
  const { t } = useTranslation(['shift', 'shell'])
  const navigate = usePageNavigate()
  const mayOpen = useMayOpen()
  const { shift } = props
  const { name } = shift
  const remove = async () => {
    await write('shift/delete', { id: shift.id })
    say(t('deleted', { name }))
    refresh(['shift/', 'schedule/'])
    props.onDone()
  }
  return (
    <>
      <div className="panel-body deeds">
        <Deed title={t('copy.title')} text={t('copy.text')}>
          <Button icon={<Copy className="icon" />} onClick={props.onCopy}>
            {t('copy.title')}
          </Button>
        </Deed>
        {shift.isUsed ? (
          <Deed title={t('delete.not')} text={t('delete.why')} more={<Use shift={shift} />}>
            {mayOpen('/schedule') && (
              <Button icon={<CalendarRange className="icon" />} onClick={() => navigate(`/schedule?shift=${shift.id}`)}>
                {t('delete.where')}
              </Button>
            )}
          </Deed>
        ) : (
          <Deed title={t('delete.label')} text={t('delete.text')}>
            <DeleteQuestion title={t('delete.title', { name })} text={t('delete.text')} onDelete={remove} />
          </Deed>
        )}
      </div>
      <footer className="panel-foot">
        <Button onClick={props.onCancel}>{t('shell:close')}</Button>
      </footer>
    </>
  )
}

/** The number of employees with the shift in each month. */
function Use({ shift }: { shift: Shift }) {
  const { t } = useTranslation('shift')
  const formats = useFormats()
  const { data } = useRead('shift/use', { id: shift.id })
  if (!data?.since) return null
  const hasEarlier = data.list.at(-1)?.month !== data.since
  return (
    <ul className="shift-use" aria-label={t('use.label')}>
      {data.list.map(({ month, employees }) => (
        <li key={month}>
          {formats.month(month)} <strong>{t('use.people', { count: employees })}</strong>
        </li>
      ))}
      {hasEarlier && <li>{t('use.since', { month: formats.month(data.since) })}</li>}
    </ul>
  )
}
