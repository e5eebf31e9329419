/** A value that is created on first use. */
export const whenAsked = <T>(make: () => T): { made: T } => {
  let made: T | undefined
  return {
    get made() {
      made ??= make()
      return made
    },
  }
}
