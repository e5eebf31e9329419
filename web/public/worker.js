// Stores the site's files, so that the site opens without a connection and can say so. Stores no API answers. Prefers
// the server's document, so that the first load after a deployment is the new build.

/** The key of the document in the store of its build. */
const documentKey = '/'
/** Files without a content hash in their names. The worker requests them from the server each time. */
const named = ['/start.js', '/icon.svg', '/icon-192.png', '/manifest.json']
/** Navigations that the server answers itself, without a page of the site. */
const answered = /^\/(api|files|outbox|iclock|web|pub)(\/|$)/

/** The first script names a build. The build's files are in the store with that name. */
const buildOf = html => /\/assets\/index-[\w-]+\.js/.exec(html)?.[0]

/** The store of the newest build. */
const openStore = async () => {
  const build = (await caches.keys()).at(-1)
  return build && caches.open(build)
}

/** Stores a document, and deletes the stores of all other builds. */
const keepDocument = async response => {
  const build = response.ok && buildOf(await response.clone().text())
  if (!build) return
  const store = await caches.open(build)
  await store.put(documentKey, response)
  const others = (await caches.keys()).filter(name => name !== build)
  await Promise.all(others.map(name => caches.delete(name)))
}

const keep = async (request, response) => {
  const store = await openStore()
  if (response.ok) await store?.put(request, response)
}

/** Fetches from the server. If the server is unreachable, returns the stored file `key`. */
const fromServer = async (event, key, keepIt) => {
  try {
    const response = await fetch(event.request)
    event.waitUntil(keepIt(response.clone()))
    return response
  } catch (error) {
    const kept = await caches.match(key)
    if (kept) return kept
    throw error
  }
}

/** A file with a content hash in its name never changes, so the store answers first. */
const fromStore = async event => {
  const { request } = event
  const kept = await caches.match(request)
  if (kept) return kept
  const response = await fetch(request)
  event.waitUntil(keep(request, response.clone()))
  return response
}

addEventListener('install', event => {
  skipWaiting()
  event.waitUntil(fetch(documentKey, { cache: 'no-cache' }).then(keepDocument))
})

addEventListener('activate', event => event.waitUntil(clients.claim()))

/** The page sends the addresses of the files that it loaded before the worker was active. */
addEventListener('message', event => {
  const keepAll = async () => {
    const store = await openStore()
    const ours = event.data.map(address => new URL(address)).filter(({ origin }) => origin === location.origin)
    const files = ours
      .map(({ pathname }) => pathname)
      .filter(path => path.startsWith('/assets/') || named.includes(path))
    const keepOne = async path => (await store?.match(path)) ?? store?.add(path)
    await Promise.all([...new Set(files)].map(keepOne))
  }
  event.waitUntil(keepAll())
})

addEventListener('fetch', event => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (request.mode === 'navigate') {
    if (!answered.test(pathname)) event.respondWith(fromServer(event, documentKey, keepDocument))
  } else if (pathname.startsWith('/assets/')) event.respondWith(fromStore(event))
  else if (named.includes(pathname)) event.respondWith(fromServer(event, request, response => keep(request, response)))
})
