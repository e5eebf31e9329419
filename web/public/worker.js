// Keeps the files the site is made of, so that it opens without a connection and can say so. Of what the server answers it
// keeps nothing. A document is taken from the server whenever there is one: after a deployment the next load is the new build.

/** Where the document lies among the files of its build. */
const documentKey = '/'
/** What is named by what it is and not by its content, and so is asked for anew each time as well. */
const named = ['/start.js', '/icon.svg', '/icon-192.png', '/manifest.json']
/** Navigations that are answered by the server itself and by no page of the site. */
const answered = /^\/(api|files|outbox|iclock|web|pub)(\/|$)/

/** A build is called by its first script; its files lie in a store of that name. */
const buildOf = html => /\/assets\/index-[\w-]+\.js/.exec(html)?.[0]

/** The store of the newest build. */
const openStore = async () => {
  const build = (await caches.keys()).at(-1)
  return build && caches.open(build)
}

/** Keeps a document, and with it no other build than its own. */
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

/** From the server; only where it cannot be reached, what is kept under `key`. */
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

/** What is called by its content never changes. */
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

/** The addresses of what a page was made of while the worker was not there yet. */
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
