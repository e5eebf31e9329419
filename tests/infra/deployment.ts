import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { cloud } from '../../infra/app.ts'
import { buildFunctions, type Contents } from '../../infra/build.ts'

// Prepares a deployment as `npm run deploy` would: real bundles and their templates, in a temporary folder.

export interface Deployment {
  folder: string
  bundles: Contents
  cdk: App
  data: Template
  app: Template
  remove(): void
}

const settings: Record<string, unknown> = JSON.parse(readFileSync('cdk.json', 'utf8')).context

/** `context` holds the context options of the command line. */
export const prepare = async (context: Record<string, string> = {}): Promise<Deployment> => {
  const folder = mkdtempSync(join(tmpdir(), 'attendance-cloud-'))
  const bundles = await buildFunctions(folder)
  // The deployment copies the site's files unchanged, so any files suffice for the template.
  cpSync('web/public', join(folder, 'site'), { recursive: true })
  const cdk = new App({ outdir: join(folder, 'cdk.out'), context: { ...settings, ...context } })
  const { data, app } = cloud(cdk, folder)
  return {
    folder,
    bundles,
    cdk,
    data: Template.fromStack(data),
    app: Template.fromStack(app),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The resources of a type, with their logical ids. */
export const resourcesOf = (template: Template, type: string) => Object.entries(template.findResources(type))

/** The logical id in a `Ref` or `Fn::GetAtt`. */
export const nameIn = (value: { Ref?: string; 'Fn::GetAtt'?: string[] }): string =>
  value.Ref ?? value['Fn::GetAtt']?.[0] ?? ''

/** Our own functions: the logical id and the properties, by the name of the bundle. */
export const functionsOf = (template: Template, bundles: Contents) =>
  new Map(
    resourcesOf(template, 'AWS::Lambda::Function')
      .filter(([, { Properties }]) => Properties.Description in bundles)
      .map(([id, { Properties }]) => [String(Properties.Description), { id, properties: Properties }]),
  )

/** The statements of a function's role. */
export const rightsOf = (template: Template, role: { 'Fn::GetAtt'?: string[] }): Statement[] =>
  resourcesOf(template, 'AWS::IAM::Policy')
    .filter(([, { Properties }]) => Properties.Roles.some((attached: { Ref: string }) => attached.Ref === nameIn(role)))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
    .map(({ Effect, Action, Resource, Condition }) => ({
      effect: Effect,
      actions: [Action].flat(),
      resources: [Resource].flat(),
      condition: Condition,
    }))

export interface Statement {
  effect: string
  actions: string[]
  resources: unknown[]
  condition: unknown
}
