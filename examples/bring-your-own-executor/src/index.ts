export { type AgentFunction, type FunctionContext, functionExecutor } from './function-executor.ts';
