import { CircleAlert, CircleCheck, Download, FileSpreadsheet, FileUp } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { plainWord } from '../../../shared/sheet/problem.ts'
import { isFault, type PathOutput, write } from '../../api.ts'
import { downloadOf } from '../../download.ts'
import { useFormats } from '../../format.ts'
import { refresh, useRead } from '../../read.ts'
import { sendFile } from '../../send-file.ts'
import { followTask, showTask, useFollowed } from '../../tasks.ts'
import { Button } from '../button.tsx'
import { useComplaint, useSentence } from '../field/form.tsx'
import { Panel } from '../list/panel.tsx'
import { Bar, TaskProgress } from '../say/progress.tsx'
import { useTaskOwner } from '../say/task-notice.tsx'
import './import-wizard.css'

// The import wizard: the user chooses a sheet, and the server checks it. Then the server writes the whole sheet or
// nothing. The import is a task on the server, so the user may close and reopen the wizard at any time.

type Noun = 'employee' | 'department' | 'schedule'
type Task = PathOutput<'task/get'>

const steps = ['choose', 'check', 'write'] as const
type Step = (typeof steps)[number]

const mostSheetBytes = 2 * 1024 * 1024
const pollMilliseconds = 2000

const isOpen = (task: Task) => task.state === 'waiting' || task.state === 'running'

const typeOf = (file: File) => {
  const ending = /\.(xlsx|csv)$/i.exec(file.name)?.[1]?.toLowerCase()
  return ending === 'xlsx' || ending === 'csv' ? ending : undefined
}

/** Begins an import. The paths of all nouns have the same input and output. */
const beginImport = (noun: Noun, input: { upload: string; dryRun: boolean }) => {
  if (noun === 'employee') return write('employee/import', input)
  return noun === 'department' ? write('department/import', input) : write('schedule/import', input)
}
type BeginTemplate = (type: 'xlsx' | 'csv') => Promise<{ task: string }>

export default function ImportWizard(props: {
  noun: Noun
  beginTemplate: BeginTemplate
  /** The task of the shown import; `undefined` begins a new import. */
  task: string | undefined
  onTask: (task: string | undefined) => void
  onClose: () => void
}) {
  const { noun } = props
  const { t } = useTranslation(['task', 'shell'])
  // An answer that arrives after the user closed the wizard must not open it again.
  const isActive = useRef(false)
  useEffect(() => {
    isActive.current = true
    return () => {
      isActive.current = false
    }
  }, [])
  // The wizard unmounts a moment after closing. An answer in that moment must not open the wizard again either.
  const onClose = () => {
    isActive.current = false
    props.onClose()
  }
  const onTask = (task: string | undefined) => isActive.current && props.onTask(task)
  const complain = useComplaint()
  const owner = useTaskOwner()
  const followed = useFollowed(owner).find(({ id }) => id === props.task)
  const { data, error } = useRead('task/get', props.task ? { id: props.task } : null, answer =>
    answer && isOpen(answer) ? pollMilliseconds : 0,
  )
  // Until the answer for a new task arrives, `data` holds the previous task.
  const task = data?.id === props.task ? data : undefined
  const [sending, setSending] = useState<{ name: string; part: number }>()
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState<'type' | 'size' | 'empty' | 'lost'>()
  useEffect(() => (props.task ? showTask(props.task) : undefined), [props.task])
  // A user who sees the task end in the wizard needs no notice about it.
  const isOver = task !== undefined && !isOpen(task)
  useEffect(() => {
    if (props.task && isOver) followTask(owner, { id: props.task, isSeen: true })
  }, [props.task, isOver, owner])

  const takeFile = async (file: File | undefined) => {
    if (!file || sending) return
    const type = typeOf(file)
    if (!type) return setWrong('type')
    if (file.size > mostSheetBytes) return setWrong('size')
    if (file.size === 0) return setWrong('empty')
    setWrong(undefined)
    setSending({ name: file.name, part: 0 })
    try {
      const { upload, ...form } = await write('task/upload', { type })
      await sendFile(form, file, part => setSending({ name: file.name, part }))
      const { task: begun } = await beginImport(noun, { upload, dryRun: true })
      followTask(owner, { id: begun, upload, fileName: file.name })
      refresh(['task/'])
      onTask(begun)
    } catch (problem) {
      complain(problem)
    } finally {
      setSending(undefined)
    }
  }
  const start = async () => {
    if (!followed?.upload) {
      setWrong('lost')
      return onTask(undefined)
    }
    setBusy(true)
    try {
      const { task: begun } = await beginImport(noun, { upload: followed.upload, dryRun: false })
      followTask(owner, { id: begun, ...(followed.fileName && { fileName: followed.fileName }) })
      refresh(['task/'])
      onTask(begun)
    } catch (problem) {
      if (isFault(problem) && problem.code === 60004) {
        setWrong('lost')
        onTask(undefined)
      } else complain(problem)
    } finally {
      setBusy(false)
    }
  }

  const step: Step = !props.task || error ? 'choose' : task?.dryRun === false ? 'write' : 'check'
  const isFine = task?.state === 'done' && task.problemCount === 0
  const mayStart = task?.dryRun === true && isFine && followed?.upload !== undefined
  const foot = (): ReactNode => {
    if (mayStart)
      return (
        <>
          <Button onClick={() => onTask(undefined)}>{t('import.another')}</Button>
          <Button look="primary" busy={busy} onClick={start}>
            {t(`import.start.${noun}`, { count: task.rowCount ?? 0 })}
          </Button>
        </>
      )
    if (task && isOpen(task)) return <Button onClick={onClose}>{t('import.hide')}</Button>
    if (task && !isFine)
      return (
        <>
          <Button onClick={onClose}>{t('shell:close')}</Button>
          <Button look="primary" onClick={() => onTask(undefined)}>
            {t('import.another')}
          </Button>
        </>
      )
    return (
      <Button look={task && isFine ? 'primary' : undefined} onClick={onClose}>
        {t('shell:close')}
      </Button>
    )
  }
  return (
    <Panel title={t(`import.title.${noun}`)} wide onClose={onClose} foot={foot()}>
      <div className="panel-body import">
        <Steps step={step} isDone={step === 'write' && isOver && isFine} />
        {step === 'choose' &&
          (sending ? (
            <div className="import-state">
              <p className="strong">{t('import.sending', { name: sending.name })}</p>
              <Bar label={t('import.sending', { name: sending.name })} part={sending.part} />
            </div>
          ) : (
            <Choose
              noun={noun}
              beginTemplate={props.beginTemplate}
              wrong={wrong ? t(wrong === 'lost' ? 'import.lost' : `import.wrong.${wrong}`) : ''}
              onTake={takeFile}
            />
          ))}
        {step !== 'choose' &&
          (!task ? (
            <div className="import-state" aria-busy="true">
              <span className="skeleton" style={{ width: '40%', height: 16 }} />
              <span className="skeleton" style={{ width: '100%', height: 8 }} />
            </div>
          ) : isOpen(task) ? (
            <div className="import-state">
              <p className="strong">{followed?.fileName ?? t(`import.title.${noun}`)}</p>
              <TaskProgress label={t(`import.title.${noun}`)} task={task} />
            </div>
          ) : (
            <Result noun={noun} task={task} mayStart={mayStart} />
          ))}
      </div>
    </Panel>
  )
}

