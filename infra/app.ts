import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { App, CfnOutput, Stack } from 'aws-cdk-lib'
import { addAlarms, addBudget } from './alarm.ts'
import { addApi, addPaths } from './api.ts'
import type { Contents } from './build.ts'
import { addDashboard } from './dashboard.ts'
import { addData, type Domain } from './data.ts'
import { addFigures } from './figure.ts'
import { addPassingKey, type World } from './function.ts'
import { addJobs } from './jobs.ts'
import { addSite } from './site.ts'
import { addMessages, addSocket } from './socket.ts'
import { watch } from './watch.ts'

// The cloud. Each stage has a data stack, which AWS retains, and an app stack, which we can recreate.

const readContext = (app: App, name: string, shape: RegExp): string | undefined => {
  const value: unknown = app.node.tryGetContext(name)
  if (value === undefined || (typeof value === 'string' && shape.test(value))) return value
  throw new Error(`The context ${name} is “${value}”: pass --context ${name}=… that matches ${shape.source}`)
}

const requireContext = (app: App, name: string, shape: RegExp): string => {
  const value = readContext(app, name, shape)
  if (value === undefined)
    throw new Error(`The context ${name} is missing: pass --context ${name}=… that matches ${shape.source}`)
  return value
}

/** The custom domain and its certificate. A distribution accepts certificates of us-east-1 only. */
const domainOf = (app: App): Domain | undefined => {
  const name = readContext(app, 'domain', /^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
  const certificate = readContext(app, 'certificate', /^arn:aws:acm:us-east-1:\d{12}:certificate\/[\w-]+$/)
  if (name === undefined && certificate === undefined) return undefined
  if (name === undefined || certificate === undefined)
    throw new Error('A domain needs its certificate, and a certificate its domain: pass both, or neither')
  return { name, certificate }
}

const readBundles = (build: string): Contents => {
  const [list, site] = [join(build, 'functions.json'), join(build, 'site')]
  if (!existsSync(list) || !existsSync(site)) throw new Error(`${build} has no bundles or no site: run npm run build`)
  return JSON.parse(readFileSync(list, 'utf8'))
}

/** `build` is the folder of the bundles and the site. */
export const cloud = (app: App, build = '.build'): { data: Stack; app: Stack } => {
  const stage = requireContext(app, 'stage', /^[a-z][a-z0-9]{0,15}$/)
  const mailFrom = requireContext(app, 'mailFrom', /^[^@\s]+@[^@\s]+$|^outbox$/)
  const concurrency = Number(requireContext(app, 'concurrency', /^\d{1,6}$/))
  const monthlyDollars = Number(requireContext(app, 'monthlyDollars', /^\d{1,7}$/))
  const domain = domainOf(app)
  const bundles = readBundles(build)
  const kept = new Stack(app, `attendance-${stage}-data`, { terminationProtection: true })
  const stack = new Stack(app, `attendance-${stage}-app`)
  const data = addData(kept, domain)
  const passing = addPassingKey(stack)
  const [api, socket] = [addApi(stack), addSocket(stack)]
  const { site, secret } = addSite(stack, { api, socket, passing, domain, files: data.files, build })
  const alarms = addAlarms({ stack, passing })
  const world: World = {
    ...data,
    ...{ stack, build, bundles, site, secret, passing, concurrency, mailFrom, api, socket, alarms },
  }
  addPaths(world)
  addMessages(world)
  const jobs = addJobs(world)
  const figures = addFigures(world, jobs)
  watch(world, jobs, figures)
  addBudget(world, monthlyDollars)
  addDashboard(world, figures)
  new CfnOutput(stack, 'Address', { value: site })
  new CfnOutput(stack, 'TableName', { value: data.table.tableName })
  return { data: kept, app: stack }
}

if (import.meta.main) cloud(new App())
