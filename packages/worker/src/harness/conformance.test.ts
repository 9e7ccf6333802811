import { harnessConformance } from '@palisade/contracts/testing';
import { describe, expect, it } from 'vitest';
import { available, providers } from '../../test/attempt-fixture.ts';
import { commandHarness } from './command.ts';
import { scriptedHarness } from './scripted.ts';

const stubborn = (token: string): string =>
  [
    `trap '' TERM`,
    `(trap '' TERM; setsid sh -c "trap '' TERM; sleep ${token}; sleep ${token}" &)`,
    `echo ready`,
    `while :; do sleep ${token}; done`,
  ].join('\n');

for (const provider of providers.filter(({ name }) => available.includes(name))) {
  const command = (text: string) => ({ harness: 'command' as const, command: text });
  harnessConformance(
    commandHarness,
    {
      works: command('echo made > made.txt; echo shown'),
      fails: command('exit 3'),
      showsValue: command('echo "$CONFORMANCE_VALUE"'),
      hangs: (token) => command(stubborn(token)),
    },
    provider,
    { describe, it, expect },
  );

  const scripted = (...steps: { do: 'run'; command: string }[]) => ({ harness: 'scripted' as const, steps });
  harnessConformance(
    scriptedHarness,
    {
      works: {
        harness: 'scripted',
        steps: [
          { do: 'write', path: 'made.txt', text: 'made\n' },
          { do: 'say', text: 'shown' },
        ],
      },
      fails: { harness: 'scripted', steps: [{ do: 'exit', code: 3 }] },
      showsValue: scripted({ do: 'run', command: 'echo "$CONFORMANCE_VALUE"' }),
      hangs: (token) => scripted({ do: 'run', command: stubborn(token) }),
    },
    provider,
    { describe, it, expect },
  );
}
