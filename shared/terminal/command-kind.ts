/** The subject of a command: the terminal's users, its records, or the terminal itself. */
export const commandKinds = ['people', 'records', 'care'] as const
export type CommandKind = (typeof commandKinds)[number]

const writes = ['setuserinfo', 'setusername', 'deleteuser']
/** Commands that write, fetch or delete users. */
export const userCommands: ReadonlySet<string> = new Set([...writes, 'getuserinfo'])
/** Commands that write users. Some terminals accept them only while disabled. */
export const writesPeople: ReadonlySet<string> = new Set([...writes, 'enableuser'])
/** Commands after which the users on a terminal may differ from the known users. */
export const tellsOfPeople: ReadonlySet<string> = new Set([...writesPeople, 'getuserinfo', 'getuserlist'])

const kinds = new Map<string, CommandKind>([
  ...[...tellsOfPeople, 'adduser', 'checkregstatus'].map(cmd => [cmd, 'people'] as const),
  ...['getnewlog', 'getalllog'].map(cmd => [cmd, 'records'] as const),
])
export const kindOfCommand = (cmd: string): CommandKind => kinds.get(cmd) ?? 'care'

/** The enrolment repeats earlier content of its slot, and the server does not know the owner of that content. */
export const heldBefore = 'held before'
/**
 * The server cannot store the enrolment: its card belongs to another person, its slot differs, or its format is
 * unreadable.
 */
export const notKept = 'not kept'
export type Unkept = typeof heldBefore | typeof notKept
