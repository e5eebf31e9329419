import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { App, CfnOutput, Stack } from 'aws-cdk-lib'
import { addApi, addPaths } from './api.ts'
import type { Contents } from './build.ts'
import { addData } from './data.ts'
import type { World } from './function.ts'
import { addJobs } from './jobs.ts'
import { addSite } from './site.ts'
import { addMessages, addSocket } from './socket.ts'

// The cloud: a stack that is kept and one that can be thrown away and made again, for each stage.

const context = (app: App, name: string, shape: RegExp): string => {
  const value: unknown = app.node.tryGetContext(name)
  if (typeof value === 'string' && shape.test(value)) return value
  throw new Error(
    `Say --context ${name}=… (${shape.source}); it is ${value === undefined ? 'missing' : `“${value}”`} now`,
  )
}

const readBundles = (build: string): Contents => {
  const [list, site] = [join(build, 'functions.json'), join(build, 'site')]
  if (!existsSync(list) || !existsSync(site)) throw new Error(`${build} holds no bundles or no site: run npm run build`)
  return JSON.parse(readFileSync(list, 'utf8'))
}

/** `build` is the folder with the bundles and the site. */
export const cloud = (app: App, build = '.build'): { data: Stack; app: Stack } => {
  const stage = context(app, 'stage', /^[a-z][a-z0-9]{0,15}$/)
  const mailFrom = context(app, 'mailFrom', /^[^@\s]+@[^@\s]+$/)
  const bundles = readBundles(build)
  const kept = new Stack(app, `attendance-${stage}-data`, { terminationProtection: true })
  const stack = new Stack(app, `attendance-${stage}-app`)
  const data = addData(kept)
  const api = addApi(stack)
  const socket = addSocket(stack)
  const { site, secret } = addSite(stack, { api, socket, files: data.files, build })
  const world: World = {
    ...data,
    stack,
    build,
    bundles,
    site,
    secret,
    mailFrom,
    socket,
  }
  addPaths(api, world)
  addMessages(socket, world)
  addJobs(world)
  new CfnOutput(stack, 'Address', { value: site })
  return { data: kept, app: stack }
}

if (import.meta.main) cloud(new App())
