import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { HourSetForm } from '../../../shared/hours/form.ts'
import { isFault, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { useForm, useFreshForm } from '../../parts/field/form.tsx'
import { discardAll } from '../../parts/say/leaving.tsx'
import { useTaskOwner } from '../../parts/say/task-notice.tsx'
import { say } from '../../parts/say/toast.tsx'
import { isCovered } from '../../parts/shell/shortcuts.ts'
import { refresh } from '../../read.ts'
import { followTask } from '../../tasks.ts'
import { type Draft, draftFaults, draftOf, formOf, ruleWithFault, type StoredSet } from './draft.ts'

// The form of an hour set: its preview, its save and its deletion.

type Naming = Pick<StoredSet, 'isCompanySet' | 'departments'>

export interface EditedSet {
  /** The stored set; absent for a new one. */
  stored?: StoredSet | undefined
  start: HourSetForm
  naming: Naming
  version: number
  readAgain: () => Promise<StoredSet | undefined>
  onSaved: (id: string | undefined) => void
}

interface Values extends Draft, Naming {
  /** The first day of the change. Empty means today. */
  from: string
}

const valuesOf = (set: HourSetForm, { isCompanySet, departments }: Naming): Values => ({
  ...draftOf(set),
  ...{ isCompanySet, departments, from: '' },
})

/** The API names the fields of the set below `set`. */
const renameFields = (error: unknown) => {
  if (isFault(error))
    error.fields = Object.fromEntries(
      Object.entries(error.fields).map(([field, code]) => [field.replace(/^set\./, ''), code]),
    )
  return error
}

/** Ctrl+S saves. */
const useSaveKey = (ref: React.RefObject<HTMLFormElement | null>) => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      if (!isCovered()) ref.current?.requestSubmit()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [ref])
}

export const useHourForm = ({ stored, start, naming, version, readAgain, onSaved }: EditedSet) => {
  const { t } = useTranslation('shell')
  const formats = useFormats()
  const owner = useTaskOwner()
  const form = useForm<Values, number>(valuesOf(start, naming), version)
  const { values, isChanged, restart } = form
  const [opened, setOpened] = useState<string>()
  const [asking, setAsking] = useState<{ task: string; isRemoval: boolean }>()
  useSaveKey(form.ref)
  useFreshForm(stored ?? version, isChanged, () => restart(valuesOf(start, naming), version))
  const faults = draftFaults(values)
  const input = (isRemoval: boolean) => ({
    version: form.from,
    ...(stored && { id: stored.id }),
    set: isRemoval ? null : formOf(values),
    ...(!isRemoval && { isCompanySet: values.isCompanySet, departments: values.departments }),
    ...(values.from && { from: values.from }),
  })
  const submit = (action: () => Promise<void>, isRemoval: boolean, isAsked = false) =>
    form.submit(() => action().catch((error: unknown) => Promise.reject(renameFields(error))), {
      wrong: isRemoval ? {} : faults,
      isAsked,
    })
  const ask = (isRemoval = false) => {
    // The field of the first fault takes the focus, so its rule must be open.
    const faulty = isRemoval ? undefined : ruleWithFault(values, Object.keys(faults))
    if (faulty) setOpened(faulty)
    return submit(async () => {
      const { task } = await write('attparams/hours/preview', input(isRemoval))
      setAsking({ task, isRemoval })
    }, isRemoval)
  }
  /** Opens the saved set or the list. The form has no unsaved changes left. */
  const leave = (id: string | undefined) => {
    discardAll()
    onSaved(id)
  }
  const store = async () => {
    const isRemoval = asking?.isRemoval ?? false
    const action = async () => {
      const { id, task } = await write('attparams/hours/update', input(isRemoval))
      if (task) followTask(owner, { id: task })
      const fresh = isRemoval ? undefined : await readAgain()
      if (fresh) restart(valuesOf(fresh, fresh), fresh.version)
      refresh(['task/', 'attparams/', 'report/'])
      say(t('saved'))
      leave(isRemoval ? undefined : id)
    }
    await submit(action, isRemoval, true)
    setAsking(undefined)
  }
  return {
    ...{ form, faults, opened, setOpened, asking, ask, store },
    cancel: () => setAsking(undefined),
    discard: () => (stored ? restart(valuesOf(start, naming)) : leave(undefined)),
    effective: values.from || formats.today(),
  }
}
export type HourForm = ReturnType<typeof useHourForm>
