export { DOCKER_VARIABLES, dockerSandboxes } from './docker-provider.ts';
