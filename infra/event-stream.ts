// Replaces the SDK's event streams in the bundles: no operation we call returns one, and every client would bundle the 15 KB
// that read them.

export const eventStreamSerdeProvider = () => undefined
export const resolveEventStreamSerdeConfig = <C>(config: C): C => config
