import { declaredOperations } from '@palisade/contracts';
import { openapiOf } from './openapi.ts';

/** The OpenAPI document of every declared operation, as its committed file has it. */
export function openapiText(): string {
  return `${JSON.stringify(openapiOf(declaredOperations()), null, 1)}\n`;
}
