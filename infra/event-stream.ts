// Takes the place of the SDK's event streams in the bundles: nothing we ask of a service answers with one, and every client
// would carry the 15 KB that read them.

export const eventStreamSerdeProvider = () => undefined
export const resolveEventStreamSerdeConfig = <C>(config: C): C => config
