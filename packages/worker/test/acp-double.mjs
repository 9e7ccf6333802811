#!/usr/bin/env node
/*
 * An agent on the official library of the Agent Client Protocol that does what its argument, a JSON text, says:
 * `steps` in order (`say`, `tool`, `ask` for a permission, `update`, `print` bare words, `exit`), then `stop`.
 * Every prompt, permission and mode it is given is left in `outputs/given`.
 */
import { appendFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream } from '@agentclientprotocol/sdk';

const { steps = [], stop = 'end_turn', version = 1, modes = [], refuses } = JSON.parse(process.argv[2]);
const note = (given) => appendFileSync('outputs/given', `${JSON.stringify(given)}\n`);
const sessionId = 'session-1';

agent({ name: 'double' })
  .onRequest(methods.agent.initialize, ({ params }) => {
    note({ capabilities: params.clientCapabilities });
    return { protocolVersion: version, agentInfo: { name: 'double', version: '9.9.9' } };
  })
  .onRequest(methods.agent.session.new, ({ params }) => {
    if (refuses !== undefined) throw new Error(refuses);
    note({ cwd: params.cwd, servers: params.mcpServers, environment: process.env.TOLD });
    const availableModes = modes.map((id) => ({ id, name: id }));
    return modes.length === 0
      ? { sessionId }
      : { sessionId, modes: { currentModeId: modes[0], availableModes } };
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    note({ mode: params.modeId });
    return {};
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    note({ prompt: params.prompt });
    const update = (change) => client.notify(methods.client.session.update, { sessionId, update: change });
    for (const step of steps) {
      if (step.say !== undefined)
        for (const text of step.say.match(/\S+\s*/g))
          await update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
      if (step.tool !== undefined) await update({ sessionUpdate: 'tool_call', ...step.tool });
      if (step.update !== undefined) await update(step.update);
      if (step.print !== undefined) process.stdout.write(`${step.print}\n`);
      if (step.exit !== undefined) process.exit(step.exit);
      if (step.ask !== undefined) {
        const { kind, offers } = step.ask;
        const options = offers.map((offer) => ({ optionId: `id-${offer}`, name: offer, kind: offer }));
        const toolCall = { toolCallId: 'call-1', title: `a tool to ${kind}`, kind };
        const asked = { sessionId, toolCall, options };
        note((await client.request(methods.client.session.requestPermission, asked)).outcome);
      }
    }
    return { stopReason: stop };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
