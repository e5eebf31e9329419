import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isFault } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { useSentence } from '../../parts/field/form.tsx'
import { Bar } from '../../parts/say/progress.tsx'
import { ReasonQuestion } from './reason-question.tsx'
import { type FixAction, type Fixed, keyOf, type Raised, type Refused, sumMinutes } from './words.ts'

export interface Fixing {
  action: FixAction
  rows: Raised[]
}

/** What the proposals of some rows do: their kinds decide the words. */
export const kindOf = (rows: readonly Raised[]): 'add' | 'ignore' | 'mixed' => {
  const ignores = rows.filter(({ proposal }) => proposal?.kind === 'ignore').length
  return ignores === 0 ? 'add' : ignores === rows.length ? 'ignore' : 'mixed'
}

/** Asks for the reason of a fix. Refused rows are named, and the question continues with the others. */
export function FixQuestion(props: {
  fixing: Fixing
  nameOf: (row: Raised) => string
  fix: (
    rows: Raised[],
    reason: string,
    onProgress: (done: number) => void,
    before: Fixed | undefined,
  ) => Promise<Refused | undefined>
  onClose: () => void
}) {
  const { t } = useTranslation(['exception', 'shell'])
  const formats = useFormats()
  const sentence = useSentence()
  const { fixing, nameOf, fix, onClose } = props
  const [rows, setRows] = useState(fixing.rows)
  const [refused, setRefused] = useState<{ name: string; why: string }[]>([])
  const [part, setPart] = useState<number>()
  const { action } = fixing
  const count = rows.length
  const unit = t(`shell:unit.${formats.unit('absence')}`)
  const hours = `${formats.duration(sumMinutes(rows), 'absence')}\u00a0${unit}`
  const what = action === 'absent' ? 'absent' : kindOf(rows)
  /** The fixes before a refused call, so that undo takes them back too. */
  const before = useRef<Fixed>(undefined)
  const refuse = ({ error, fixed, part, rest }: Refused) => {
    before.current = fixed
    setRows(rest)
    if (!isFault(error)) throw error
    const codes = new Map(
      Object.entries(error.fields).flatMap(([field, code]) => {
        const row = part[Number(/^exceptions\.(\d+)/.exec(field)?.[1] ?? Number.NaN)]
        return row ? [[keyOf(row), code] as const] : []
      }),
    )
    if (codes.size === 0) throw error
    const blamed = rest.filter(row => codes.has(keyOf(row)))
    setRefused(blamed.map(row => ({ name: nameOf(row), why: sentence(codes.get(keyOf(row)) ?? error.code) })))
    setRows(rest.filter(row => !codes.has(keyOf(row))))
  }
  return (
    <ReasonQuestion
      title={t(`fix.${what}.title`, { count })}
      yes={count === 0 ? t('shell:close') : t(`fix.${what}.yes`, { count })}
      hint={t(`fix.${what}.hint`, { hours })}
      most={200}
      onYes={async reason => {
        if (count === 0) return onClose()
        if (count > 30) setPart(0)
        const answer = await fix(rows, reason, done => setPart(done / count), before.current).finally(() =>
          setPart(undefined),
        )
        if (answer) refuse(answer)
        else onClose()
      }}
      onNo={onClose}
    >
      {part !== undefined && count > 30 && (
        <Bar label={t('fix.progress', { done: Math.round(part * count), count })} part={part} />
      )}
      {refused.length > 0 && (
        <div className="notice warn exception-refused" role="alert">
          <ul>
            {refused.map(({ name, why }) => (
              <li key={name}>
                <strong>{name}</strong>: {why}
              </li>
            ))}
          </ul>
          {count > 0 && <p>{t('fix.rest', { count })}</p>}
        </div>
      )}
    </ReasonQuestion>
  )
}
