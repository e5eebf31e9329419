/** The longest name of a saved view. The site imports it without the checks of the API. */
export const mostNameLetters = 60
