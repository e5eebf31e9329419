// The behaviour of each make's firmware. Only the model and firmware in a registration distinguish the makes.

export const profileNames = ['v24', 'new', 'dixi', 'topdata', 'echo-cmd', 'adms'] as const
export type ProfileName = (typeof profileNames)[number]

/** How a person verifies at a terminal. */
export const means = ['finger', 'card', 'password', 'face', 'vein', 'palm', 'qr'] as const
export type Means = (typeof means)[number]

export interface Profile {
  /** The meaning of `mode` in a record. The meaning of other codes is unknown. */
  means: { readonly [mode: number]: Means }
  /** The terminal accepts users only while disabled. The server must enable it afterwards. */
  isDisabledForUsers: boolean
  /** Sent for a person without credentials, for firmware that creates no user from a name alone. */
  plainUser?: { backupnum: number; record: string }
  /** Settings belong inside `devinfo`, not beside it. */
  hasNestedSettings: boolean
  /** The terminal's number for each of our five languages: en, fe, es, ru, pt. */
  languages: readonly [number, number, number, number, number]
  /** The server can start the enrolment of a finger or face. */
  enrolls: boolean
  /** The terminal measures temperature, detects masks, and takes the company's settings for both. */
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

/** The profile with that name. For an unknown name, the oldest profile. */
export const profileNamed = (name: string | undefined): Profile =>
  profiles[profileNames.find(candidate => candidate === name) ?? 'v24']

/** The `verifymode` of a QR code on every terminal that reads them. */
const qrVerification = 13

/** The meaning of a code on which at least two profiles agree and none disagrees. */
const agreedOn = (mode: number): Means | undefined => {
  const [first, ...others] = Object.values(profiles).flatMap(({ means }) => means[mode] ?? [])
  return others.length > 0 && others.every(other => other === first) ? first : undefined
}

/**
 * The verification method of a record. Without a known profile, only a code on which all profiles agree has a meaning.
 * Undefined if the meaning is unknown.
 */
export const meansOf = (
  profile: string | undefined,
  { mode, verifymode }: { mode?: number | undefined; verifymode?: number | undefined },
): Means | undefined => {
  if (verifymode === qrVerification) return 'qr'
  if (mode === undefined) return undefined
  const name = profileNames.find(candidate => candidate === profile)
  return name ? profiles[name].means[mode] : agreedOn(mode)
}

/** The profile for a model and firmware. If both are unknown, the oldest profile. */
export const profileOf = ({
  model = '',
  firmware = '',
  hasDevinfo = true,
}: {
  model?: string | undefined
  firmware?: string | undefined
  /** Whether the terminal reported model and firmware in `devinfo`, as the protocol requires. */
  hasDevinfo?: boolean
}): ProfileName => {
  if (/^dixi\b/i.test(model)) return 'dixi'
  if (/^inner\b|topdata/i.test(model)) return 'topdata'
  if (/^ai\d|^aiface/i.test(firmware) || /^aiface/i.test(model)) return hasDevinfo ? 'new' : 'echo-cmd'
  return 'v24'
}

/** Converts our volume of 0–5 to the terminal's volume of 0–10. */
const volumeStep = 2
/** The code for any one of card, finger, face and password. */
const anyMeans = 0

/**
 * The settings for a terminal. Records come without pictures, because API Gateway limits a frame to 32 KB. Only
 * terminals that measure get the settings for temperature and mask.
 */
export const settingsFor = (
  { languages, hasNestedSettings, takesPrevention }: Profile,
  { voice, language }: { voice: number; language: number },
  prevention: { readonly [name: string]: number },
): { readonly [name: string]: unknown } => {
  const settings = {
    ...{ use_logphoto: 0, stranger_photo: 0, verifymode: anyMeans },
    ...{ volume: voice * volumeStep, language: languages[language] ?? languages[0] },
    // In a fixed order, because the server compares the JSON with the settings sent before.
    ...(takesPrevention && Object.fromEntries(Object.entries(prevention).sort(([a], [b]) => (a < b ? -1 : 1)))),
  }
  return hasNestedSettings ? { devinfo: settings } : settings
}
