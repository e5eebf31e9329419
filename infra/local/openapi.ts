import { openapi } from '../../shared/openapi.ts'

// `npm run -s openapi`: prints the API description.
console.log(JSON.stringify(openapi(), null, 2))
