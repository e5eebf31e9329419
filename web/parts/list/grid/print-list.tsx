import { Printer } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format.ts'
import { WithoutPhotos } from '../../../photos.ts'
import type { List } from '../../../read.ts'
import { usePerson } from '../../../session.tsx'
import { useComplaint } from '../../field/form.tsx'
import { readPage, setPrinting, usePrinter } from '../printing.ts'
import type { Column } from './column.ts'
import './print-list.css'

/** A longer list prints its first rows only and says so. */
const mostPrinted = 2000
/** With more columns, the paper lies on its side. */
const mostUpright = 6

interface PrintProps<Row> {
  label: string
  list: Pick<List<Row>, 'name' | 'readAll'>
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  foot?: Readonly<Record<string, ReactNode>> | undefined
}

interface Sheet<Row> {
  name: string
  rows: readonly Row[]
  isCut: boolean
  heading: string
  filters: readonly string[]
  at: string
}

/** A button that prints all rows of the present filters, as a table under a heading. */
export function PrintList<Row>(props: PrintProps<Row>) {
  const { t } = useTranslation()
  const complain = useComplaint()
  const [busy, setBusy] = useState(false)
  const [sheet, setSheet] = useState<Sheet<Row>>()
  const { list } = props
  const print = async () => {
    if (busy) return
    setBusy(true)
    setPrinting(true)
    try {
      const { rows, isMore } = await list.readAll(mostPrinted)
      setSheet({ ...{ name: list.name, rows, isCut: isMore, at: new Date().toISOString() }, ...readPage() })
    } catch (error) {
      complain(error)
    } finally {
      setPrinting(false)
      setBusy(false)
    }
  }
  usePrinter(() => void print())
  useEffect(() => {
    if (!sheet) return
    const end = () => setSheet(undefined)
    addEventListener('afterprint', end)
    // The photos of the table are hidden on paper, so only the fonts must be there.
    const frame = requestAnimationFrame(() => window.print())
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('afterprint', end)
    }
  }, [sheet])
  return (
    <>
      <button type="button" className="link grid-act" aria-busy={busy} onClick={() => void print()}>
        {busy ? <span className="spinner" aria-hidden="true" /> : <Printer className="icon" aria-hidden="true" />}
        {t('print.button')}
      </button>
      {/* Under other filters the sheet would be out of date. */}
      {sheet?.name === list.name &&
        createPortal(
          <WithoutPhotos value={true}>
            <Paper {...props} sheet={sheet} />
          </WithoutPhotos>,
          document.body,
        )}
    </>
  )
}

/** The printed table. The screen never shows it. */
function Paper<Row>({ label, columns, rowKey, foot, sheet }: PrintProps<Row> & { sheet: Sheet<Row> }) {
  const { t } = useTranslation()
  const formats = useFormats()
  const { company } = usePerson()
  const { rows, isCut, heading, filters } = sheet
  const printed = columns.filter(({ title }) => title)
  return (
    <section className={printed.length > mostUpright ? 'print-list is-wide' : 'print-list'}>
      <header>
        <p>{company.name}</p>
        <h1>{heading === label || !heading ? label : `${heading} · ${label}`}</h1>
        <p>{filters.length > 0 ? filters.join(' · ') : t('print.noFilter')}</p>
        <p>
          {t(isCut ? 'print.first' : 'print.rows', { count: rows.length })} ·{' '}
          {t('print.at', { at: formats.dayAndTime(sheet.at) })}
        </p>
      </header>
      <table>
        <thead>
          <tr>
            {printed.map(({ key, title, unit, second, isNumber }) => (
              <th key={key} scope="col" className={isNumber ? 'number' : undefined}>
                {title}
                {(unit ?? second) && <small>{unit ?? second}</small>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={rowKey(row)}>
              {printed.map(column => (
                <td key={column.key} className={column.isNumber ? 'number' : undefined}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
          {foot && (
            <tr className="total">
              {printed.map(({ key, isNumber }) => (
                <td key={key} className={isNumber ? 'number' : undefined}>
                  {foot[key]}
                </td>
              ))}
            </tr>
          )}
        </tbody>
      </table>
    </section>
  )
}