function Steps({ step, isDone }: { step: Step; isDone: boolean }) {
  const { t } = useTranslation('task')
  const at = isDone ? steps.length : steps.indexOf(step)
  return (
    <ol className="steps" aria-label={t('import.steps.label')}>
      {steps.map((name, index) => (
        <li key={name} className={index < at ? 'is-done' : undefined} aria-current={index === at ? 'step' : undefined}>
          <span className="steps-number" aria-hidden="true">
            {index < at ? <CircleCheck className="icon" /> : index + 1}
          </span>
          {t(`import.steps.${name}`)}
        </li>
      ))}
    </ol>
  )
}

/** The download of the template, and the area where the user chooses or drops a sheet. */
function Choose(props: {
  noun: Noun
  beginTemplate: BeginTemplate
  wrong: string
  onTake: (file: File | undefined) => void
}) {
  const { noun, wrong, onTake } = props
  const { t } = useTranslation('task')
  const complain = useComplaint()
  const owner = useTaskOwner()
  const [isOver, setOver] = useState(false)
  const [making, setMaking] = useState<'xlsx' | 'csv'>()
  const loadTemplate = async (type: 'xlsx' | 'csv') => {
    if (making) return
    setMaking(type)
    try {
      const { task } = await props.beginTemplate(type)
      followTask(owner, { id: task, isAwaited: true, isTemplate: true })
      refresh(['task/'])
    } catch (error) {
      complain(error)
    } finally {
      setMaking(undefined)
    }
  }
  return (
    <>
      <section className="import-template">
        <h3>{t('import.template.title')}</h3>
        <p className="muted">{t(`import.template.${noun}`)}</p>
        <div className="import-buttons">
          {(['xlsx', 'csv'] as const).map(type => (
            <Button
              key={type}
              icon={<FileSpreadsheet className="icon" />}
              busy={making === type}
              onClick={() => loadTemplate(type)}
            >
              {t(`import.template.${type}`)}
            </Button>
          ))}
        </div>
      </section>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keyboard users choose a file with the button inside. */}
      <div
        className={isOver ? 'drop is-over' : 'drop'}
        onDragOver={event => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={event => {
          if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
        }}
        onDrop={event => {
          event.preventDefault()
          setOver(false)
          onTake(event.dataTransfer.files[0])
        }}
      >
        <FileUp className="drop-icon" aria-hidden="true" />
        <p className="strong">{t('import.drop.title')}</p>
        <input
          id="import-file"
          className="unseen"
          type="file"
          accept=".xlsx,.csv"
          aria-describedby="import-file-hint"
          onChange={event => {
            onTake(event.target.files?.[0])
            // The user may choose the same file again after correcting it.
            event.target.value = ''
          }}
        />
        <label className="button primary" htmlFor="import-file">
          {t('import.drop.choose')}
        </label>
        <p id="import-file-hint" className="muted small">
          {t('import.drop.hint')}
        </p>
        {wrong && (
          <p className="error-line" role="alert">
            <CircleAlert className="icon" aria-hidden="true" />
            {wrong}
          </p>
        )}
      </div>
    </>
  )
}

