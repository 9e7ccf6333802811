import { declaredOperations, nearest, type Operation } from '@palisade/contracts';
import { UsageError } from '../tree/usage-error.ts';

/** The operation with an id; a {@link UsageError} that names the nearest when there is none. */
export function operationNamed(id: string): Operation {
  const operations = declaredOperations();
  const found = operations.find((each) => each.id === id);
  if (found !== undefined) return found;
  const meant = nearest(
    id,
    operations.map((each) => each.id),
  );
  throw new UsageError(`there is no operation "${id}"`, {
    next: meant === undefined ? 'pal api' : `pal api ${meant}`,
  });
}
