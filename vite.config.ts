import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/**
 * The library that sends can be set up by files its own tools write, and reads them with 3 KB of code that everybody who signs
 * in would load. We say what is to be set, which it takes as it is.
 */
const plainSettings: Plugin = {
  name: 'plain-settings',
  load: {
    filter: { id: /@aws-amplify\/core\/.*\/parseAmplifyConfig\.mjs$/ },
    handler: () => 'export const parseAmplifyConfig = settings => settings',
  },
}

// Fonts stay files: the content security policy allows fonts from this host only, not as data.
export default defineConfig({
  root: 'web',
  plugins: [react(), plainSettings],
  build: {
    outDir: '../.build/site',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // `npx vite` shows a change at once and takes the data from a running `npm start`.
  server: {
    fs: { allow: ['..'] },
    proxy: {
      // A path of the API, not the site's own `api.ts`.
      '^/api/': 'http://127.0.0.1:8080',
      // The line is open to pages of the site's own address only.
      '/web': { target: 'http://127.0.0.1:8080', ws: true, rewriteWsOrigin: true },
    },
  },
})
