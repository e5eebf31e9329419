import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TemplateForm } from '../../../shared/report/template-column.ts'
import { isFault } from '../../api.ts'
import { useSentence } from '../../parts/field/form.tsx'
import { useRead } from '../../read.ts'
import { LeftOutHours } from './left-out.tsx'

const quietMilliseconds = 400

/** The value that did not change for a moment, so that not every letter asks the server. */
const useSettled = <T,>(value: T, name: string): T => {
  const [settled, setSettled] = useState(value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name stands for the value.
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), quietMilliseconds)
    return () => clearTimeout(timer)
  }, [name])
  return settled
}

/** The first rows of the file, as the server would write them. */
export function TemplateSample({ template, dates }: { template: TemplateForm; dates: { from: string; to: string } }) {
  const { t } = useTranslation('report-template')
  const form = { ...template, name: template.name.trim() || '–', from: dates.from, to: dates.to }
  const { data, error } = useRead('report/template/preview', useSettled(form, JSON.stringify(form)))
  const lines = data?.lines ?? []
  const [headings, rows] = template.hasHeadings ? [lines[0], lines.slice(1)] : [undefined, lines]
  const sentence = useSentence()
  const fault = isFault(error) ? error : undefined
  /** The other fields that the server names belong to the period and the size of the file. */
  const isIncomplete = Object.keys(fault?.fields ?? {}).some(field => !['from', 'to', 'type'].includes(field))
  const trouble = fault && !isIncomplete ? sentence(fault.code, fault.about) : t('sampleWrong')
  const note = error ? trouble : data && rows.length === 0 ? t('noSample') : undefined
  return (
    <section className="template-sample" aria-busy={!data && !error}>
      <h3>{t('sample')}</h3>
      {note && <p className="muted small">{note}</p>}
      {!error && <LeftOutHours leftOut={data?.leftOut} />}
      {!error && lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls with the keyboard.
        <section className="template-table" tabIndex={0} aria-label={t('sample')}>
          <table>
            {headings && (
              <thead>
                <tr>
                  {headings.map((heading, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: headings may repeat, and their order is fixed.
                    <th key={at} scope="col">
                      {heading}
                    </th>
                  ))}
                </tr>
              </thead>
            )}
            <tbody>
              {rows.map((cells, row) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows may repeat.
                <tr key={row}>
                  {cells.map((cell, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: cells may repeat.
                    <td key={at}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  )
}
