import { openapi } from '../../shared/openapi.ts'

// `npm run -s openapi`: the API description on standard output.
console.log(JSON.stringify(openapi(), null, 2))
