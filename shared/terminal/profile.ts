// What terminals of one make understand, and how. A terminal says its model and firmware when it registers; that is all there is to
// tell them apart by.

export const profileNames = ['v24', 'new', 'dixi', 'topdata', 'echo-cmd', 'adms'] as const
export type ProfileName = (typeof profileNames)[number]

/** How somebody showed who they are. */
export const means = ['finger', 'card', 'password', 'face', 'vein', 'palm', 'qr'] as const
export type Means = (typeof means)[number]

export interface Profile {
  /** What `mode` of a record means; what is not here is not known. */
  means: { readonly [mode: number]: Means }
  /** People are only written while the terminal is disabled, and it has to be enabled again. */
  isDisabledForUsers: boolean
  /** What is sent for somebody who has nothing to show yet, where a name alone makes nobody known. */
  plainUser?: { backupnum: number; record: string }
  /** Settings are sent inside of `devinfo`, and not beside it. */
  hasNestedSettings: boolean
  /** The terminal's number for each of our five languages: en, fe, es, ru, pt. */
  languages: readonly [number, number, number, number, number]
  /** It can be told to register a finger or a face. */
  enrolls: boolean
  /** It measures temperature and looks for masks, and takes the company's settings for that. */
  takesPrevention: boolean
}

const older: Profile = {
  means: { 0: 'finger', 1: 'card', 2: 'password', 8: 'face' },
  isDisabledForUsers: false,
  hasNestedSettings: false,
  languages: [0, 10, 9, 13, 11],
  enrolls: false,
  takesPrevention: false,
}
const newer: Profile = {
  ...older,
  means: { 0: 'password', 1: 'finger', 2: 'card', 3: 'face', 4: 'vein', 5: 'palm', 6: 'qr' },
  hasNestedSettings: true,
  enrolls: true,
  takesPrevention: true,
}

export const profiles: { readonly [name in ProfileName]: Profile } = {
  v24: older,
  new: newer,
  dixi: { ...older, means: { 8: 'face' } },
  topdata: { ...older, means: { 0: 'face' }, isDisabledForUsers: true, plainUser: { backupnum: 0, record: '0' } },
  'echo-cmd': { ...older, means: { 3: 'face' } },
  adms: { ...older, means: { 0: 'password', 1: 'finger', 2: 'card', 15: 'face', 25: 'palm' }, enrolls: true },
}

/** The one of that name; the oldest where nobody knows. */
export const profileNamed = (name: string | undefined): Profile =>
  profiles[profileNames.find(known => known === name) ?? 'v24']

/** What all terminals that read QR codes say of one, whatever else they say. */
const qrVerification = 13

/** What more than one profile says of a code and none says otherwise. */
const agreedOn = (mode: number): Means | undefined => {
  const [first, ...others] = Object.values(profiles).flatMap(({ means }) => means[mode] ?? [])
  return others.length > 0 && others.every(other => other === first) ? first : undefined
}

/**
 * How somebody showed who they are, by what a terminal of that profile sent; where nobody knows the profile, as far as all agree.
 * Undefined where nobody knows what it means.
 */
export const meansOf = (
  profile: string | undefined,
  { mode, verifymode }: { mode?: number | undefined; verifymode?: number | undefined },
): Means | undefined => {
  if (verifymode === qrVerification) return 'qr'
  if (mode === undefined) return undefined
  const name = profileNames.find(known => known === profile)
  return name ? profiles[name].means[mode] : agreedOn(mode)
}

/** The profile of a terminal that says so much of itself; the oldest one where it says nothing anybody knows. */
export const profileOf = ({
  model = '',
  firmware = '',
  hasDevinfo = true,
}: {
  model?: string | undefined
  firmware?: string | undefined
  /** Whether it said model and firmware where the protocol has them. */
  hasDevinfo?: boolean
}): ProfileName => {
  if (/^dixi\b/i.test(model)) return 'dixi'
  if (/^inner\b|topdata/i.test(model)) return 'topdata'
  if (/^ai\d|^aiface/i.test(firmware) || /^aiface/i.test(model)) return hasDevinfo ? 'new' : 'echo-cmd'
  return 'v24'
}

/** Voice 0–5 in steps of the terminals' volume, 0–10. */
const volumeStep = 2
/** A card, a finger, a face or the password, whichever comes. */
const anyMeans = 0

/**
 * What a terminal of a make is to be set to. Pictures are not to be taken along with records: the managed websocket takes 32 KB a
 * frame. Temperature and mask are for those that measure them.
 */
export const settingsFor = (
  { languages, hasNestedSettings, takesPrevention }: Profile,
  { voice, language }: { voice: number; language: number },
  prevention: { readonly [name: string]: number },
): { readonly [name: string]: unknown } => {
  const settings = {
    ...{ use_logphoto: 0, stranger_photo: 0, verifymode: anyMeans },
    ...{ volume: voice * volumeStep, language: languages[language] ?? languages[0] },
    // In one order, whatever order they were stored in: what is to be set is compared with what was.
    ...(takesPrevention &&
      Object.fromEntries(Object.entries(prevention).sort(([one], [other]) => (one < other ? -1 : 1)))),
  }
  return hasNestedSettings ? { devinfo: settings } : settings
}
