import { declaredOperations } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { furnished } from './cases.ts';

describe('pal api', () => {
  it('lists every operation, in each format', async () => {
    using place = furnished();
    const ids = declaredOperations().map(({ id }) => id);
    const listed = JSON.parse((await place.pal(['api', '--json'])).stdout) as { data: { id: string }[] };
    expect(listed.data.map(({ id }) => id)).toEqual(ids);
    expect((await place.pal(['api', '--format', 'id'])).stdout.trim().split('\n')).toEqual(ids);
    expect((await place.pal(['api'])).stdout).toMatch(
      /^runs\.cancel +write +POST +\/v1\/projects\/\{project\}\/runs\/\{run\}\/cancel {2}Stop a run/m,
    );
    expect(place.calls()).toBe('');
  });

  it('a value is text where its field is text and JSON elsewhere, and standard input may add to words', async () => {
    using place = furnished();
    const words = ['api', 'runs.list', 'limit=2', 'state=failed', 'state=running', 'label=7'];
    const unknown = await place.pal(words);
    expect(unknown.stderr).toContain('has no field "label"');
    await place.pal([...words.slice(0, -1), '--input', '-'], { input: '{"cursor":"1"}' });
    await place.pal(['api', 'runs.get', 'run=12']);
    const inputs = place
      .calls()
      .split('\n')
      .flatMap((line) => (line.includes('"call"') ? [(JSON.parse(line) as { input: object }).input] : []));
    expect(inputs).toEqual([{ cursor: '1', limit: 2, state: ['failed', 'running'] }, { run: '12' }]);
    const twice = await place.pal(['api', 'runs.get', 'run=1', '--input', '-'], { input: '{"run":"2"}' });
    expect(twice.stderr).toContain('run is given twice');
  });

  it('a secret in words is refused and not repeated, and one on standard input is taken', async () => {
    using place = furnished();
    for (const words of [
      ['api', 'secrets.put', 'name=x', 'value=hunter2'],
      ['api', 'deployments.apply', 'entries=[{"value":"hunter2"}]'],
    ]) {
      const { code, stdout, stderr } = await place.pal(words);
      if (words[1] === 'secrets.put') expect(code).toBe(2);
      expect(stdout + stderr).not.toContain('hunter2');
    }
    const put = await place.pal(['api', 'secrets.put', '--input', '-'], {
      input: '{"name":"x","value":"hunter2"}',
    });
    expect(put.code).toBe(0);
    expect(put.stdout).not.toContain('hunter2');
  });
});
