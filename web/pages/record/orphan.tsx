import { UserRoundCheck, UserRoundX } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { useMayOpen } from '../../menu.ts'
import { Button } from '../../parts/button.tsx'
import { useAddress } from '../../parts/field/address.ts'
import { useComplaint } from '../../parts/field/form.tsx'
import { PersonField } from '../../parts/field/person-field.tsx'
import { useDeviceName } from '../../parts/list/device-name.ts'
import { Panel } from '../../parts/list/panel.tsx'
import { useShownName } from '../../parts/list/person-name.tsx'
import { someOf } from '../../parts/list/some-of.ts'
import { Ask } from '../../parts/say/ask.tsx'
import { useTaskOwner } from '../../parts/say/task-notice.tsx'
import { Link } from '../../parts/shell/router.ts'
import { fullName } from '../../person-name.ts'
import { refresh, useRead } from '../../read.ts'
import { followTask } from '../../tasks.ts'

type Numbers = PathOutput<'record/orphan/grid'>
type Orphan = Numbers['list'][number]
type Assigned = Numbers['assigned'][number]

/** User numbers without an employee. Their punches wait until a manager assigns the number. */
export default function Orphans() {
  const { t } = useTranslation('record')
  const { data } = useRead('record/orphan/grid', {})
  const { address, set } = useAddress()
  // A link can open the panel and name a number, which the panel then lists first.
  const orphansParameter = address.get('orphans')
  const setOpen = (isOpen: boolean) => set({ orphans: isOpen ? 'look' : undefined })
  if (!data) return null
  const { list, assigned } = data
  const numbers = list.map(({ number }) => number)
  const inOrder = [...list].sort(
    (first, second) => Number(second.workno === orphansParameter) - Number(first.workno === orphansParameter),
  )
  return (
    <>
      {list.length > 0 ? (
        <div className="notice warn orphan-notice">
          <UserRoundX className="icon" aria-hidden="true" />
          <span>{t('orphans', { count: list.length, numbers: someOf(numbers) })}</span>
          <Button onClick={() => setOpen(true)}>{t('orphan.look')}</Button>
        </div>
      ) : (
        assigned.length > 0 && (
          <p>
            <button type="button" className="link" onClick={() => setOpen(true)}>
              {t('orphan.assigned', { count: assigned.length })}
            </button>
          </p>
        )
      )}
      {orphansParameter !== null && (
        <Panel title={t('orphan.title')} wide onClose={() => setOpen(false)}>
          <div className="panel-body">
            {list.length === 0 && <p className="muted">{t('orphan.none')}</p>}
            {inOrder.map(orphan => (
              <OrphanNumber key={orphan.workno} orphan={orphan} />
            ))}
            {assigned.length > 0 && (
              <section>
                <h3>{t('orphan.assigned', { count: assigned.length })}</h3>
                {assigned.map(assignment => (
                  <AssignedNumber key={assignment.workno} assigned={assignment} />
                ))}
              </section>
            )}
          </div>
        </Panel>
      )}
    </>
  )
}

/** Starts the task and follows its progress. */
const useBegin = () => {
  const owner = useTaskOwner()
  return async (path: 'record/orphan/assign' | 'record/orphan/return', input: { workno: string; employee: string }) => {
    const { task } = await write(path, input)
    followTask(owner, { id: task })
    refresh(['record/', 'task/'])
  }
}

function OrphanNumber({ orphan }: { orphan: Orphan }) {
  const { t } = useTranslation('record')
  const nameOf = useDeviceName()
  const formats = useFormats()
  const shownName = useShownName()
  const mayFind = useMayOpen()('/employee')
  const { workno, number, reason, heldBy, deviceName, serialNumber } = orphan
  const { data } = useRead('record/orphan/get', { workno })
  const [employee, setEmployee] = useState<string>()
  const [isMissing, setMissing] = useState(false)
  const complain = useComplaint()
  const [busy, setBusy] = useState(false)
  const begin = useBegin()
  const assign = async () => {
    if (!employee) return setMissing(true)
    setBusy(true)
    try {
      await begin('record/orphan/assign', { workno, employee })
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className="orphan" aria-label={t('orphan.number', { workno: number })}>
      <div className="orphan-head">
        <strong className="figure">{t('orphan.number', { workno: number })}</strong>
        <span className="muted">{nameOf({ device: serialNumber, deviceName })}</span>
      </div>
      {reason === 'ownNumbering' && <p className="muted">{t('orphan.ownNumbering')}</p>}
      <ul className="small" aria-label={t('orphan.punches')}>
        {data?.list.slice(0, 8).map(({ at, timezone, device }) => (
          <li key={`${at} ${device}`} className="figure">
            {formats.dayAndTime(at, timezone)}
          </li>
        ))}
        {data && data.list.length > 8 && <li className="muted">…</li>}
      </ul>
      {heldBy !== undefined ? (
        <p className="muted">{t('orphan.heldBy', { name: shownName(heldBy) })}</p>
      ) : mayFind ? (
        <div className="orphan-give">
          <PersonField
            label={t('orphan.whose')}
            value={employee}
            known={undefined}
            nobody={t('orphan.nobody')}
            onPick={picked => {
              setEmployee(picked)
              setMissing(false)
            }}
            isMissing={isMissing}
          />
          <Button
            look="primary"
            busy={busy}
            icon={<UserRoundCheck className="icon" aria-hidden="true" />}
            onClick={assign}
          >
            {t('orphan.give')}
          </Button>
        </div>
      ) : (
        <p className="muted">
          {t('orphan.mayNotFind')} <Link to="/employee">{t('orphansLink')}</Link>
        </p>
      )}
    </section>
  )
}

function AssignedNumber({ assigned }: { assigned: Assigned }) {
  const { t } = useTranslation(['record', 'shell'])
  const formats = useFormats()
  const shownName = useShownName()
  const [isAsking, setAsking] = useState(false)
  const begin = useBegin()
  const { workno, employee, first_name, last_name, at, by } = assigned
  const name = shownName(fullName({ first_name, last_name }))
  return (
    <div className="orphan">
      <div className="orphan-head">
        <strong className="figure">{workno}</strong>
        <span>{name}</span>
        <span className="muted small">{t('orphan.by', { name: shownName(by), at: formats.dayAndTime(at) })}</span>
        <Button onClick={() => setAsking(true)}>{t('orphan.return')}</Button>
      </div>
      {isAsking && (
        <Ask
          title={t('orphan.returnTitle', { workno })}
          yes={t('orphan.return')}
          no={t('shell:cancel')}
          onYes={async () => {
            await begin('record/orphan/return', { workno, employee })
            setAsking(false)
          }}
          onNo={() => setAsking(false)}
        >
          <p>{t('orphan.returnText', { name })}</p>
        </Ask>
      )}
    </div>
  )
}
