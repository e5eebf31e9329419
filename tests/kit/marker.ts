/** Stands in everything a neighbour has that anybody can read; an answer that holds it was given to the wrong company. */
export const marker = 'Bilbywombat'
