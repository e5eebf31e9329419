// Every code of the catalogue and its meaning. Numbers up to 59999 are the specification's; those from 60001 on are what
// its catalogue lacks. Screens show the sentence `error.<code>` of the user's language; this English one goes to integrators.

export const errors = {
  10002: 'A parameter is missing or not valid',
  20001: 'A required header is missing or not valid',
  101: 'Please sign in',
  502: 'Your sign-in was ended, please sign in again',
  21001: 'Please enter your e-mail',
  21002: 'The e-mail format is incorrect',
  21003: 'This e-mail is already registered',
  21004: 'This e-mail is not registered',
  21011: 'Please enter your password',
  21012: 'At least 6 characters with an uppercase letter, a lowercase letter, a number and a symbol',
  21013: 'The passwords differ',
  21014: 'The account or password is not right, please try again',
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
  59021: 'The end of attendance must be later than the off-duty time',
  59022: 'Off duty must be later than on duty',
  59023: 'The start of attendance must be before the working time',
  59031: 'The schedule conflicts with another one',
  59040:
    'The time zone of the cloud system does not match the local one; set the right time zone to continue scheduling',
  60001: 'Cannot be empty here',
  60002: 'This is too long or too large',
  60003: 'This parameter is not known',
  60004: 'This does not exist, or no longer',
  60005: 'You are not permitted to do this',
  60006: 'Somebody else changed this meanwhile, please look again',
  60007: 'This idempotency key was used for another request',
  60008: 'Too many tries, please wait',
  60009: 'This path does not exist',
  60010: 'The request is larger than 256 KB',
  60011: 'Something went wrong on our side',
  60012: 'Verification of the token failed',
  60013: 'Link has expired',
  60014: 'Please accept the terms',
  60015: 'This serial number belongs to a registered terminal',
  60016: 'The shift is scheduled and cannot be deleted',
  60017: 'This was asked before; it may have been done, and its answer is not kept',
  60018: 'The first request with this idempotency key is still running',
  60019: 'Days before today cannot be changed here',
  60020: 'The company keeps no templates of fingers and faces',
  60021: 'The card number is numeric only',
  60022: 'This card belongs to another employee',
  60030: 'This password is one of the most used ones, or the name of your company; please take another',
  60031: 'This person has joined already',
  60032: 'Somebody else may know this password; please take a new one by “Forgot your password?” first',
  60033: 'An employee who is no administrator entered this e-mail; remove it, save, and enter it again',
  60040: 'This is no sheet that can be read: take XLSX, or CSV in Unicode',
  60041: 'Some rows are not right; nothing was written',
  60042: 'This column is not known',
  60043: 'Nothing here has this name, or several things do',
  60044: 'The quotation marks do not match here',
  60045: 'This sheet holds too much: split it into files of at most 10,000 rows',
  60050: 'The role has users',
  60051: 'A system role cannot be changed',
  60052: 'This role name exists',
  60053: 'The default department stays at the top',
  60054: 'The owner stays an administrator, and nobody shuts themselves out',
  60060: 'This shift name exists',
  60061: 'These days are locked',
  60062: 'This holiday exists',
  60070: 'That is too much at once: choose a shorter range, or fewer people',
  60071: 'A PDF cannot show some of these letters: take XLSX or CSV',
  60072: 'There are as many of these as there may be',
  60073: 'This is switched off',
  60074: 'Two terminals behind one address cannot be told apart: take one off, or let yours prove itself',
  60075: 'This terminal is not for this person’s departments',
  60076: 'This terminal is still telling what it held when it came: try again in a few minutes',
  60064: 'Some of these days are not settled yet',
  60065: 'Days are being calculated; please wait until that is done',
  60080: 'Another request of the same kind is about the same time',
  60081: 'The request is not in a state from which this is possible',
  60082: 'Nobody decides about a request of their own',
  60083: 'Somebody else has to take the second step',
  60084: 'This is more than the leave that is left',
  60085: 'There is no duty at this time to take leave from',
  60086: 'Your company does not let you punch here',
  60087: 'You are outside the places where you may punch',
} as const

export type Code = keyof typeof errors

/** What a caller did wrong, by field: `{ name: 60001 }`; nested as `breaks.0.end`. */
export type Fields = Record<string, Code>

/**
 * The one error that reaches a caller. Everything else thrown becomes 60011 with the request's id and no detail.
 * `about` says more where a field's name is not enough (a schedule conflict names who, when and with what).
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

/** Only these use the HTTP status line; every other code answers with 200. */
export const statusOf = (code: Code): number =>
  code === 60009 ? 404 : code === 60010 ? 413 : code === 60008 ? 429 : code === 60011 ? 500 : 200

/** The body of every answer that is not a success. */
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
