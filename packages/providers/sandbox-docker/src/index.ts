export { type DockerOptions, dockerSandboxes } from './docker-provider.ts';
