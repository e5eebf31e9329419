import { Fingerprint, ScanFace } from 'lucide-react'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../../shared/permissions.ts'
import { punchModes } from '../../../shared/terminal/punch-mode.ts'
import { call, type PathOutput, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { PasswordField, SelectField, TextField } from '../../parts/field/field.tsx'
import { Form, useComplaint, useForm } from '../../parts/field/form.tsx'
import { Trouble } from '../../parts/page.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { Link } from '../../parts/shell/router.ts'
import { fullName } from '../../person-name.ts'
import { shrinkPicture } from '../../picture.ts'
import { refresh } from '../../read.ts'
import { sendFile } from '../../send-file.ts'
import { usePerson } from '../../session.tsx'
import { withoutEmpty } from '../../without-empty.ts'
import type { TabProps } from './tab.ts'
import './attendance.css'

type Attendance = PathOutput<'employee/attendance/get'>

const mostPictureBytes = 2 * 1024 * 1024

/** The credentials of an employee. The page reads them once without refreshing, because the server logs each read. */
export function EmployeeAttendance(props: TabProps) {
  const { employee } = props
  const [attendance, setAttendance] = useState<Attendance>()
  const [error, setError] = useState<unknown>()
  const [attempts, setAttempts] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a retry increases `attempts`.
  useEffect(() => {
    let isCurrent = true
    setError(undefined)
    call('employee/attendance/get', { id: employee.id }).then(
      answer => isCurrent && setAttendance(answer),
      problem => isCurrent && setError(problem),
    )
    return () => {
      isCurrent = false
    }
  }, [employee.id, attempts])
  if (error) return <Trouble error={error} onRetry={() => setAttempts(times => times + 1)} />
  if (!attendance) return <Waiting />
  return <AttendanceForm {...props} known={attendance} onKnown={setAttendance} />
}

function Waiting() {
  const { t } = useTranslation()
  return (
    <div className="panel-body" role="status" aria-busy="true" aria-label={t('loading')}>
      {[40, 60, 60].map((width, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: these lines never move.
        <span key={line} className="skeleton" style={{ width: `${width}%`, height: 36 }} />
      ))}
    </div>
  )
}

function AttendanceForm(props: TabProps & { known: Attendance; onKnown: (known: Attendance) => void }) {
  const { t } = useTranslation(['employee', 'shell'])
  const id = useId()
  const { employee, known: attendance, onKnown, mayChange, onChanged } = props
  const form = useForm({
    punchMode: String(attendance.punchMode),
    card: attendance.card ?? '',
    password: attendance.password ?? '',
  })
  const { values, isChanged } = form
  useEffect(() => onChanged(isChanged), [onChanged, isChanged])
  const save = () =>
    form.submit(
      async () => {
        const { punchMode, card, password } = values
        const { version } = await write('employee/attendance/update', {
          id: employee.id,
          ...(attendance.version !== undefined && { version: attendance.version }),
          punchMode: Number(punchMode),
          ...withoutEmpty({ card: card.trim(), password: password.trim() }),
        })
        onKnown({ ...attendance, version, punchMode: Number(punchMode), card, password })
        form.restart(values)
        say(t('shell:saved'))
        props.onDone()
      },
      { fieldOf: { 59011: 'password', 60021: 'card', 60022: 'card' } },
    )
  /** Here 60002 means that the number is too large, not that the text is too long. */
  const errorOf = (field: 'card' | 'password') =>
    form.codeOf(field) === 60002 ? t('attendance.tooHigh') : form.error(field)
  return (
    <>
      <Form form={form} id={id} className="panel-body" onSubmit={save}>
        <p className="muted small">{t('attendance.text')}</p>
        <SelectField
          label={t('attendance.mode')}
          options={punchModes.map(({ name }, mode) => [String(mode), t(`attendance.modes.${name}`)] as const)}
          {...form.text('punchMode')}
        />
        <div className="pair">
          <TextField
            label={t('attendance.card')}
            optional
            inputMode="numeric"
            maxLength={20}
            hint={t('attendance.cardHint')}
            {...form.text('card')}
            error={errorOf('card')}
          />
          <PasswordField
            label={t('attendance.password')}
            optional
            autoComplete="off"
            inputMode="numeric"
            hint={t('attendance.passwordHint')}
            {...form.text('password')}
            error={errorOf('password')}
          />
        </div>
        <hr />
        <Templates {...props} />
      </Form>
      <footer className="panel-foot">
        <Button onClick={props.onCancel} disabled={form.busy}>
          {t('shell:cancel')}
        </Button>
        <Button look="primary" type="submit" form={id} busy={form.busy} disabled={!mayChange}>
          {t('shell:save')}
        </Button>
      </footer>
    </>
  )
}

/** The stored fingers and face. The page reads the picture on demand, because the server logs each read. */
function Templates({ employee, known: attendance, onKnown, mayChange }: Parameters<typeof AttendanceForm>[0]) {
  const { t } = useTranslation(['employee', 'shell'])
  const complain = useComplaint()
  const [image, setImage] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState<'photo.tooLarge' | 'photo.wrong'>()
  const [removing, setRemoving] = useState(false)
  const attempt = async (action: () => Promise<void>) => {
    setBusy(true)
    try {
      await action()
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  const readAgain = async () => onKnown(await call('employee/attendance/get', { id: employee.id }))
  const show = () =>
    attempt(async () => {
      const { face } = await call('employee/attendance/face/get', { id: employee.id })
      setImage(face?.image)
    })
  const choose = (file: File | undefined) =>
    attempt(async () => {
      if (!file) return
      if (file.size > mostPictureBytes) return setWrong('photo.tooLarge')
      const picture = await shrinkPicture(file)
      if (!picture) return setWrong('photo.wrong')
      setWrong(undefined)
      const { upload, ...form } = await write('employee/photo', { id: employee.id, type: 'image/jpeg' })
      await sendFile(form, picture)
      await write('employee/attendance/face/update', { id: employee.id, upload })
      say(t('attendance.faceSaved'))
      setImage(undefined)
      await readAgain()
      refresh(['employee/'])
    })
  const remove = () =>
    attempt(async () => {
      await write('employee/attendance/face/update', { id: employee.id, upload: null })
      say(t('attendance.faceRemoved'))
      setImage(undefined)
      setRemoving(false)
      await readAgain()
    })
  const { face, storesTemplates } = attendance
  const { role } = usePerson()
  return (
    <fieldset className="templates">
      <legend>{t('attendance.templates')}</legend>
      {!storesTemplates && (
        <div className="notice">
          <p>
            {t('attendance.notKept')}{' '}
            {role === roles.administrator ? (
              <Link to="/system/company">{t('attendance.switch')}</Link>
            ) : (
              t('attendance.switchBy')
            )}
          </p>
        </div>
      )}
      {[0, 1].map(sign => (
        <Template
          key={sign}
          icon={<Fingerprint className="icon" aria-hidden="true" />}
          title={t('attendance.finger', { number: sign + 1 })}
          registered={attendance.fingers.find(finger => finger.sign === sign)}
        />
      ))}
      <Template
        icon={
          image ? (
            <img className="face" src={image} alt={t('attendance.faceAlt', { name: fullName(employee) })} />
          ) : (
            <ScanFace className="icon" aria-hidden="true" />
          )
        }
        title={t('attendance.face')}
        registered={face}
      >
        {face && !image && (
          <Button look="quiet" busy={busy} onClick={show}>
            {t('attendance.showFace')}
          </Button>
        )}
        {storesTemplates && mayChange && (
          <>
            <input
              id={`face-${employee.id}`}
              className="unseen"
              type="file"
              accept="image/jpeg,image/png"
              disabled={busy}
              aria-describedby={`face-${employee.id}-hint`}
              onChange={event => {
                void choose(event.target.files?.[0])
                event.target.value = ''
              }}
            />
            <label className="button" htmlFor={`face-${employee.id}`}>
              {t(face ? 'attendance.changeFace' : 'attendance.chooseFace')}
            </label>
          </>
        )}
        {face && mayChange && (
          <Button look="danger-quiet" disabled={busy} onClick={() => setRemoving(true)}>
            {t('attendance.removeFace')}
          </Button>
        )}
      </Template>
      {storesTemplates && (
        <p id={`face-${employee.id}-hint`} className={wrong ? 'error-line' : 'muted small'} role={wrong && 'alert'}>
          {t(wrong ?? 'attendance.faceHint')}
        </p>
      )}
      {removing && (
        <Ask
          title={t('attendance.removeTitle', { name: fullName(employee) })}
          yes={t('attendance.removeFace')}
          no={t('shell:cancel')}
          danger
          onYes={remove}
          onNo={() => setRemoving(false)}
        >
          {t('attendance.removeText')}
        </Ask>
      )}
    </fieldset>
  )
}

function Template(props: {
  icon: ReactNode
  title: string
  registered: { registeredAt: string; serialNumber?: string | undefined } | undefined
  children?: ReactNode
}) {
  const { t } = useTranslation('employee')
  const formats = useFormats()
  const { registered } = props
  const words = () => {
    if (!registered) return t('attendance.none')
    const at = formats.dayAndTime(registered.registeredAt)
    return registered.serialNumber
      ? t('attendance.registeredOn', { at, terminal: registered.serialNumber })
      : t('attendance.registered', { at })
  }
  return (
    <div className={registered ? 'template' : 'template is-absent'}>
      <span className="template-icon">{props.icon}</span>
      <p>
        <strong>{props.title}</strong>
        <span className="muted small">{words()}</span>
      </p>
      <div className="template-do">{props.children}</div>
    </div>
  )
}
