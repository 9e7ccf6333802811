import { declaredOperations, getRun, submitPlan, readLog, TOOL_RESULT_BYTES } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { toolResult } from './tool-result.ts';
import { describeTool, isTool } from './tools.ts';

const tools = declaredOperations().filter(isTool).map(describeTool);

describe('tools', () => {
  it('AO-135: their number changes only on purpose', () => {
    expect(tools).toHaveLength(58);
  });

  it('FF-105: every schema is one that all clients take', () => {
    for (const { name, inputSchema, outputSchema } of tools) {
      expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(Object.keys(inputSchema)).not.toEqual(
        expect.arrayContaining(['anyOf', 'oneOf', 'allOf', 'not']),
      );
      expect(JSON.stringify(inputSchema)).not.toContain('$ref');
      expect(outputSchema).toMatchObject({ type: 'object' });
      expect(JSON.stringify(outputSchema)).not.toMatch(/"\$ref":"(?!#\/\$defs\/)/);
    }
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
  });

  it('AO-132: changes need a key, and what they are follows from their declaration', () => {
    const named = (name: string) => tools.find((tool) => tool.name === name);
    expect(named('runs_get')).toMatchObject({
      title: getRun.summary,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    });
    expect(named('runs_get')?.inputSchema['required']).toEqual(['run']);
    expect(named('runs_cancel')?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(named('plans_submit')?.annotations).toMatchObject({ destructiveHint: false, openWorldHint: true });
    expect(named('plans_submit')?.inputSchema).toMatchObject({
      required: ['plan', 'idempotency_key'],
      properties: { project: { type: 'string' }, idempotency_key: { minLength: 1 } },
    });
    expect(named('evidence_status')?.inputSchema['properties']).toEqual({});
  });

  it('AO-130 FF-106: an answer that is too large says how to ask for less', () => {
    const answer = { lines: ['x'.repeat(TOOL_RESULT_BYTES)] };
    expect(() => toolResult(readLog, answer)).toThrow(
      expect.objectContaining({ code: 'too_large', next: expect.stringContaining('max_bytes') }),
    );
    expect(() => toolResult(submitPlan, answer)).toThrow(
      expect.objectContaining({ why: expect.stringContaining('the change was made') }),
    );
    const most = { lines: ['x'.repeat(TOOL_RESULT_BYTES - 14)] };
    expect(toolResult(readLog, most).structuredContent).toEqual(most);
  });
});
