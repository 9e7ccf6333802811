import { main } from '../src/main.ts';
import { doubleConnections } from './double/double.ts';

// The command with the recorded control plane in place of the real one. Only tests start it.
const scenario = process.env['PALISADE_DOUBLE'];
if (scenario === undefined) throw new Error('PALISADE_DOUBLE must name a scenario file');
await main(process.argv.slice(2), doubleConnections(scenario, process.env['PALISADE_DOUBLE_CALLS']));
