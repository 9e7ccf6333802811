import { getMetrics, prometheusText } from '@palisade/contracts';
import { foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { count } from '../output/time.ts';
import type { metricsCommand } from '../tree/installation-commands.ts';
import { writeOutput } from '../write-output.ts';
import type { Handler } from './handler.ts';

/** `pal metrics [--out FILE]`: the text that a scraper reads, to standard output or in place of a file. */
export const execute: Handler<typeof metricsCommand> = async (invocation, _args, flags) => {
  const answer = await invocation.call(getMetrics, {});
  const text = prometheusText(answer.data);
  const path =
    flags.out === undefined
      ? undefined
      : await writeOutput(invocation, flags.out, true, (file) => file.writeFile(text));
  emit(invocation, {
    json: answer,
    records: answer.data.flatMap(({ samples }) => samples),
    ids: answer.data.map(({ name }) => name),
    text: () =>
      path === undefined
        ? text.trimEnd().split('\n')
        : [`ok       ${count(answer.data.length, 'metric')}  ${foreignName(path)}`],
  });
  return 0;
};
