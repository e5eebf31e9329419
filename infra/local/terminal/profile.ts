// The simulated firmwares. Their messages follow the protocol's descriptions and recordings of real terminals.
// `tests/given/terminal/<name>.json` holds one conversation of each firmware, and a test compares the simulation with
// it.

export const profileNames = ['v24', 'new', 'dixi', 'topdata', 'echo-cmd'] as const
export type ProfileName = (typeof profileNames)[number]

export interface Profile {
  model: string
  firmware: string
  /** Sends model, firmware and capacities as top-level fields instead of fields of `devinfo`. */
  isFlat: boolean
  saysChip: boolean
  saysAddress: boolean
  /** Sends numbers as text, and times without leading zeros. */
  isTextual: boolean
  saysName: boolean
  /**
   * The firmware's codes for the verification modes 1 finger, 2 card and 3 face. The log holds the modes in the newer
   * protocol's numbers.
   */
  modes: { [mode: number]: number }
  /** The field that names the command in a reply. */
  answersWith: 'ret' | 'cmd'
  /** Pushes only the first punch of a connection, and keeps further punches until the server requests them. */
  pushesFirstOnly: boolean
  /** Never repeats a page of new entries, even if the page was lost. */
  forgetsPages: boolean
  /** Forgets an entry only if the acknowledgement has `mark`. */
  wantsMark: boolean
  /** Respects `nosendimage` in the reply to its registration. Other firmware respects only the setting. */
  heedsNoImage: boolean
  /** Accepts users only between `disabledevice` and `enabledevice`. */
  wantsDisabling: boolean
  canEnrol: boolean
}

const newer: Profile = {
  model: 'AiFace',
  firmware: 'ai518_f43h_v1.27',
  isFlat: false,
  saysChip: true,
  saysAddress: true,
  isTextual: false,
  saysName: false,
  modes: {},
  answersWith: 'ret',
  pushesFirstOnly: false,
  forgetsPages: false,
  wantsMark: true,
  heedsNoImage: true,
  wantsDisabling: false,
  canEnrol: true,
}

export const profiles: Record<ProfileName, Profile> = {
  /** The firmware of protocol 2.4 to 2.8. */
  v24: {
    ...newer,
    model: 'tfs30',
    firmware: 'th600w v6.1',
    modes: { 1: 0, 2: 1, 3: 8 },
    forgetsPages: true,
    wantsMark: false,
    heedsNoImage: false,
    canEnrol: false,
  },
  new: newer,
  dixi: {
    ...newer,
    model: 'DIXI Facial 40',
    firmware: 'ai510_f40v_v2.1',
    saysChip: false,
    saysName: true,
    modes: { 1: 0, 2: 1, 3: 8 },
    wantsMark: false,
    heedsNoImage: false,
    canEnrol: false,
  },
  topdata: {
    ...newer,
    model: 'Inner Face',
    firmware: 'ai518_fp26v_v2.16',
    isTextual: true,
    saysName: true,
    modes: { 1: 1, 2: 2, 3: 0 },
    wantsMark: false,
    wantsDisabling: true,
  },
  'echo-cmd': {
    ...newer,
    isFlat: true,
    saysChip: false,
    saysAddress: false,
    saysName: true,
    answersWith: 'cmd',
    pushesFirstOnly: true,
    forgetsPages: true,
    wantsMark: false,
  },
}
