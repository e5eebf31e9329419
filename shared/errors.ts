// Error codes. The specification defines the numbers up to 59999, and we added those from 60001. Screens show
// `error.<code>` in the user's language. Integrators read the English sentences here.

export const errors = {
  10002: 'A parameter is missing or not valid',
  20001: 'A required header is missing or not valid',
  101: 'Please sign in',
  502: 'Your session has ended, please sign in again',
  21001: 'Please enter your e-mail',
  21002: 'The e-mail format is incorrect',
  21003: 'This e-mail is already registered',
  21004: 'This e-mail is not registered',
  21011: 'Please enter your password',
  21012: 'At least 6 characters with an uppercase letter, a lowercase letter, a number and a symbol',
  21013: 'The passwords differ',
  21014: 'Wrong account or password, please try again',
  21021: 'This account is disabled',
  21022: 'Please sign in again',
  21023: 'This account is not activated',
  59001: 'The communication password is numeric only',
  59002: 'This department name exists',
  59003: 'The default department cannot be deleted',
  59004: 'The department has sub-departments',
  59005: 'The department has employees',
  59006: 'The department has a terminal',
  59011: 'The attendance password is numeric only',
  59012: 'This employee cannot be deleted',
  59013: 'The employee ID is numeric only',
  59014: 'This employee ID exists',
  59021: 'The punch window must end after the shift ends',
  59022: 'The end time must be later than the start time',
  59023: 'The punch window must start before the shift starts',
  59031: 'The schedule conflicts with another one',
  59040:
    'The time zone of the cloud system does not match the local one; set the right time zone to continue scheduling',
  60001: 'Cannot be empty here',
  60002: 'This is too long or too large',
  60003: 'Unknown parameter',
  60004: 'This does not exist or no longer exists',
  60005: 'You do not have permission to do this',
  60006: 'Someone else changed this; read it again before you retry',
  60007: 'This idempotency key was used for a different request',
  60008: 'Too many attempts, please wait',
  60009: 'This path does not exist',
  60010: 'The request is larger than 256 KB',
  60011: 'Something went wrong on our side',
  60012: 'Verification of the token failed',
  60013: 'Link has expired',
  60014: 'Please accept the terms',
  60015: 'This serial number belongs to a registered terminal',
  60016: 'The shift is scheduled and cannot be deleted',
  60017: 'This request was already received; its answer is no longer stored',
  60018: 'The first request with this idempotency key is still running',
  60019: 'Days before today cannot be changed here',
  60020: 'The company does not store fingerprints and faces',
  60021: 'The card number is numeric only',
  60022: 'This card belongs to another employee',
  60030: 'This password is too common or contains the company name; choose another one',
  60031: 'This person has already joined',
  60032: 'Someone else may know this password; set a new one with “Forgot your password?” first',
  60033: 'Someone who is not an administrator entered this e-mail; remove it, save, and enter it again',
  60040: 'This sheet cannot be read; use XLSX, or CSV in UTF-8',
  60041: 'Some rows have errors; nothing was written',
  60042: 'Unknown column',
  60043: 'No match, or more than one match, for this name',
  60044: 'Unmatched quotation marks',
  60045: 'The sheet is too large; split it into files of at most 10,000 rows',
  60050: 'The role has users',
  60051: 'System roles cannot be changed',
  60052: 'This role name already exists',
  60053: 'The default department stays at the top level',
  60054: 'The owner must stay an administrator, and you cannot remove your own access',
  60060: 'A shift with this name already exists',
  60061: 'These days are locked',
  60062: 'This holiday already exists',
  60070: 'Too much at once; choose fewer days or fewer people',
  60072: 'The maximum number is reached',
  60073: 'This is turned off',
  60074: 'Two terminals share one address; take one off the network, or use a secret path or a password',
  60075: 'This terminal does not belong to this person’s departments',
  60076: 'The terminal is still listing its users; try again in a few minutes',
  60064: 'Some of these days are not final yet',
  60065: 'Days are being calculated; wait until this is done',
  60080: 'Another request of the same type overlaps this time',
  60081: 'This request was already decided or cancelled',
  60082: 'You cannot decide on your own request',
  60083: 'You gave the first approval; someone else has to give the second',
  60084: 'Exceeds the remaining leave balance',
  60085: 'No working time is scheduled then, so no leave is needed',
  60086: 'The company does not allow browser clock-in for you',
  60087: 'You are outside the locations where you can clock in',
  60088: 'You cannot correct your own punches',
  60089: 'There is already a punch at this time',
  60090: 'This change removes days from the reports; confirm it',
  60091: 'This person has not left the company',
  60105: 'Exceptions of the period are still open; confirm their number',
  60106: 'A template with this name already exists',
  60110: 'The last rule must apply to every remaining minute, without conditions',
  60111: 'Two kinds have the same code',
  60112: 'The window is empty; its two times must differ',
  60113: 'There are at most 20 rules of each sort',
  60114: 'This rule never applies, because a rule above it always comes first',
  60120: 'A view with this name already exists',
  60092: 'The company corrects punches only by request',
  60093: 'This day is too far back for a correction',
  60094: 'The time to object is over',
} as const

export type Code = keyof typeof errors

/** The faults of a call by field: `{ name: 60001 }`. Nested fields have names such as `breaks.0.end`. */
export type Fields = Record<string, Code>

/**
 * The only error that reaches a caller. Any other error becomes 60011 with the request's id and no detail. `about` adds
 * details beyond the field names, such as the person, the day and the shifts of a schedule conflict.
 */
export class Problem extends Error {
  code: Code
  fields: Fields | undefined
  about: unknown
  constructor(code: Code, fields?: Fields, about?: unknown) {
    super(errors[code])
    this.code = code
    this.fields = fields
    this.about = about
  }
}

/** Only these codes have their own HTTP status. Every other code answers with 200. */
export const statusOf = (code: Code): number =>
  code === 60009 ? 404 : code === 60010 ? 413 : code === 60008 ? 429 : code === 60011 ? 500 : 200

/** The body of every error answer. */
export interface ErrorAnswer {
  code: Code
  message: string
  fields?: Fields
  about?: unknown
  requestId?: string
}

export const errorAnswer = (problem: Problem): ErrorAnswer => ({
  code: problem.code,
  message: problem.message,
  ...(problem.fields && { fields: problem.fields }),
  ...(problem.about !== undefined && { about: problem.about }),
})
