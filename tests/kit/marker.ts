/** A word in every text of the neighbour company. A response with this word went to the wrong company. */
export const marker = 'Bilbywombat'
