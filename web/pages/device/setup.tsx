import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { useMayOpen } from '../../menu.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/field/copy-button.tsx'
import { QrCode } from '../../parts/field/qr-code.tsx'
import { SegmentField } from '../../parts/field/segment-field.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { Link } from '../../parts/shell/router.ts'
import { refresh } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { DeviceSteps, type Step } from './steps.tsx'
import type { Device, OneDevice } from './words.tsx'

type Protocol = NonNullable<Device['protocol']>
const protocols = ['ai-face', 'adms'] as const satisfies readonly Protocol[]

interface Props {
  device: OneDevice
  serverPath: string | undefined
  steps: readonly Step[]
  onPath: (serverPath: string) => void
}

/**
 * The WebSocket path, or the ADMS path with the same company and secret. Empty if the company or the secret is missing.
 */
const pathFor = (protocol: Protocol, serverPath: string) => {
  if (protocol === 'ai-face') return serverPath
  const { searchParams } = new URL(serverPath, location.origin)
  const [company, secret] = [searchParams.get('c'), searchParams.get('k')]
  return company && secret ? `/iclock/${company}/${secret}` : ''
}

/** The values for the terminal in the order of its menus, and the progress of the setup. */
export function DeviceSetup({ device, serverPath, steps, onPath }: Props) {
  const { t } = useTranslation('device')
  const { company } = usePerson()
  const maySeePassword = useMayOpen()('/system/company')
  const [protocol, setProtocol] = useState<Protocol>(device.protocol ?? 'ai-face')
  const { authentication, serialNumber } = device
  const isSecure = location.protocol === 'https:'
  const isSecret = authentication === 'claim+path'
  const basePath = isSecret ? serverPath : '/web'
  const path = basePath === undefined ? undefined : pathFor(protocol, basePath)
  const isWeb = protocol === 'ai-face'
  const server = isWeb ? location.hostname : `${location.hostname}${path ?? ''}`
  const port = location.port || (isSecure ? '443' : '80')
  const lines = [
    ...(isWeb || path !== undefined ? ([['server', server]] as const) : []),
    ['port', port] as const,
    ...(isWeb && path !== undefined ? ([['path', path]] as const) : []),
    ...(authentication === 'claim+password' ? ([['number', company.company_num]] as const) : []),
  ]
  const scheme = `${isWeb ? 'ws' : 'http'}${isSecure ? 's' : ''}`
  const serverAddress = path === undefined ? undefined : `${scheme}://${location.host}${path}`
  /** An ADMS terminal has no password setting. */
  const lacksPassword = authentication === 'claim+password' && !isWeb
  const isLocal = location.hostname === '127.0.0.1' || location.hostname === 'localhost'
  return (
    <div className="device-body device-setup">
      <section className="card setup">
        <SegmentField
          label={t('protocol.ask')}
          value={protocol}
          onText={value => setProtocol(protocols.find(name => name === value) ?? 'ai-face')}
          options={protocols.map(name => [name, t(`protocol.${name}`)] as const)}
        />
        <p className="muted small">{t(`protocol.hint.${protocol}`)}</p>
        <ol>
          <li>
            <h2>{t('setup.network.title')}</h2>
            <p className="muted">{t('setup.network.text')}</p>
          </li>
          <li>
            <h2>{t('setup.server.title')}</h2>
            <p className="muted">{t(isWeb ? 'setup.server.text' : 'setup.server.adms')}</p>
            <dl>
              {lines.map(([name, value]) => (
                <div key={name}>
                  <dt>{t(`setup.line.${name}`)}</dt>
                  <dd>
                    <code>{value}</code>
                    <CopyButton text={value} label={t('setup.copy', { name: t(`setup.line.${name}`) })} />
                  </dd>
                </div>
              ))}
              <div>
                <dt>{t('setup.line.secure')}</dt>
                <dd>
                  <code>{t(isSecure ? 'setup.on' : 'setup.off')}</code>
                </dd>
              </div>
              {authentication === 'claim+password' && (
                <div>
                  <dt>{t('setup.line.password')}</dt>
                  <dd>
                    {maySeePassword ? (
                      <Link to="/system/company">{t('setup.password')}</Link>
                    ) : (
                      <span className="muted">{t('setup.askPassword')}</span>
                    )}
                  </dd>
                </div>
              )}
            </dl>
            {authentication === 'claim+password' && !device.hasPassword && (
              <p className="notice warn">{t('setup.unset')}</p>
            )}
            {lacksPassword && <p className="notice warn">{t('setup.noPassword')}</p>}
            {isSecret && <Secret device={device} isShown={path !== undefined} onPath={onPath} />}
          </li>
          <li>
            <h2>{t('setup.restart.title')}</h2>
            <p className="muted">{t('setup.restart.text')}</p>
          </li>
        </ol>
        {isLocal && serverAddress !== undefined && !lacksPassword && (
          <PlayTerminal device={device} protocol={protocol} address={serverAddress} />
        )}
      </section>
      <aside>
        <section className="card device-progress is-tall">
          <h2>{t('step.label')}</h2>
          <DeviceSteps steps={steps} />
        </section>
        {serverAddress !== undefined && (
          <section className="card setup-code">
            <QrCode text={serverAddress} label={t('setup.code', { sn: serialNumber })} />
            <p className="muted small">{t('setup.codeText')}</p>
          </section>
        )}
      </aside>
    </div>
  )
}

/** The page shows the secret of the path only once. If the manager loses the secret, a new one replaces it. */
function Secret({ device, isShown, onPath }: Pick<Props, 'device' | 'onPath'> & { isShown: boolean }) {
  const { t } = useTranslation('device')
  if (isShown) return <p className="notice warn">{t('setup.once')}</p>
  return (
    <div className="notice setup-secret">
      <p>{t('setup.hidden')}</p>
      <NewSecretButton device={device} onPath={onPath} />
    </div>
  )
}

export function NewSecretButton({ device, onPath }: { device: Device; onPath: (serverPath: string) => void }) {
  const { t } = useTranslation(['device', 'shell'])
  const [isAsking, setAsking] = useState(false)
  const renew = async () => {
    onPath((await write('device/secret', { serialNumber: device.serialNumber })).serverPath)
    refresh(['device/'])
    setAsking(false)
  }
  return (
    <>
      <Button icon={<KeyRound className="icon" aria-hidden="true" />} onClick={() => setAsking(true)}>
        {t('secret.button')}
      </Button>
      {isAsking && (
        <Ask
          title={t('secret.title')}
          yes={t('secret.button')}
          no={t('shell:cancel')}
          danger
          onYes={renew}
          onNo={() => setAsking(false)}
        >
          {t('secret.text')}
        </Ask>
      )}
    </>
  )
}

/** On a local server, a simulated terminal can replace a real one. */
function PlayTerminal({ device, protocol, address }: { device: Device; protocol: Protocol; address: string }) {
  const { t } = useTranslation('device')
  const { company } = usePerson()
  const command = [
    'npm run terminal --',
    protocol === 'adms' && '--profile adms',
    `--address '${address}' --sn ${device.serialNumber}`,
    device.authentication === 'claim+password' && `--company ${company.company_num} --password …`,
  ]
    .filter(Boolean)
    .join(' ')
  return (
    <section>
      <h2>{t('setup.play.title')}</h2>
      <p className="muted">{t('setup.play.text')}</p>
      <p className="command">
        <code>{command}</code>
        <CopyButton text={command} label={t('setup.copy', { name: t('setup.play.title') })} />
      </p>
    </section>
  )
}
