/** Raised with every change of a rule: rows say which engine computed them. */
export const engineVersion = 3
