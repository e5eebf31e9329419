/** What a command is about: who is on the terminal, what it has recorded, or the terminal itself. */
export const commandKinds = ['people', 'records', 'care'] as const
export type CommandKind = (typeof commandKinds)[number]

const writes = ['setuserinfo', 'setusername', 'deleteuser']
/** How people are written to a terminal, read and taken off it. */
export const userCommands: ReadonlySet<string> = new Set([...writes, 'getuserinfo'])
/** Verbs that write people; some terminals take them only while they are disabled. */
export const writesPeople: ReadonlySet<string> = new Set([...writes, 'enableuser'])
/** After these more or less may be known to be on a terminal. */
export const tellsOfPeople: ReadonlySet<string> = new Set([...writesPeople, 'getuserinfo', 'getuserlist'])

const kinds = new Map<string, CommandKind>([
  ...[...tellsOfPeople, 'adduser', 'checkregstatus'].map(cmd => [cmd, 'people'] as const),
  ...['getnewlog', 'getalllog'].map(cmd => [cmd, 'records'] as const),
])
export const kindOfCommand = (cmd: string): CommandKind => kinds.get(cmd) ?? 'care'

/** What was registered is what was in that place before, and nobody can tell whose it is. */
export const heldBefore = 'held before'
/** What was registered cannot be kept: it is in another hand, of another place, or of no kind anybody could read. */
export const notKept = 'not kept'
export type Unkept = typeof heldBefore | typeof notKept
