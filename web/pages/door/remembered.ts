// What this device remembers of the last sign-in. Passwords are never part of it.

interface Remembered {
  /** The tab of the sign-in page that the user opened or used last. */
  side?: 'management' | 'user'
  /** The company ID and employee ID of the last employee. */
  code?: string
  workno?: string
}

const key = 'signIn'

export const readRemembered = (): Remembered => {
  try {
    return Object(JSON.parse(localStorage.getItem(key) ?? '{}'))
  } catch {
    return {}
  }
}

export const remember = (change: Remembered) =>
  localStorage.setItem(key, JSON.stringify({ ...readRemembered(), ...change }))

/** Forgets the employee, for example on a shared device. */
export const forgetEmployee = () => {
  const { side } = readRemembered()
  localStorage.setItem(key, JSON.stringify({ ...(side && { side }) }))
}
