/**
 * How programs say that they did not find the network: of resolvers, sockets and the tools that fetch packages. A server
 * that refuses is not among them, it can be one of the sandbox's own.
 */
const SIGNS =
  /network is unreachable|no route to host|\bENETUNREACH\b|\bEHOSTUNREACH\b|\bEAI_AGAIN\b|\bENOTFOUND\b|name or service not known|temporary failure (?:in name resolution|resolving)|could(?: not|n't) resolve|name does not resolve|bad address '|no such host|UnknownHostException|getaddrinfo failed|failed to lookup address/i;

/** What {@link looksLikeNoNetwork} means where a sandbox has none, and how both who have to allow it do. */
export const NO_NETWORK =
  'the network is off in this sandbox: the item asks for it with "sandbox": {"network": true}, the operator allows it with --allow-network';

/**
 * Whether a text reads as that of a program which looked for a network and found none. A network may fail for other reasons: for hints beside an
 * error where it is known that there was none, never a decision.
 */
export function looksLikeNoNetwork(text: string): boolean {
  return SIGNS.test(text);
}

/** Whether one of the warnings of an attempt says {@link NO_NETWORK}. */
export function hadNoNetwork(warnings: readonly string[] | undefined): boolean {
  return warnings?.some((warning) => warning.includes(NO_NETWORK)) === true;
}
