// The firmwares a terminal can be. What each says is written from the protocol's descriptions and from recordings of terminals in
// the field; `tests/given/terminal/<name>.json` holds one conversation of each, and a test holds these to it.

export const profileNames = ['v24', 'new', 'dixi', 'topdata', 'echo-cmd'] as const
export type ProfileName = (typeof profileNames)[number]

export interface Profile {
  model: string
  firmware: string
  /** Whether it says these, and how much it holds, beside `devinfo` and not in it. */
  isFlat: boolean
  saysChip: boolean
  saysAddress: boolean
  /** Numbers of people and of what it holds come as text, and times without leading zeros. */
  isTextual: boolean
  saysName: boolean
  /** Its code for what the simulator's log holds by the newer protocol: 1 finger, 2 card, 3 face. */
  modes: { [mode: number]: number }
  /** How it names what it answers. */
  answersWith: 'ret' | 'cmd'
  /** It pushes only the first punch of a connection and keeps what follows until it is asked. */
  pushesFirstOnly: boolean
  /** A page of new entries that was answered is not offered again, whether it arrived or not. */
  forgetsPages: boolean
  /** It forgets an entry only when the server says `mark`. */
  wantsMark: boolean
  /** It heeds `nosendimage` in the answer to its registration; others only the setting. */
  heedsNoImage: boolean
  /** It takes people only between `disabledevice` and `enabledevice`. */
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
  /** Protocol 2.4 to 2.8. */
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
