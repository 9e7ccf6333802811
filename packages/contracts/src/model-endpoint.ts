import * as z from 'zod';
import { addressClass } from './address-class.ts';
import { Name, NewName } from './schema.ts';

/** Names that mean a strength instead of a model; everything else is a model's own name (DI-062). */
export const ModelLevel = z.enum(['fast', 'standard', 'max']);
export type ModelLevel = z.infer<typeof ModelLevel>;

/** The level a model name stands for, or null when it is a model's own name. */
export function modelLevel(model: string): ModelLevel | null {
  return ModelLevel.safeParse(model).data ?? null;
}

/** The first wish that says something; the empty string says nothing, like null (DI-062). */
export function firstModel(...wishes: readonly (string | null | undefined)[]): string | null {
  return wishes.find((wish) => wish !== null && wish !== undefined && wish !== '') ?? null;
}

/** The wire a model endpoint speaks: `anthropic` is the Messages API, `openai` Responses and Chat Completions. */
export const ModelWire = z.enum(['anthropic', 'openai']);
export type ModelWire = z.infer<typeof ModelWire>;

/** How the endpoint wants its credential: a key in the wire's own way, or a subscription's bearer token (DI-063). */
export const ModelCredential = z.enum(['api-key', 'subscription']);
export type ModelCredential = z.infer<typeof ModelCredential>;

const ModelName = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^\s\p{Cc}-][^\s\p{Cc}]*$/u, 'must be a model name without blanks that does not start with "-"');

/**
 * The base address of an endpoint. Nothing in it may be a credential, and a clear wire only leads to an
 * address the operator calls private: by writing it out, or with `private` for a name.
 */
const endpointUrl = z
  .string()
  .max(2_048)
  .refine((text) => {
    const url = URL.parse(text);
    return url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
  }, 'must be an http or https address')
  .refine((text) => {
    const url = URL.parse(text);
    return (
      url === null || (url.username === '' && url.password === '' && url.search === '' && url.hash === '')
    );
  }, 'must hold no user, password, query or fragment: the key is a secret of its own');

const fields = {
  name: Name,
  kind: ModelWire,
  url: endpointUrl,
  /** Reference of the secret that holds the credential. */
  secret: z.string().min(1),
  credential: ModelCredential.optional(),
  /** True lets a name that resolves to a private or loopback address be used; a written out one needs no leave. */
  private: z.boolean().optional(),
  /** The model of agents that ask for none. */
  default_model: z.union([ModelName, ModelLevel]).optional(),
  /** What the levels mean here; by default what the vendor's program makes of them. */
  models: z.partialRecord(ModelLevel, ModelName).optional(),
};

/** What an operator registers as a model endpoint: where a model is reached, and by whose key. */
export const ModelEndpointInput = z
  .strictObject({ ...fields, name: NewName })
  .refine(
    ({ url, private: isPrivate }) => !url.startsWith('http:') || isPrivate === true || isWrittenPrivate(url),
    {
      path: ['url'],
      message: 'http is for private addresses only: use https, or say that the name is private',
    },
  )
  .refine(({ url }) => addressClass(hostOf(url)) !== 'forbidden', {
    path: ['url'],
    message: 'must not be a link-local or reserved address',
  })
  .refine(({ kind, credential }) => kind === 'anthropic' || credential !== 'subscription', {
    path: ['credential'],
    message: 'only the anthropic wire takes the token of a subscription',
  });
export type ModelEndpointInput = z.infer<typeof ModelEndpointInput>;

/** The immutable definition a model endpoint's name points at. It holds the secret's reference, never the secret. */
export const ModelEndpointDefinition = z.strictObject({
  schema_version: z.literal(1),
  ...fields,
  credential: ModelCredential,
});
export type ModelEndpointDefinition = z.infer<typeof ModelEndpointDefinition>;

/** A definition as it is shown: without the reference of the secret (DI-049). */
export const ModelEndpointView = ModelEndpointDefinition.omit({ schema_version: true, secret: true });
export type ModelEndpointView = z.infer<typeof ModelEndpointView>;

/** True when the operator wrote out an address of a private network or this machine: that is leave enough. */
export function isWrittenPrivate(url: string): boolean {
  const host = hostOf(url);
  return host === 'localhost' || host.endsWith('.localhost') || addressClass(host) === 'local';
}

/** The host of an address, an IPv6 one without brackets; empty for what is no address. */
function hostOf(url: string): string {
  return (URL.parse(url)?.hostname ?? '').replace(/^\[|\]$/g, '');
}
