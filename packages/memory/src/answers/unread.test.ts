import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TestRepository } from '../../test/history.ts';
import {
  changed,
  explain,
  type Memory,
  neighbors,
  plan,
  preflight,
  ranking,
  review,
  safe,
} from '../index.ts';

function shop(): TestRepository {
  return new TestRepository().commit(
    { files: { 'a.ts': '1', 'quiet.ts': '1', 'tests/a.test.ts': '' } },
    { files: { 'a.ts': '2' } },
  );
}

/** That nothing of a file is called known, or safe, that was not read. */
function expectCare(memory: Memory, path: string, level: string): void {
  const answer = safe(memory, path);
  expect([path, answer.verdict, answer.risk.level]).toEqual([path, 'inspect_context_first', level]);
  expect(answer.risk.reasons[0]).toMatch(/not read/);
  for (const { action_guidance: guidance, freshness } of [
    answer,
    explain(memory, path),
    plan(memory, path, ''),
  ]) {
    expect(guidance.safe_to_edit_alone).toBe(false);
    expect(guidance.confidence_gaps.join()).toMatch(/not read|no index/);
    if (freshness.is_stale) expect(guidance.recommended_next_command).toBe('pal repo index');
  }
}

describe('history that was not read', () => {
  it('WM-022, WM-031: without an index every file is unknown, and the index is what comes next', async () => {
    using repository = shop();
    repository.write({ 'new.ts': '1' });
    using memory = await repository.memory();
    for (const path of ['a.ts', 'quiet.ts', 'new.ts']) expectCare(memory, path, 'unknown');
    expect(plan(memory, 'a.ts', '').steps[0]).toMatch(/^pal repo index, and plan again/);
    expect(explain(memory, 'a.ts').summary).toBe(
      'a.ts is of unknown risk: its history was not read: there is no index yet. What it may touch is not known.',
    );
    const ahead = preflight(memory, 'mend', ['a.ts', 'tests']);
    expect(ahead.summary).toBe(
      '2 files, 0 of high risk, 2 of unknown risk; something outside of it is changed already',
    );
    expect(ahead.unreadable).toMatchObject([
      { path: 'tests', reason: expect.stringContaining('was not read') },
    ]);
    expect(ahead.next_actions[0]).toBe('pal repo index');
    expect(ahead.agent_instructions.join()).toContain('run pal repo index and ask again');
    expect(neighbors(memory, 'a.ts', 5).evidence.notes.join()).toContain('there is no index');
    expect(ranking(memory, 5).evidence.notes.join()).toContain('there is no index');
    const reviewed = await review(memory, undefined);
    expect(reviewed.summary).toBe(
      '2 files are changed since HEAD~1, 0 of high risk, 2 of unknown risk; 0 tests to run',
    );
    expect(reviewed.action_guidance).toMatchObject({ safe_to_edit_alone: false, must_verify: true });
    expect(changed(memory)).toMatchObject({
      summary: '1 file is changed, 0 of high risk, 1 of unknown risk',
      recommended_next_command: 'pal repo index',
    });
  });

  it('WM-022, WM-028: commits that the index does not hold make the files they changed uncertain, and no others', async () => {
    using repository = shop();
    await repository.index();
    repository.git('checkout', '--quiet', '-b', 'side');
    repository.write({ 'a.ts': '3', 'side.ts': '1' });
    repository.git('add', '--all');
    repository.git('commit', '--quiet', '-m', 'On the side');
    repository.write({ 'new.ts': '1' });
    {
      using memory = await repository.memory({ now: repository.now + 90 * 86_400_000 });
      expectCare(memory, 'a.ts', 'low');
      expectCare(memory, 'side.ts', 'unknown');
      for (const path of ['quiet.ts', 'new.ts']) {
        expect(safe(memory, path).verdict).toBe('safe_with_normal_review');
        expect(safe(memory, path).action_guidance.safe_to_edit_alone).toBe(true);
      }
      expect(ranking(memory, 9).evidence.notes.join()).toContain(
        'commits that lead to HEAD are not in the index',
      );
      expect(plan(memory, 'side.ts', '').evidence.notes.join()).toContain('side.ts: commits that changed it');
    }
    await repository.index();
    using memory = await repository.memory();
    expect(safe(memory, 'side.ts').risk).toMatchObject({ level: 'low', churn_score: 1 });
    // The commits of the branch that is left are in the index, and say nothing here.
    repository.git('checkout', '--quiet', 'main');
    using main = await repository.memory();
    expect(safe(main, 'a.ts').risk.reasons.join()).not.toContain('not read');
    expect(ranking(main, 9).evidence.notes.join()).not.toContain('HEAD');
  });

  it('WM-022: what is new and not committed is judged by what it is connected with', async () => {
    using repository = shop();
    await repository.index();
    repository.write({ 'b.ts': '1', 'staged.ts': '1' });
    repository.git('add', 'staged.ts');
    using memory = await repository.memory();
    for (const path of ['b.ts', 'staged.ts'])
      expect(safe(memory, path)).toMatchObject({
        verdict: 'safe_with_normal_review',
        risk: { level: 'low', reasons: ['it has no history yet: judged by what it is connected with'] },
      });
  });

  it('WM-022: what a shallow clone was cut before is not low', async () => {
    using repository = shop();
    const clone = mkdtempSync(join(tmpdir(), 'palisade-shallow-'));
    onTestFinished(() => rmSync(clone, { recursive: true, force: true }));
    execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${repository.directory}`, clone]);
    using shallow = new TestRepository(clone);
    await shallow.index();
    using memory = await shallow.memory({ now: repository.now });
    expectCare(memory, 'quiet.ts', 'unknown');
  });
});
