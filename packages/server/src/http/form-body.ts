import { PalisadeError } from '@palisade/contracts';
import { readText } from './json-body.ts';

const FORM_BYTES = 16 * 1024;

/** The fields of a form. Raises `too_large`, `unsupported_media_type` or `invalid_input`. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const fields = new URLSearchParams(
    (await readText(request, FORM_BYTES, 'application/x-www-form-urlencoded')) ?? '',
  );
  for (const name of new Set(fields.keys()))
    if (fields.getAll(name).length > 1)
      throw new PalisadeError('invalid_input', 'a field of the form is given more than once');
  return fields;
}
