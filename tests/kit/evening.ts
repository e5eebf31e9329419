/**
 * A fixed-offset zone in which it is now between 20:00 and 21:00, so that a day shift of today lies behind whenever the
 * tests run, and today is the same date for as long as they do.
 */
export const eveningZone = (now = Date.now()): string => {
  const ahead = 20 - new Date(now).getUTCHours()
  const offset = ahead > 14 ? ahead - 24 : ahead
  // The names of these zones count the other way round: Etc/GMT-5 is five hours ahead. Of the names of no offset at all,
  // a browser says this one.
  return offset === 0 ? 'UTC' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`
}

/** The date the clock of a zone shows. */
export const dayIn = (zone: string, now = Date.now()): string =>
  new Intl.DateTimeFormat('sv', { timeZone: zone }).format(now)
