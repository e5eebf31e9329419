import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type PathOutput, write } from '../api.ts'
import { useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/field/copy-button.tsx'
import { SelectField, SwitchField, TextField } from '../parts/field/field.tsx'
import { useComplaint, useForm, useFreshForm } from '../parts/field/form.tsx'
import { PickField } from '../parts/field/pick-field.tsx'
import { LogoField } from '../parts/field/picture/logo.tsx'
import type { PictureChange } from '../parts/field/picture/picture.tsx'
import { PlaceFields } from '../parts/field/place-fields.tsx'
import { SettingsForm, SettingsGroup, SettingsWaiting } from '../parts/field/settings.tsx'
import { FormPanel } from '../parts/list/panel.tsx'
import { Page, Trouble } from '../parts/page.tsx'
import { say } from '../parts/say/toast.tsx'
import { refresh, useRead } from '../read.ts'
import { sendFile } from '../send-file.ts'
import { useSession } from '../session.tsx'
import { withoutEmpty } from '../without-empty.ts'
import './company.css'

type Company = PathOutput<'company/get'>

export default function CompanyPage() {
  const { t } = useTranslation(['company', 'shell'])
  const { data, error, readAgain } = useRead('company/get', {})
  const [isSetting, setSetting] = useState(false)
  return (
    <Page title={t('title')}>
      {data ? (
        <CompanyForm company={data} readAgain={readAgain} onSetPassword={() => setSetting(true)} />
      ) : error ? (
        <Trouble error={error} onRetry={() => readAgain()} />
      ) : (
        <SettingsWaiting groups={3} />
      )}
      {isSetting && <PasswordPanel onClose={() => setSetting(false)} />}
    </Page>
  )
}

const valuesOf = (company: Company) => ({
  name: company.name,
  address: company.address ?? '',
  country: company.country ?? '',
  state: company.state ?? '',
  city: company.city ?? '',
  industry_id: String(company.industry_id ?? ''),
  size_id: String(company.size_id ?? ''),
  storesTemplates: company.storesTemplates,
  retentionMonths: String(company.retentionMonths),
  // The server's errors name this field `upload`.
  upload: undefined as PictureChange,
})

/** Saves or deletes the logo. Returns the new version of the company, or undefined without a change. */
const saveLogo = async (change: PictureChange): Promise<number | undefined> => {
  if (change === undefined) return undefined
  if (change === null) return (await write('company/logo/delete', {})).version
  const { upload, ...form } = await call('company/logo', { type: 'image/png' })
  await sendFile(form, change)
  return (await write('company/logo/save', { upload })).version
}

function CompanyForm(props: {
  company: Company
  readAgain: () => Promise<Company | undefined>
  onSetPassword: () => void
}) {
  const { t } = useTranslation(['company', 'shell'])
  const { reload } = useSession()
  const formats = useFormats()
  const { company, readAgain } = props
  // The form keeps the version that it started from, even if the page reads a newer one.
  const [from, setFrom] = useState(company)
  const form = useForm(valuesOf(company))
  const { values, set, isChanged, restart } = form
  const begin = (fresh: Company) => {
    setFrom(fresh)
    restart(valuesOf(fresh))
  }
  useFreshForm(company, isChanged, () => begin(company))
  const { data: industries } = useRead('company/industry_list', {})
  const { data: sizes } = useRead('company/size_list', {})
  const months = Number(values.retentionMonths)
  const isCount = /^\d{1,3}$/.test(values.retentionMonths.trim())

  const save = () =>
    form.submit(
      async () => {
        const { name, address, country, state, city, industry_id, size_id, storesTemplates, upload } = values
        const version = (await saveLogo(upload)) ?? from.version
        // The server has stored the logo, even if the next call fails.
        set({ upload: undefined })
        setFrom({ ...from, version })
        await write('company/update', {
          version,
          name,
          ...withoutEmpty({ address, country, state, city }),
          ...(industry_id && { industry_id: Number(industry_id) }),
          ...(size_id && { size_id: Number(size_id) }),
          storesTemplates,
          retentionMonths: months,
        })
        const fresh = await readAgain()
        if (fresh) begin(fresh)
        // The header shows the name, so reload the session.
        if (name !== from.name) reload()
        refresh(['company/list'])
        say(t('shell:saved'))
      },
      {
        required: ['name', 'retentionMonths'],
        wrong: { retentionMonths: !isCount && values.retentionMonths.trim() !== '' && 10002 },
      },
    )

  const industryName = (id: number, name: string) => t(`industry.${id as 1}`, { defaultValue: name })
  const sizeName = ({ from: least, to }: { from: number; to?: number | undefined }) =>
    to === undefined
      ? t('size.more', { most: formats.number(least - 1) })
      : t('size.range', { from: formats.number(least), to: formats.number(to) })

  return (
    <SettingsForm form={form} onSave={save} onDiscard={() => begin(company)}>
      <SettingsGroup title={t('identity.title')} text={t('identity.text')}>
        <LogoField
          logo={from.logo}
          change={values.upload}
          error={form.codeOf('upload')}
          onChange={upload => set({ upload })}
          onWrong={code => form.blame({ upload: code })}
        />
        <TextField label={t('name')} maxLength={100} {...form.text('name', t('nameEmpty'))} />
        <div className="field">
          <span className="label">{t('number.label')}</span>
          <CopyableFigure value={company.company_num} label={t('number.copy')} />
          <p className="hint">{t('number.hint')}</p>
        </div>
      </SettingsGroup>

      <SettingsGroup title={t('place.title')} text={t('place.text')}>
        <PlaceFields form={form} />
        <TextField label={t('address')} optional maxLength={200} autoComplete="off" {...form.text('address')} />
      </SettingsGroup>

      <SettingsGroup title={t('business.title')} text={t('business.text')}>
        <div className="pair">
          <PickField
            label={t('industry.label')}
            optional
            {...form.text('industry_id')}
            options={(industries?.list ?? []).map(({ id, name }) => [String(id), industryName(id, name)] as const)}
          />
          <SelectField
            label={t('size.label')}
            optional
            {...form.text('size_id')}
            options={[
              ['', t('size.none')],
              ...(sizes?.list ?? []).map(size => [String(size.id), sizeName(size)] as const),
            ]}
          />
        </div>
      </SettingsGroup>

      <SettingsGroup title={t('terminals.title')} text={t('terminals.text')}>
        <Password hasPassword={company.hasPassword} onSet={props.onSetPassword} />
      </SettingsGroup>

      <SettingsGroup title={t('privacy.title')} text={t('privacy.text')}>
        <SwitchField
          label={t('privacy.templates')}
          hint={t('privacy.templatesHint')}
          checked={values.storesTemplates}
          onCheck={storesTemplates => set({ storesTemplates })}
        />
        {values.storesTemplates ? (
          <p className="notice warn">{t('privacy.basis')}</p>
        ) : (
          from.storesTemplates && <p className="notice">{t('privacy.off')}</p>
        )}
        <hr />
        <TextField
          className="short"
          label={t('privacy.retention')}
          inputMode="numeric"
          maxLength={3}
          suffix={t('privacy.months')}
          hint={
            isCount && months >= 12
              ? t('privacy.retentionHint', { years: formats.number(Math.round((months / 12) * 10) / 10) })
              : t('privacy.retentionRange')
          }
          {...form.text('retentionMonths')}
          error={form.error('retentionMonths') && t('privacy.retentionRange')}
        />
      </SettingsGroup>
    </SettingsForm>
  )
}

/** A figure with a copy button. */
function CopyableFigure({ value, label }: { value: string; label: string }) {
  return (
    <span className="copied">
      <strong className="figure">{value}</strong>
      <CopyButton text={value} label={label} />
    </span>
  )
}

/** The cloud password. The page reads it only on demand, because the server logs each read. */
function Password({ hasPassword, onSet }: { hasPassword: boolean; onSet: () => void }) {
  const { t } = useTranslation('company')
  const complain = useComplaint()
  const [shown, setShown] = useState<string>()
  const [busy, setBusy] = useState(false)
  const show = async () => {
    setBusy(true)
    try {
      setShown((await call('company/password/get', {})).comm_pwd)
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  const set = () => {
    setShown(undefined)
    onSet()
  }
  return (
    <div className="field">
      <span className="label">{t('password.label')}</span>
      <div className="cloud-password">
        {!hasPassword ? (
          <span className="muted">{t('password.none')}</span>
        ) : shown === undefined ? (
          <span className="figure" aria-hidden="true">
            ••••••
          </span>
        ) : (
          <CopyableFigure value={shown} label={t('password.copy')} />
        )}
        {hasPassword && (
          <Button
            look="quiet"
            busy={busy}
            icon={shown === undefined ? <Eye className="icon" /> : <EyeOff className="icon" />}
            onClick={shown === undefined ? show : () => setShown(undefined)}
          >
            {t(shown === undefined ? 'password.show' : 'password.hide')}
          </Button>
        )}
        <Button onClick={set}>{t(hasPassword ? 'password.change' : 'password.set')}</Button>
      </div>
      <p className="hint">{t('password.hint')}</p>
    </div>
  )
}

function PasswordPanel({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['company', 'shell'])
  const form = useForm({ comm_pwd: '' })
  const { comm_pwd } = form.values
  const save = () =>
    form.submit(
      async () => {
        await write('company/password', { comm_pwd })
        refresh(['company/get'])
        say(t('password.saved'))
        onClose()
      },
      {
        required: ['comm_pwd'],
        wrong: { comm_pwd: comm_pwd !== '' && (/\D/.test(comm_pwd) ? 59001 : comm_pwd.length < 4 && 10002) },
      },
    )
  return (
    <FormPanel title={t('password.label')} form={form} save={t('shell:save')} onSave={save} onClose={onClose}>
      <p className="muted">{t('password.changeText')}</p>
      <TextField
        label={t('password.new')}
        inputMode="numeric"
        autoComplete="off"
        maxLength={8}
        hint={t('password.rule')}
        {...form.text('comm_pwd')}
        error={form.codeOf('comm_pwd') === 10002 ? t('password.rule') : form.error('comm_pwd')}
      />
    </FormPanel>
  )
}
