/** The rules for a password, which the page checks while the user types. The server checks the same rules. */
export const passwordRules = {
  length: (password: string) => password.length >= 6,
  upper: (password: string) => /\p{Lu}/u.test(password),
  lower: (password: string) => /\p{Ll}/u.test(password),
  number: (password: string) => /\d/.test(password),
  symbol: (password: string) => /[^\p{L}\d\s]/u.test(password),
}
export const passwordRuleNames = ['length', 'upper', 'lower', 'number', 'symbol'] as const

/**
 * Error codes for a new password (21012) and its repetition (21013), or false. Ignores empty fields, because another
 * check requires them.
 */
export const passwordFaults = (password: string, again: string) => ({
  password: password !== '' && passwordRuleNames.some(rule => !passwordRules[rule](password)) && 21012,
  confirm_password: password !== '' && again !== '' && password !== again && 21013,
})
