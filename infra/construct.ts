import { CfnElement, RemovalPolicy, type Stack, Validations } from 'aws-cdk-lib'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct, IConstruct } from 'constructs'

/** Suppresses AwsSolutions rules of cdk-nag for a construct and its children, with the reason. */
export const acknowledge = (construct: IConstruct, reason: string, ...rules: string[]): void =>
  Validations.of(construct).acknowledge(...rules.map(rule => ({ id: `AwsSolutions-${rule}`, reason })))

export const addLogGroup = (scope: Construct, id: string): LogGroup =>
  new LogGroup(scope, id, { retention: RetentionDays.THREE_MONTHS, removalPolicy: RemovalPolicy.DESTROY })

/** The logical id of a construct's resource in the template. */
export const logicalIdOf = (stack: Stack, { node }: IConstruct): string =>
  CfnElement.isCfnElement(node.defaultChild) ? stack.getLogicalId(node.defaultChild) : ''
