import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

// Runs the api tests on Amazon’s own local engine. This proves that the tests do not depend on a quirk of the embedded
// engine. Downloads the engine from Maven Central once. Passes other arguments on to vitest: `npm run
// test:dynamodb-local -- tests/api/line.test.ts`.

const version = '2.6.1'
const folder = resolve('.build', `dynamodb-local-${version}`)

const isInstalled = (command: string) => spawnSync(command, ['-version'], { stdio: 'ignore' }).status === 0

const run = (command: string, args: string[], environment: Record<string, string> = {}) =>
  spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...environment } }).status ?? 1

/** Downloads all jars and native libraries into one folder. */
const fetchEngine = () => {
  const project = join(folder, 'pom.xml')
  const dependency = `<groupId>com.amazonaws</groupId><artifactId>DynamoDBLocal</artifactId><version>${version}</version>`
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    project,
    `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>attendance</groupId><artifactId>engine</artifactId><version>1</version>
  <dependencies><dependency>${dependency}</dependency></dependencies>
</project>
`,
  )
  return run('mvn', [
    '--quiet',
    '--batch-mode',
    '-f',
    project,
    'dependency:copy-dependencies',
    `-DoutputDirectory=${folder}`,
  ])
}

const missingCommands = ['java', 'mvn'].filter(command => !isInstalled(command))
if (missingCommands.length > 0) {
  console.error(
    `There is no ${missingCommands.join(' and no ')} here: Amazon's engine needs Java 17 or newer, and Maven brings it. Nothing was tested.`,
  )
  process.exitCode = 1
} else if (!existsSync(join(folder, `DynamoDBLocal-${version}.jar`)) && fetchEngine() !== 0) {
  console.error('Maven could not bring the engine; nothing was tested.')
  process.exitCode = 1
} else {
  const vitestArguments = process.argv.slice(2)
  process.exitCode = run('npx', ['vitest', 'run', '--project', 'api', ...vitestArguments], { DYNAMODB_LOCAL: folder })
}
