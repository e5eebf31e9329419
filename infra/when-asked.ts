/** What is made the first time somebody asks for it. */
export const whenAsked = <T>(make: () => T): { made: T } => {
  let made: T | undefined
  return {
    get made() {
      made ??= make()
      return made
    },
  }
}
