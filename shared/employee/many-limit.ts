/** The most people in a request of `employee/update/many`, so that the request ends within its time limit. */
export const mostChangedTogether = 25
