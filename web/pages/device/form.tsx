import { useTranslation } from 'react-i18next'
import { currentZone } from '../../../shared/zone-name.ts'
import { type PathCall, write } from '../../api.ts'
import { DepartmentField } from '../../parts/field/department-field.tsx'
import { SelectField, TextField } from '../../parts/field/field.tsx'
import { useForm } from '../../parts/field/form.tsx'
import { type DepartmentChoice, firstDepartment, useDepartments } from '../../parts/list/departments.ts'
import { FormPanel } from '../../parts/list/panel.tsx'
import { say } from '../../parts/say/toast.tsx'
import ZoneField from '../../parts/zone-field.tsx'
import { refresh } from '../../read.ts'
import type { Device } from './words.tsx'

type Authentication = NonNullable<PathCall<'device/add'>['authentication']>

const authentications: readonly Authentication[] = ['claim+path', 'claim+password', 'claim']
const voices = ['0', '1', '2', '3', '4', '5']
/** The languages of a terminal, each at the index of its number in the protocol. */
export const deviceLanguages = ['English', 'Français', 'Español', 'Русский', 'Português']

interface Props {
  device: Device | undefined
  onClose: () => void
  onAdded?: (serialNumber: string, serverPath: string) => void
}

/** The form for the settings of a terminal. */
export function DeviceForm(props: Props) {
  const { all } = useDepartments()
  return all ? <Fields {...props} departments={all} /> : null
}

function Fields({ device, departments, onClose, onAdded }: Props & { departments: readonly DepartmentChoice[] }) {
  const { t } = useTranslation(['device', 'shell'])
  const initial = {
    serialNumber: device?.serialNumber ?? '',
    name: device?.name ?? '',
    department: device?.department ?? firstDepartment(departments),
    timezone: device?.timezone ? currentZone(device.timezone) : '',
    voice: String(device?.voice ?? 3),
    language: String(device?.language ?? 0),
    authentication: device?.authentication ?? 'claim+path',
  }
  const form = useForm(initial, device)
  const authentication = authentications.find(way => way === form.values.authentication) ?? 'claim+path'
  const save = () =>
    form.submit(
      async () => {
        const { serialNumber, name, department, timezone, voice, language } = form.values
        const values = {
          serialNumber,
          name,
          department,
          voice: Number(voice),
          language: Number(language),
          authentication,
          ...(timezone && { timezone }),
        }
        if (form.from) {
          await write('device/update', { ...values, version: form.from.version })
          say(t('shell:saved'))
          onClose()
        } else {
          const added = await write('device/add', values)
          onAdded?.(added.serialNumber, added.serverPath)
        }
        refresh(['device/'])
      },
      { required: ['serialNumber', 'name', 'department'], fieldOf: { 60015: 'serialNumber' } },
    )
  return (
    <FormPanel
      title={device ? device.name : t('add')}
      form={form}
      save={t(device ? 'shell:save' : 'next')}
      onSave={save}
      onClose={onClose}
    >
      {!device && (
        <TextField
          label={t('serialNumber')}
          hint={t('serialNumberHint')}
          maxLength={32}
          {...form.text('serialNumber')}
        />
      )}
      <TextField label={t('name')} maxLength={100} placeholder={t('nameHint')} {...form.text('name')} />
      <DepartmentField label={t('department')} departments={departments} {...form.text('department')} />
      <ZoneField
        label={t('timezone')}
        optional
        hint={t('timezoneHint')}
        placeholder={t('companyZone')}
        {...form.text('timezone')}
      />
      <div className="pair">
        <SelectField
          label={t('voice')}
          options={voices.map(voice => [voice, voice] as const)}
          {...form.text('voice')}
        />
        <SelectField
          label={t('language')}
          options={deviceLanguages.map((name, number) => [String(number), name] as const)}
          {...form.text('language')}
        />
      </div>
      <SelectField
        label={t('authentication.label')}
        hint={t(`authentication.${authentication}.hint`)}
        options={authentications.map(way => [way, t(`authentication.${way}.name`)] as const)}
        value={authentication}
        onText={value => form.set({ authentication: authentications.find(way => way === value) ?? 'claim+path' })}
      />
    </FormPanel>
  )
}
