/** Increase with every rule change. Each row stores the version that computed it. */
export const engineVersion = 3
