/** What a command is about: who is on the terminal, what it has recorded, or the terminal itself. */
export const commandKinds = ['people', 'records', 'care'] as const
export type CommandKind = (typeof commandKinds)[number]
const people = [
  ...['adduser', 'checkregstatus', 'getuserinfo', 'getuserlist'],
  ...['setuserinfo', 'setusername', 'deleteuser', 'enableuser'],
]
const kinds = new Map<string, CommandKind>([
  ...people.map(cmd => [cmd, 'people'] as const),
  ...['getnewlog', 'getalllog'].map(cmd => [cmd, 'records'] as const),
])
export const kindOfCommand = (cmd: string): CommandKind => kinds.get(cmd) ?? 'care'
