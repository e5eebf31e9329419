import { X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mayOpen, pages } from '../../menu.ts'
import { usePerson } from '../../session.tsx'
import { Button } from '../button.tsx'
import { SwitchField } from '../field/field.tsx'
import './key-sheet.css'
import { Modal } from '../say/modal.tsx'
import type { PageKeys } from './keys.tsx'
import { chooseSingleKeys, goKeys, hasSingleKeys } from './shortcuts.ts'

/** All keyboard shortcuts: the shortcuts of the current page, and the shortcuts of every page. */
export default function KeySheet({ here, onClose }: { here: PageKeys | undefined; onClose: () => void }) {
  const { t } = useTranslation(['quick', 'shell'])
  const person = usePerson()
  const [isOn, setOn] = useState(hasSingleKeys)
  const everywhere = [
    [t('keys.key.find'), t('find.button')],
    ['?', t('keys.sheet')],
    ['/', t('keys.search')],
    ...pages
      .filter(page => mayOpen(page, person))
      .flatMap(({ name }) =>
        name === 'person' ? [] : [[t('keys.key.go', { letter: goKeys[name] }), t(`shell:nav.${name}`)] as const],
      ),
  ] as const
  return (
    <Modal className="ask key-sheet" label={t('keys.title')} onClose={onClose}>
      <header>
        <h2>{t('keys.title')}</h2>
        <Button look="quiet" square aria-label={t('shell:close')} onClick={onClose} icon={<X className="icon" />} />
      </header>
      {here && (
        <section>
          <h3>{t('keys.here')}</h3>
          <KeyList keys={here.keys} />
        </section>
      )}
      <section>
        <h3>{t('keys.everywhere')}</h3>
        <KeyList keys={everywhere} />
      </section>
      <SwitchField
        label={t('keys.single')}
        hint={t('keys.singleHint')}
        checked={isOn}
        onCheck={isOn => {
          chooseSingleKeys(isOn)
          setOn(isOn)
        }}
      />
    </Modal>
  )
}

const KeyList = ({ keys }: { keys: readonly (readonly [key: string, does: string])[] }) => (
  <dl>
    {keys.map(([key, does]) => (
      <div key={key}>
        <dt>
          <kbd>{key}</kbd>
        </dt>
        <dd>{does}</dd>
      </div>
    ))}
  </dl>
)