/** The result of a check or an import. */
function Result({ noun, task, mayStart }: { noun: Noun; task: Task; mayStart: boolean }) {
  const { t } = useTranslation('task')
  const sentence = useSentence()
  const count = task.rowCount ?? 0
  if (task.problemCount > 0) return <Problems noun={noun} task={task} />
  if (task.state === 'failed')
    return (
      <div className="import-end" role="alert">
        <CircleAlert className="import-icon is-wrong" aria-hidden="true" />
        <h3>{t('import.failed.title')}</h3>
        <p className="muted">
          {task.code === undefined ? '' : sentence(task.code)} {t('import.failed.text')}
        </p>
      </div>
    )
  return (
    <div className="import-end" role="status">
      <CircleCheck className="import-icon is-fine" aria-hidden="true" />
      <h3>{task.dryRun ? t('import.fine.title', { count }) : t(`import.done.${noun}`, { count })}</h3>
      {task.dryRun && task.dayCount !== undefined && <p>{t('import.fine.days', { count: task.dayCount })}</p>}
      <p className="muted">{task.dryRun ? t(mayStart ? 'import.fine.text' : 'import.lost') : t('import.done.text')}</p>
    </div>
  )
}

/** Describes the problem of a cell. Some problems have a plainer text than their code's. */
const useWrong = (noun: Noun, { problemCount }: Task) => {
  const { t } = useTranslation('sheet')
  const formats = useFormats()
  const sentence = useSentence()
  return (problem: Task['problems'][number]): string => {
    const word = plainWord(noun === 'schedule', problem, problemCount)
    if (!word) return sentence(problem.code)
    const { name = '', shift = '', withShift = '', day = '', withDay = '' } = problem.about ?? {}
    if (word !== 'conflict') return t(`wrong.${word}`)
    const days = { day: formats.shortDay(day), withDay: formats.shortDay(withDay) }
    return `${name}: ${t('wrong.conflict', { shift, withShift, ...days })}`
  }
}

function Problems({ noun, task }: { noun: Noun; task: Task }) {
  const { t, i18n } = useTranslation(['task', 'sheet'])
  const formats = useFormats()
  const wrongOf = useWrong(noun, task)
  const complain = useComplaint()
  const more = task.problemCount - task.problems.length
  const columnOf = (field: string) => {
    if (field === 'row') return t('import.problems.whole')
    if (/^\d{4}-\d\d-\d\d$/.test(field)) return formats.day(field)
    return i18n.exists(`sheet:columns.${field}`) ? t(`sheet:columns.${field as 'name'}`) : field
  }
  return (
    <div className="import-problems">
      <div className="notice warn" role="alert">
        <CircleAlert className="icon" aria-hidden="true" />
        <div>
          <h3 id="import-problems">{t('import.problems.title', { count: task.problemCount })}</h3>
          <p>{t('import.problems.text')}</p>
        </div>
      </div>
      {task.file && (
        <div>
          <Button icon={<Download className="icon" />} onClick={() => downloadOf(task.id).catch(complain)}>
            {t('import.problems.sheet')}
          </Button>
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by the keyboard. */}
      <section className="problem-box" tabIndex={0} aria-labelledby="import-problems">
        <table className="problem-table">
          <thead>
            <tr>
              <th scope="col" className="number">
                {t('import.problems.row')}
              </th>
              <th scope="col">{t('import.problems.column')}</th>
              <th scope="col">{t('import.problems.value')}</th>
              <th scope="col">{t('import.problems.what')}</th>
            </tr>
          </thead>
          <tbody>
            {task.problems.map((problem, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list of a finished task never changes.
              <tr key={index}>
                <td className="number figure">{formats.number(problem.row)}</td>
                <td className="problem-column">{columnOf(problem.field)}</td>
                <td className="problem-value">{problem.value ?? '–'}</td>
                <td>{wrongOf(problem)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {more > 0 && <p className="muted small">{t('import.problems.more', { count: more })}</p>}
    </div>
  )
}
