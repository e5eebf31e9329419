import dayjs from 'dayjs'
import {
  Building2,
  CalendarRange,
  Check,
  Clock,
  Fingerprint,
  type LucideIcon,
  Network,
  ScanLine,
  UsersRound,
} from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { useMayOpen } from '../../menu.ts'
import { useRead } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { Link } from './router.ts'
import './first-steps.css'

// The first steps of a new company. The site derives the progress from the company's data, so users do not tick steps.

/** The steps in their usual order. The delivery of a terminal takes longest, so it comes early. Punching comes last. */
export const stepNames = ['company', 'department', 'device', 'employee', 'shift', 'schedule', 'punch'] as const

interface Step {
  key: (typeof stepNames)[number]
  to: string
  icon: LucideIcon
  isDone: boolean
  /** The number of existing records. */
  count?: number
}

/** The steps whose pages the user may open. Reads their data only while `isWanted` is true. */
const useSteps = (isWanted: boolean) => {
  const isOpen = useMayOpen()
  const formats = useFormats()
  const input = isWanted ? {} : null
  const company = useRead('company/get', input)
  const departments = useRead('department/all', input)
  const info = useRead('dashboard/info', input)
  const shifts = useRead('shift/all', input)
  const from = formats.today()
  const to = dayjs(from).add(30, 'day').format('YYYY-MM-DD')
  const plan = useRead('schedule/grid', isWanted && isOpen('/schedule') ? { filters: { from, to }, size: 50 } : null)
  // A terminal's clock may be a day ahead of the browser's.
  const punchDays = {
    from: dayjs(from).subtract(30, 'day').format('YYYY-MM-DD'),
    to: dayjs(from).add(1, 'day').format('YYYY-MM-DD'),
  }
  const punches = useRead('record/grid', isWanted && isOpen('/record') ? { filters: punchDays, size: 1 } : null)
  const all = [company, departments, info, shifts]
  const error = all.find(({ data, error }) => error && !data)?.error
  const readAgain = () => {
    for (const read of [...all, plan, punches]) void read.readAgain()
  }
  const isLoading = plan.isLoading || punches.isLoading
  if (isLoading || !company.data || !departments.data || !info.data || !shifts.data) return { error, readAgain }
  const { address, industry_id, size_id, logo } = company.data
  const { employee_num, device_num } = info.data
  const steps: Step[] = [
    {
      key: 'company',
      to: '/system/company',
      icon: Building2,
      isDone: [address, industry_id, size_id, logo].some(value => value !== undefined),
    },
    {
      key: 'department',
      to: '/department',
      icon: Network,
      // A company with employees and a single department needs no second department.
      isDone: departments.data.list.length > 1 || employee_num > 1,
      count: departments.data.list.length,
    },
    { key: 'device', to: '/device', icon: ScanLine, isDone: device_num > 0, count: device_num },
    { key: 'employee', to: '/employee', icon: UsersRound, isDone: employee_num > 1, count: employee_num },
    { key: 'shift', to: '/shift', icon: Clock, isDone: shifts.data.list.length > 0, count: shifts.data.list.length },
    {
      key: 'schedule',
      to: '/schedule',
      icon: CalendarRange,
      isDone: plan.data?.list.some(({ days }) => Object.values(days).some(shifts => shifts.length > 0)) ?? false,
    },
    {
      key: 'punch',
      to: '/record',
      icon: Fingerprint,
      isDone: punches.data !== undefined && punches.data.list.length > 0,
    },
  ]
  return { steps: steps.filter(({ to }) => isOpen(to)), error, readAgain }
}

const useStorageKey = () => {
  const { company, employee } = usePerson()
  return `first steps ${company.id} ${employee.id}`
}

/**
 * Whether the person has seen all steps done. The dashboard then reads no data of the steps. The page of the steps
 * always reads, so the steps return to the dashboard if it finds an undone step.
 */
export const useStepsDone = () => localStorage.getItem(useStorageKey()) === 'done'

/** The first steps and their progress. The browser stores for each person and company whether all are done. */
export const useFirstSteps = (isWanted: boolean) => {
  const key = useStorageKey()
  const result = useSteps(isWanted)
  const areDone = result.steps?.every(({ isDone }) => isDone)
  useEffect(() => {
    if (areDone === true) localStorage.setItem(key, 'done')
    if (areDone === false) localStorage.removeItem(key)
  }, [areDone, key])
  return result
}

/** The list of steps, each with a link to its page. */
export function FirstSteps({ steps }: { steps: readonly Step[] }) {
  const { t } = useTranslation('dashboard')
  const formats = useFormats()
  return (
    <ol className="first-steps">
      {steps.map(({ key, to, icon: Icon, isDone, count }) => (
        <li key={key} className={isDone ? 'done' : undefined}>
          <Link to={to}>
            {isDone ? <Check className="icon" aria-hidden="true" /> : <Icon className="icon" aria-hidden="true" />}
            <span>
              <strong>{t(`steps.${key}.title`)}</strong>
              {isDone && <span className="unseen">{t('steps.done')}</span>}
              <span className="muted small">{t(`steps.${key}.text`)}</span>
            </span>
            {count !== undefined && <span className="figure">{formats.number(count)}</span>}
          </Link>
        </li>
      ))}
    </ol>
  )
}
