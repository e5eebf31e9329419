/** What a password must have, as it is shown and checked while it is typed; the server judges it by the same rules. */
export const passwordRules = {
  length: (password: string) => password.length >= 6,
  upper: (password: string) => /\p{Lu}/u.test(password),
  lower: (password: string) => /\p{Ll}/u.test(password),
  number: (password: string) => /\d/.test(password),
  symbol: (password: string) => /[^\p{L}\d\s]/u.test(password),
}
export const passwordRuleNames = ['length', 'upper', 'lower', 'number', 'symbol'] as const

/** What is wrong with a new password and its repetition, by code; a field left empty is a matter of being required. */
export const passwordFaults = (password: string, again: string) => ({
  password: password !== '' && passwordRuleNames.some(rule => !passwordRules[rule](password)) && 21012,
  confirm_password: password !== '' && again !== '' && password !== again && 21013,
})
