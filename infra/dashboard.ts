import { Dashboard, GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch'
import type { Figures } from './figure.ts'
import type { World } from './function.ts'

// One page that shows the health of a stage.

const graph = (title: string, left: IMetric[], right: IMetric[] = []) =>
  new GraphWidget({ title, left, right, width: 8, height: 6 })

export const addDashboard = ({ stack }: World, figures: Figures): void => {
  const { calls, refusals, faults, latency, sockets, messages, socketFaults, running, throttles } = figures
  const { read, written, tableThrottles, age, waiting, dead, sent, refused, bounces, complaints } = figures
  new Dashboard(stack, 'Dashboard', {
    dashboardName: stack.stackName,
    widgets: [
      [
        graph('Calls', [calls, refusals, faults], [latency]),
        graph('Sockets', [sockets, messages], [socketFaults]),
        graph('Functions', [running], [throttles]),
      ],
      [
        graph('Table', [read, written], [tableThrottles]),
        graph('Pending facts', waiting, [age]),
        graph('Dead letters', dead),
      ],
      [graph('Webhooks', [sent, refused]), graph('Mail', [bounces, complaints])],
    ],
  })
}
