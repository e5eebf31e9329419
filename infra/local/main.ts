import { keepCompiled } from './invoke/compiled.ts'

// `npm start`. What is compiled is kept before anything else is read; everything else is `stack.ts`.

keepCompiled()
await import('./stack.ts')
