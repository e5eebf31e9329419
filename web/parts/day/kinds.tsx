import { createContext, useContext, useMemo } from 'react'
import type { PathOutput } from '../../api.ts'
import { useMayOpen } from '../../menu.ts'
import { useRead } from '../../read.ts'
import './kinds.css'

// The names and colours of hour kinds by their codes.

type StoredKind = PathOutput<'report/kind'>['list'][number]
export type Kind = Pick<StoredKind, 'code' | 'name' | 'color'>

/** The kinds that a page already knows, such as those of the form that it shows. */
export const KnownKinds = createContext<readonly Kind[]>([])

const none: readonly StoredKind[] = []

/** The kinds of reports. Empty for users who may not read reports. */
export const useReportKinds = (): readonly StoredKind[] => {
  const mayRead = useMayOpen()('/report')
  const { data } = useRead('report/kind', mayRead ? {} : null)
  return data?.list ?? none
}

/** Returns a function that finds kinds by their codes, in the order of their sets. An unknown kind is named by its code. */
export const useKindsOf = () => {
  const known = useContext(KnownKinds)
  const stored = useReportKinds()
  return useMemo(() => {
    const kinds = new Map<string, Kind>([...stored, ...known].map(kind => [kind.code, kind]))
    const places = new Map([...kinds.keys()].map((code, place) => [code, place]))
    const placeOf = (code: string) => places.get(code) ?? places.size
    return (codes: readonly string[]): Kind[] =>
      codes
        .toSorted((a, b) => placeOf(a) - placeOf(b))
        .map(code => kinds.get(code) ?? { code, name: code, color: 'var(--line-strong)' })
  }, [known, stored])
}

/** The colour of a kind, beside its name. */
export const KindDot = ({ color }: { color: string | undefined }) => (
  <i className="kind-dot" style={{ background: color }} aria-hidden="true" />
)
