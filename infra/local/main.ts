import { keepCompiled } from './invoke/compiled.ts'

// `npm start`. Turns on the compile cache before it loads `stack.ts`.

keepCompiled()
await import('./stack.ts')
