// Replaces the SDK's event streams in the bundles. No operation that we call returns an event stream, and every client
// would bundle 15 KB of code.

export const eventStreamSerdeProvider = () => undefined
export const resolveEventStreamSerdeConfig = <C>(config: C): C => config
