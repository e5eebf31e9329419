import { useRef, useState } from 'react'
import { mostChangedTogether } from '../../../shared/employee/many-limit.ts'
import { isFault, type PathCall, type PathOutput, write } from '../../api.ts'

export type Change = PathCall<'employee/update/many'>['change']
export type Outcome = PathOutput<'employee/update/many'>['list'][number]

interface Run {
  change: Change
  dryRun: boolean
  removesDays: { id: string; days: number }[]
}

/**
 * Sends a change of many people part by part. After a lost connection or a stop, `go` continues with the part that has
 * no answer. The server changes no person twice.
 */
export const useManyRun = (ids: readonly string[]) => {
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([])
  const [isRunning, setRunning] = useState(false)
  const stopped = useRef(false)
  const go = async ({ change, dryRun, removesDays }: Run, before: readonly Outcome[] = []) => {
    const all = [...before]
    stopped.current = false
    setOutcomes(all)
    setRunning(true)
    try {
      while (all.length < ids.length && !stopped.current) {
        const part = ids.slice(all.length, all.length + mostChangedTogether)
        const confirmed = removesDays.filter(({ id }) => part.includes(id))
        const input = { ids: part, change, dryRun, ...(confirmed.length > 0 && { removesDays: confirmed }) }
        const { list } = await write('employee/update/many', input).catch(error => {
          // Only 60004 refuses the people of a part. Any other refusal is about the change itself.
          if (!isFault(error) || error.fields['ids.0'] !== 60004) throw error
          return { list: part.map((id): Outcome => ({ id, result: 'refused', code: 60004 })) }
        })
        all.push(...list)
        setOutcomes([...all])
      }
      return all
    } finally {
      setRunning(false)
    }
  }
  const stop = () => {
    stopped.current = true
  }
  return { outcomes, isRunning, go, stop }
}
