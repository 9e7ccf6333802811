import { type DescribedField, describedFields, nearest, type Operation } from '@palisade/contracts';
import { UsageError } from '../tree/usage-error.ts';

type Input = Readonly<Record<string, unknown>>;

/**
 * The input of an operation from a document and `FIELD=VALUE` words, wherever in a request its fields stand. A value is text where the
 * field is text and JSON elsewhere; a list takes one word for each entry, or all of them as JSON. Only names are judged here: the
 * operation itself judges values. Raises a {@link UsageError} for a field that it has not, naming the nearest, for one that is given twice,
 * and for a secret in words, where other processes could read it.
 */
export function inputOf(operation: Operation, words: readonly string[], document: Input): Input {
  const fields = describedFields(operation);
  const input = new Map<string, unknown>();
  const given = (name: string): DescribedField => {
    const field = fields.get(name);
    if (field === undefined) throw unknown(operation, name, [...fields.keys()]);
    return field;
  };
  for (const [name, value] of Object.entries(document)) {
    given(name);
    input.set(name, value);
  }
  const entries = new Map<string, unknown[]>();
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1)
      throw new UsageError('a field is given as FIELD=VALUE', {
        next: `pal api ${operation.id} FIELD=VALUE`,
      });
    const name = word.slice(0, at);
    const text = word.slice(at + 1);
    const field = given(name);
    if (JSON.stringify(field).includes('"writeOnly":true'))
      throw new UsageError(`${name} may hold a secret, which other processes would read in a command line`, {
        next: `pal api ${operation.id} --input -`,
      });
    const isEntry = field.type === 'array' && !text.startsWith('[');
    const known = isEntry ? entries.get(name) : undefined;
    if (known !== undefined) {
      known.push(valueOf(field.items ?? {}, text));
      continue;
    }
    if (input.has(name)) throw new UsageError(`${name} is given twice`);
    const first = isEntry ? [valueOf(field.items ?? {}, text)] : undefined;
    if (first !== undefined) entries.set(name, first);
    input.set(name, first ?? valueOf(field, text));
  }
  return Object.fromEntries(input);
}

/** What does not read as JSON stays text, for the operation to refuse. */
function valueOf({ type }: DescribedField, text: string): unknown {
  if (type === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function unknown({ id }: Operation, name: string, known: readonly string[]): UsageError {
  if (name === 'project')
    return new UsageError(`${id} is about the project that is set`, {
      next: `pal api ${id}, with --project KEY`,
    });
  const meant = nearest(name, known);
  return new UsageError(`${id} has no field "${name}"`, {
    why: meant === undefined ? `its fields are ${known.join(', ') || 'none'}` : `the nearest is "${meant}"`,
    next: `pal api ${id} ${meant === undefined ? '' : `${meant}=VALUE`}`.trim(),
  });
}
