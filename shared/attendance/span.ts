// Sets of minutes: sorted, disjoint spans of whole minutes since 1970 (UTC). Each span excludes its end. Every figure
// of the engine is the length of a set.

export interface Span {
  readonly from: number
  readonly to: number
}

export const nothing: readonly Span[] = []

export const lengthOf = (spans: readonly Span[]): number => {
  let length = 0
  for (const span of spans) length += span.to - span.from
  return length
}

/** Minutes of the set between two instants. */
export const lengthWithin = (spans: readonly Span[], from: number, to: number): number => {
  let length = 0
  for (const span of spans) {
    const start = Math.max(span.from, from)
    const end = Math.min(span.to, to)
    if (end > start) length += end - start
  }
  return length
}

/** The part of the set between two instants. */
export const within = (spans: readonly Span[], from: number, to: number): readonly Span[] => {
  let part: Span[] | undefined
  for (const span of spans) {
    const start = Math.max(span.from, from)
    const end = Math.min(span.to, to)
    if (end <= start) continue
    part ??= []
    part.push({ from: start, to: end })
  }
  return part ?? nothing
}

/** The set without the minutes of another set. */
export const without = (spans: readonly Span[], removed: readonly Span[]): readonly Span[] => {
  if (removed.length === 0 || spans.length === 0) return spans
  const remaining: Span[] = []
  for (const span of spans) {
    let from = span.from
    for (const hole of removed) {
      if (hole.to <= from) continue
      if (hole.from >= span.to) break
      if (hole.from > from) remaining.push({ from, to: hole.from })
      from = hole.to
    }
    if (from < span.to) remaining.push({ from, to: span.to })
  }
  return remaining
}

/** Merges spans into one set. Drops empty spans, and joins adjacent and overlapping spans. */
export const union = (spans: readonly Span[]): readonly Span[] => {
  if (spans.length < 2) return spans.filter(span => span.to > span.from)
  const sorted = spans.filter(span => span.to > span.from).sort((a, b) => a.from - b.from)
  const merged: { from: number; to: number }[] = []
  for (const span of sorted) {
    const last = merged.at(-1)
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to)
    else merged.push({ from: span.from, to: span.to })
  }
  return merged
}

/** The span between two instants as a set. Empty unless the end is later than the start. */
export const spanOf = (from: number, to: number): readonly Span[] => (to > from ? [{ from, to }] : nothing)

/** The first minutes of a set. */
export const firstOf = (spans: readonly Span[], minutes: number): readonly Span[] => {
  const first: Span[] = []
  let remaining = minutes
  for (const { from, to } of spans) {
    if (remaining <= 0) break
    const length = Math.min(remaining, to - from)
    first.push({ from, to: from + length })
    remaining -= length
  }
  return first
}
