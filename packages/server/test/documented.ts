import type { Operation } from '@palisade/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openapiText } from '../src/http/openapi-text.ts';
import type { JsonSchema } from './schema-arbitrary.ts';

interface Content {
  readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

/** One operation as the OpenAPI document describes it. */
export interface DescribedOperation {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content | { readonly $ref: string }>>;
}

/** The OpenAPI document, asked what a request may say and whether an answer is one that it lists. */
export class Documented {
  readonly #document = JSON.parse(openapiText()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  };
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor() {
    this.#ajv.addSchema({ $id: 'api:', ...this.#document });
  }

  /** An operation, with the references of its parameters followed. */
  described({ path, method }: Operation): DescribedOperation {
    const found = this.#document.paths[path]?.[method.toLowerCase()];
    if (found === undefined) throw new Error(`${method} ${path} is not in the document`);
    return {
      ...found,
      parameters: found.parameters.map((each) =>
        '$ref' in each ? this.resolve<DescribedOperation['parameters'][number]>(String(each.$ref)) : each,
      ),
    };
  }

  /** What a reference of the document leads to. */
  resolve<T = JsonSchema>(reference: string): T {
    let at: unknown = this.#document;
    for (const part of reference.slice(2).split('/')) at = (at as Record<string, unknown>)[part];
    return at as T;
  }

  /** Why an answer of an operation is none that the document lists; empty when it is one. */
  problemsOf(operation: Operation, status: number, type: string, body: unknown): readonly string[] {
    const { responses } = this.described(operation);
    const listed = responses[String(status)];
    if (listed === undefined) return [`the status ${status} is not listed`];
    const isShared = '$ref' in listed;
    const content = isShared ? this.resolve<Content>(listed.$ref).content : listed.content;
    if (!Object.hasOwn(content, type)) return [`the media type ${type} is not listed for ${status}`];
    const parts = isShared
      ? listed.$ref.slice(2).split('/')
      : ['paths', operation.path, operation.method.toLowerCase(), 'responses', String(status)];
    return this.#problems([...parts, 'content', type, 'schema'], body);
  }

  /** Why a reply outside of every operation is no problem document. */
  problemsOfProblem(body: unknown): readonly string[] {
    return this.#problems(['components', 'schemas', 'Problem'], body);
  }

  #problems(place: readonly string[], body: unknown): readonly string[] {
    const pointer = place
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const validate = this.#compiled.get(pointer) ?? this.#ajv.compile({ $ref: `api:#/${pointer}` });
    this.#compiled.set(pointer, validate);
    if (validate(body)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
  }
}
