/* Made from openapi.json by `npm run openapi`; a test fails while it says something else. */

export interface paths {
    "/v1/auth/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your address, and whether it is verified
         * @description Needs the scope `read`.
         */
        get: operations["account_email"];
        put?: never;
        /**
         * Set your address, unverified, and have a link sent to it; asks for a sign-in of the last ten minutes
         * @description Needs the scope `write`.
         */
        post: operations["account_set_email"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who you are here
         * @description Needs the scope `read`.
         */
        get: operations["account_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your own password, and end all your browser sessions
         * @description Needs the scope `write`.
         */
        post: operations["account_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/email/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have another link sent that verifies your address; earlier ones end
         * @description Needs the scope `write`.
         */
        post: operations["account_resend_email"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/agents/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An agent's latest definition without its prompts, and its revisions
         * @description Needs the scope `read`.
         */
        get: operations["agents_get"];
        put?: never;
        post?: never;
        /**
         * Take the meaning of an agent name away; runs that were given it keep it
         * @description Needs the scope `provision`.
         */
        delete: operations["agents_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Agent names with their latest revision
         * @description Needs the scope `read`.
         */
        get: operations["agents_list"];
        put?: never;
        /**
         * Register what can be run under a name; capability names are frozen to their present content
         * @description Needs the scope `provision`.
         */
        post: operations["agents_register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/agents/{name}/rebind": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register an agent again, bound to the present content of its capabilities
         * @description Needs the scope `provision`.
         */
        post: operations["agents_rebind"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/stale-bindings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Capabilities that changed since agents were bound to them
         * @description Needs the scope `read`.
         */
        get: operations["agents_stale"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/artifacts/{ref}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The bytes of a product, base64, in parts
         * @description Needs the scope `read`.
         */
        get: operations["artifacts_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who did what to whom may use the installation, newest first; never what it was about
         * @description Needs the scope `system`.
         */
        get: operations["audit_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a password, in a browser; ends the session that it had
         * @description Needs no credential.
         */
        post: operations["auth_login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the session of this browser
         * @description Needs the scope `write`.
         */
        post: operations["auth_logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who is signed in, and the CSRF token of this session
         * @description Needs the scope `read`.
         */
        get: operations["auth_me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkey-login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a passkey, in a browser; ends the session that it had
         * @description Needs no credential.
         */
        post: operations["auth_passkey_login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkey-login/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a browser needs to sign in with a passkey; good for five minutes and one try
         * @description Needs no credential.
         */
        post: operations["auth_passkey_login_options"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password/forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have links for new passwords sent to an address; it is never told whether somebody has it
         * @description Needs no credential.
         */
        post: operations["auth_password_forgot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/browser-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your browser sessions of late; an administrator may ask for those of others
         * @description Needs the scope `read`.
         */
        get: operations["browser_sessions_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/browser-sessions/{session}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End one of your browser sessions; an administrator may end those of others
         * @description Needs the scope `write`.
         */
        post: operations["browser_sessions_revoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/capabilities/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A capability's revisions
         * @description Needs the scope `read`.
         */
        get: operations["capabilities_get"];
        put?: never;
        post?: never;
        /**
         * Take the meaning of a capability name away; agents that are bound to its content keep it
         * @description Needs the scope `provision`.
         */
        delete: operations["capabilities_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/capabilities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Capability names with their latest revision
         * @description Needs the scope `read`.
         */
        get: operations["capabilities_list"];
        put?: never;
        /**
         * Register a bundle of files under a name
         * @description Needs the scope `provision`.
         */
        post: operations["capabilities_register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the clock is trusted, and what happened when it was not
         * @description Needs the scope `system`.
         */
        get: operations["clock_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/clock/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say that a clock which went back is right again; nothing that has run out meanwhile comes back
         * @description Needs the scope `system`.
         */
        post: operations["clock_reconcile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/credentials/{credential}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Leave a revoked credential out of lists; what is known of it stays
         * @description Needs the scope `system`.
         */
        delete: operations["credentials_hide"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/principals/{principal}/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue another credential to an agent or a service; what is left out is as in its newest one
         * @description Needs the scope `system`.
         */
        post: operations["credentials_issue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Credentials in the order they were issued, without tokens
         * @description Needs the scope `system`.
         */
        get: operations["credentials_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/credentials/{credential}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refuse a credential from the next call on
         * @description Needs the scope `system`.
         */
        post: operations["credentials_revoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/credentials/{credential}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a new credential with the same rights in the place of one
         * @description Needs the scope `system`.
         */
        post: operations["credentials_rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register many things at once: all of them are checked first, then set in order up to the first failure
         * @description Needs the scope `provision`.
         */
        post: operations["deployments_apply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/environments/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An environment's revisions, and the variables of its latest one
         * @description Needs the scope `read`.
         */
        get: operations["envs_get"];
        put?: never;
        post?: never;
        /**
         * Take the meaning of an environment name away; runs it was given to and its secrets stay as they are
         * @description Needs the scope `provision`.
         */
        delete: operations["envs_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/environments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Environment names with their latest revision
         * @description Needs the scope `read`.
         */
        get: operations["envs_list"];
        put?: never;
        /**
         * Register named values and secrets; inline secrets are stored encrypted and only referenced
         * @description Needs the scope `provision`.
         */
        post: operations["envs_register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events of runs as they happen, over one connection; it ends when every run is sealed
         * @description Needs the scope `read`.
         */
        get: operations["events_subscribe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/runs/{run}/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A sealed run's evidence bundle
         * @description Needs the scope `read`.
         */
        get: operations["evidence_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/evidence/keys/{keyid}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Declare a retired key compromised: its evidence holds only as far as a verified time is earlier
         * @description Needs the scope `system`.
         */
        post: operations["evidence_revoke_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/evidence/keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the key that signs evidence; evidence made before stays verifiable
         * @description Needs the scope `system`.
         */
        post: operations["evidence_rotate_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/evidence/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The log of seals, and how far others have attested it
         * @description Needs the scope `read`.
         */
        get: operations["evidence_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/evidence/trust-root": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This installation's public keys, to be handed to an auditor
         * @description Needs the scope `read`.
         */
        get: operations["evidence_trust_root"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/harness-sessions/{session}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a harness session for ever; what was begun in it goes on
         * @description Needs the scope `read`.
         */
        post: operations["harness_sessions_close"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/harness-sessions/{session}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A harness session, whether it is open or closed
         * @description Needs the scope `read`.
         */
        get: operations["harness_sessions_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/harness-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Harness sessions that are open and whose credential is good, the last active first
         * @description Needs the scope `read`.
         */
        get: operations["harness_sessions_list"];
        put?: never;
        /**
         * Register the session an agent works in, whose id and proof it made itself and kept; the proof stands in the header Palisade-Session-Proof
         * @description Needs the scope `read`.
         */
        post: operations["harness_sessions_register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/help/authentication": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How to get and use a credential
         * @description Needs no credential.
         */
        get: operations["help_authentication"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What this server is, and how an agent begins
         * @description Needs no credential.
         */
        get: operations["info_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/jobs/{job}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A job, and what was last seen of it
         * @description Needs the scope `read`.
         */
        get: operations["jobs_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Jobs of a project, those with the latest ids first
         * @description Needs the scope `read`.
         */
        get: operations["jobs_list"];
        put?: never;
        /**
         * Register a process that the harness session has on its workstation, with the reporter that will tell of it; the client made and kept all ids, and the proof that is told by its hash alone
         * @description Needs the scope `write`.
         */
        post: operations["jobs_register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/runs/{run}/items/{item}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The messages sent to an item, oldest first, and which attempts they have come to
         * @description Needs the scope `read`.
         */
        get: operations["messages_list"];
        put?: never;
        /**
         * Send a message to the agent of an item, which finds it in its inbox while it runs
         * @description Needs the scope `write`.
         */
        post: operations["messages_send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures for monitoring: counters that follow the events, and what waits and runs now
         * @description Needs the scope `system`.
         */
        get: operations["metrics_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/model-endpoints/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A model endpoint's latest definition and its revisions
         * @description Needs the scope `read`.
         */
        get: operations["model_endpoints_get"];
        put?: never;
        post?: never;
        /**
         * Take the meaning of a model endpoint name away; runs that were given it and its secret stay as they are
         * @description Needs the scope `provision`.
         */
        delete: operations["model_endpoints_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/model-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Model endpoints with their latest revision
         * @description Needs the scope `read`.
         */
        get: operations["model_endpoints_list"];
        put?: never;
        /**
         * Register where a model is reached, and by which stored secret
         * @description Needs the scope `provision`.
         */
        post: operations["model_endpoints_register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/operators/{operator}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set role and access of a person, and end their browser sessions
         * @description Needs the scope `system`.
         */
        post: operations["operators_access"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/operators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Accounts of people, in the order they were created
         * @description Needs the scope `system`.
         */
        get: operations["operators_list"];
        put?: never;
        /**
         * Create the account of a person
         * @description Needs the scope `system`.
         */
        post: operations["operators_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/operators/{operator}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The account of one person
         * @description Needs the scope `system`.
         */
        get: operations["operators_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your passkeys
         * @description Needs the scope `read`.
         */
        get: operations["passkeys_list"];
        put?: never;
        /**
         * Keep a passkey that your browser made
         * @description Needs the scope `write`.
         */
        post: operations["passkeys_register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a browser needs to make a passkey for you; good for five minutes and one try; asks for a sign-in of the last ten minutes
         * @description Needs the scope `write`.
         */
        post: operations["passkeys_options"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys/{passkey}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Forget one of your passkeys; sessions that it began go on; asks for a sign-in of the last ten minutes
         * @description Needs the scope `write`.
         */
        delete: operations["passkeys_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/pipelines/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A pipeline's latest blocks and its revisions
         * @description Needs the scope `read`.
         */
        get: operations["pipelines_get"];
        put?: never;
        post?: never;
        /**
         * Take the meaning of a pipeline name away; runs that were given it keep it
         * @description Needs the scope `provision`.
         */
        delete: operations["pipelines_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/pipelines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Pipeline names with their latest revision
         * @description Needs the scope `read`.
         */
        get: operations["pipelines_list"];
        put?: never;
        /**
         * Register blocks under a name; items that name it get exactly these, whatever it means later
         * @description Needs the scope `provision`.
         */
        post: operations["pipelines_register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Runs, newest first
         * @description Needs the scope `read`.
         */
        get: operations["runs_list"];
        put?: never;
        /**
         * Validate a plan and start a run of it
         * @description Needs the scope `write`.
         */
        post: operations["plans_submit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/plans/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report every problem of a plan without starting anything
         * @description Needs the scope `read`.
         */
        post: operations["plans_validate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/principals/{principal}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable an agent or a service with all its credentials, or enable it again
         * @description Needs the scope `system`.
         */
        post: operations["principals_access"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/principals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * People, agents and services, in the order they came
         * @description Needs the scope `system`.
         */
        get: operations["principals_list"];
        put?: never;
        /**
         * Create an agent or a service with its first credential
         * @description Needs the scope `system`.
         */
        post: operations["principals_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a project: what it has can be read, and nothing of it starts or changes
         * @description Needs the scope `system`.
         */
        post: operations["projects_archive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Projects by their keys: those that are not archived, or those that are
         * @description Needs the scope `read`.
         */
        get: operations["projects_list"];
        put?: never;
        /**
         * Create a project; its key is for ever
         * @description Needs the scope `system`.
         */
        post: operations["projects_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A project
         * @description Needs the scope `read`.
         */
        get: operations["projects_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A project's policy, as it is now or in one of its revisions
         * @description Needs the scope `read`.
         */
        get: operations["projects_policy_get"];
        /**
         * Replace a project's policy, when it is still the revision it was made from
         * @description Needs the scope `write`.
         */
        put: operations["projects_policy_set"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/policy/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every revision of a project's policy, newest first
         * @description Needs the scope `read`.
         */
        get: operations["projects_policy_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take up an archived project again
         * @description Needs the scope `system`.
         */
        post: operations["projects_restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/queues/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One queue and the runs that use its slots
         * @description Needs the scope `read`.
         */
        get: operations["queues_get"];
        /**
         * Create a queue, or change how many of its items run at once; what runs already goes on
         * @description Needs the scope `provision`.
         */
        put: operations["queues_set"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Queues with their limits and what they use
         * @description Needs the scope `read`.
         */
        get: operations["queues_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/queues/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let nothing more of a queue start; what runs finishes
         * @description Needs the scope `provision`.
         */
        post: operations["queues_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/queues/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a paused queue go on
         * @description Needs the scope `provision`.
         */
        post: operations["queues_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/repository/changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is changed in the work tree now, and what that touches
         * @description Needs the scope `write`.
         */
        get: operations["repo_changed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/repository/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was decided: messages of commits that hold a text, and closed reviews where they are at hand
         * @description Needs the scope `write`.
         */
        get: operations["repo_decisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/repository/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is known of a file: risk, what changes with it, links, tests, decisions
         * @description Needs the scope `write`.
         */
        get: operations["repo_explain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/repository/handoff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What whoever goes on has to know: task, change, checks
         * @description Needs the scope `write`.
         */
        get: operations["repo_handoff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/repository/map": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The most important files and what they define, within a budget of tokens
         * @description Needs the scope `write`.
         */
        get: operations["repo_map"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/repository/neighbors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The files that change in the same commits as a file
         * @description Needs the scope `write`.
         */
        get: operations["repo_neighbors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/repository/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Before a file is edited: in which steps, what to read and what to run
         * @description Needs the scope `write`.
         */
        get: operations["repo_plan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/repository/preflight": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Before a task is begun: the files it is about, how safe each is, what to read and what to run
         * @description Needs the scope `write`.
         */
        get: operations["repo_preflight"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/repository/review": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every file that is changed since a commit, the most urgent first
         * @description Needs the scope `write`.
         */
        get: operations["repo_review"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/repository/risk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The files where changes go wrong most easily
         * @description Needs the scope `write`.
         */
        get: operations["repo_risk"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/repository/safe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether a file can be edited as it is
         * @description Needs the scope `write`.
         */
        get: operations["repo_safe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reporters/{reporter}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The job that a reporter tells of, and whether its process may be started now
         * @description Needs the bearer of that reporter.
         */
        get: operations["reporters_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reporters/{reporter}/observations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report what became of a job; each report has a greater number than the one before
         * @description Needs the bearer of that reporter.
         */
        post: operations["reporters_observe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reporters/{reporter}/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew the lease of a job while the session that registered it is open
         * @description Needs the bearer of that reporter.
         */
        post: operations["reporters_renew"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/runs/{run}/items/{item}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer an agent's question; its item goes on with the answer
         * @description Needs the scope `approve`.
         */
        post: operations["requests_answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/runs/{run}/items/{item}/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve or deny what a plan asks a person to decide
         * @description Needs the scope `approve`.
         */
        post: operations["requests_decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What people are asked: open questions and approvals of every run, oldest first
         * @description Needs the scope `read`.
         */
        get: operations["requests_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/runs/{run}/budget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the limits of a run under way; a limit that is not named stays as it is
         * @description Needs the scope `approve`.
         */
        put: operations["runs_budget"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/runs/{run}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a run, or one item of it; running work is really stopped
         * @description Needs the scope `write`.
         */
        post: operations["runs_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/runs/{run}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A run's committed events after a position
         * @description Needs the scope `read`.
         */
        get: operations["runs_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/runs/{run}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add items to an open-ended run
         * @description Needs the scope `write`.
         */
        post: operations["runs_extend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/runs/{run}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One run with its items
         * @description Needs the scope `read`.
         */
        get: operations["runs_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/runs/{run}/items/{item}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An item's redacted output, live or finished
         * @description Needs the scope `read`.
         */
        get: operations["runs_logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/runs/{run}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let nothing more of a run start; what runs finishes
         * @description Needs the scope `write`.
         */
        post: operations["runs_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/runs/{run}/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Patches and outputs of the finished items, in dependency order
         * @description Needs the scope `read`.
         */
        get: operations["runs_products"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/runs/{run}/rerun": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a new run of a finished run's plan, on the same base
         * @description Needs the scope `write`.
         */
        post: operations["runs_rerun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/runs/{run}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a paused run go on
         * @description Needs the scope `write`.
         */
        post: operations["runs_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Schedules by name
         * @description Needs the scope `read`.
         */
        get: operations["schedules_list"];
        put?: never;
        /**
         * Start runs of a plan at the times a cron expression names
         * @description Needs the scope `provision`.
         */
        post: operations["schedules_add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/schedules/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One schedule, its next due times and what became of the last ones
         * @description Needs the scope `read`.
         */
        get: operations["schedules_get"];
        put?: never;
        post?: never;
        /**
         * Forget a schedule; its runs stay
         * @description Needs the scope `provision`.
         */
        delete: operations["schedules_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/schedules/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let nothing of a schedule start until it is resumed; what runs goes on
         * @description Needs the scope `provision`.
         */
        post: operations["schedules_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/schedules/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a paused or suspended schedule go on with its next due time
         * @description Needs the scope `provision`.
         */
        post: operations["schedules_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/schedules/{name}/run-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a run of a schedule's plan now, whatever its times and state
         * @description Needs the scope `provision`.
         */
        post: operations["schedules_run_now"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stored secrets by name and version, without values
         * @description Needs the scope `provision`.
         */
        get: operations["secrets_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/secrets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Store a secret encrypted under a name; an existing name gets a new version
         * @description Needs the scope `provision`.
         */
        put: operations["secrets_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/sinks/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Keep results no longer for a sink that no program opens again
         * @description Needs the scope `system`.
         */
        delete: operations["sinks_forget"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/storage/collect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove now what housekeeping would remove: expired data, and content nothing refers to
         * @description Needs the scope `system`.
         */
        post: operations["storage_collect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the attempts that ended used, by agent, model, queue or actor
         * @description Needs the scope `read`.
         */
        get: operations["usage_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/webhook-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages to webhook endpoints, newest first
         * @description Needs the scope `provision`.
         */
        get: operations["webhooks_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/webhooks/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One webhook endpoint and its last messages
         * @description Needs the scope `provision`.
         */
        get: operations["webhooks_get"];
        /**
         * Create a webhook endpoint, change it, replace its key, or enable it again
         * @description Needs the scope `provision`.
         */
        put: operations["webhooks_set"];
        post?: never;
        /**
         * Forget a webhook endpoint; what waits for it becomes undelivered
         * @description Needs the scope `provision`.
         */
        delete: operations["webhooks_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Webhook endpoints by name
         * @description Needs the scope `provision`.
         */
        get: operations["webhooks_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/webhook-deliveries/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send messages again, under the ids they had
         * @description Needs the scope `provision`.
         */
        post: operations["webhooks_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/webhooks/{name}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one signed message to a webhook endpoint now, and say how it was received
         * @description Needs the scope `provision`.
         */
        post: operations["webhooks_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description RFC 9457 problem document */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            code: string;
            request_id: string;
            /** @description Whether the same call may succeed later unchanged */
            retryable: boolean;
            why?: string;
            /** @description The action that helps */
            next?: string;
            /** @description Where it is said how to get a credential */
            help_path?: string;
            issues?: {
                path: string;
                message: string;
            }[];
        };
        agents_register_input__schema0: unknown;
        auth_passkey_login_options_output__schema0: unknown;
        deployments_apply_input__schema0: unknown;
        events_subscribe_output__schema0: unknown;
        evidence_trust_root_output__schema0: unknown;
        passkeys_options_output__schema0: unknown;
        runs_events_output__schema0: unknown;
        runs_logs_output__schema0: unknown;
    };
    responses: {
        /** @description invalid_cursor, invalid_input */
        Problem_400_invalid_cursor_invalid_input: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "invalid_cursor" | "invalid_input";
                };
            };
        };
        /** @description invalid_input */
        Problem_400_invalid_input: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "invalid_input";
                };
            };
        };
        /** @description invalid_input, unsafe_path */
        Problem_400_invalid_input_unsafe_path: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "invalid_input" | "unsafe_path";
                };
            };
        };
        /** @description authentication_required */
        Problem_401_authentication_required: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "authentication_required";
                };
            };
        };
        /** @description operation_not_permitted */
        Problem_403_operation_not_permitted: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "operation_not_permitted";
                };
            };
        };
        /** @description operation_not_permitted, policy_denied */
        Problem_403_operation_not_permitted_policy_denied: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "operation_not_permitted" | "policy_denied";
                };
            };
        };
        /** @description operation_not_permitted, reauthentication_required */
        Problem_403_operation_not_permitted_reauthentication_required: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "operation_not_permitted" | "reauthentication_required";
                };
            };
        };
        /** @description not_found */
        Problem_404_not_found: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "not_found";
                };
            };
        };
        /** @description not_found, secret_missing */
        Problem_404_not_found_secret_missing: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "not_found" | "secret_missing";
                };
            };
        };
        /** @description already_exists, ambiguous_id, clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, invalid_state, project_archived, requirements_unmet */
        Problem_409_already_exists_ambiguous_id_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived_requirements_unmet: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "already_exists" | "ambiguous_id" | "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "invalid_state" | "project_archived" | "requirements_unmet";
                };
            };
        };
        /** @description already_exists, clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired */
        Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "already_exists" | "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired";
                };
            };
        };
        /** @description already_exists, clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, idempotency_secret_mismatch */
        Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_idempotency_secret_mismatch: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "already_exists" | "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "idempotency_secret_mismatch";
                };
            };
        };
        /** @description already_exists, clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, invalid_state, project_archived */
        Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "already_exists" | "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "invalid_state" | "project_archived";
                };
            };
        };
        /** @description already_exists, clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, invalid_state, project_archived, session_closed */
        Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived_session_closed: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "already_exists" | "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "invalid_state" | "project_archived" | "session_closed";
                };
            };
        };
        /** @description already_exists, clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, invalid_state, requirements_unmet */
        Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_requirements_unmet: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "already_exists" | "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "invalid_state" | "requirements_unmet";
                };
            };
        };
        /** @description already_exists, clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, project_archived */
        Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "already_exists" | "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "project_archived";
                };
            };
        };
        /** @description already_exists, clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, project_archived, requirements_unmet */
        Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived_requirements_unmet: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "already_exists" | "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "project_archived" | "requirements_unmet";
                };
            };
        };
        /** @description already_exists, clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, project_archived, requirements_unmet, stale_revision */
        Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived_requirements_unmet_stale_revision: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "already_exists" | "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "project_archived" | "requirements_unmet" | "stale_revision";
                };
            };
        };
        /** @description ambiguous_id */
        Problem_409_ambiguous_id: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "ambiguous_id";
                };
            };
        };
        /** @description ambiguous_id, clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, invalid_state, project_archived */
        Problem_409_ambiguous_id_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "ambiguous_id" | "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "invalid_state" | "project_archived";
                };
            };
        };
        /** @description ambiguous_id, clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, invalid_state, project_archived, stale_revision */
        Problem_409_ambiguous_id_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived_stale_revision: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "ambiguous_id" | "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "invalid_state" | "project_archived" | "stale_revision";
                };
            };
        };
        /** @description ambiguous_id, invalid_state */
        Problem_409_ambiguous_id_invalid_state: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "ambiguous_id" | "invalid_state";
                };
            };
        };
        /** @description clock_incident_changed, clock_not_paused, clock_reconciliation_required, clock_still_untrusted, idempotency_mismatch, idempotency_result_expired */
        Problem_409_clock_incident_changed_clock_not_paused_clock_reconciliation_required_clock_still_untrusted_idempotency_mismatch_idempotency_result_expired: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "clock_incident_changed" | "clock_not_paused" | "clock_reconciliation_required" | "clock_still_untrusted" | "idempotency_mismatch" | "idempotency_result_expired";
                };
            };
        };
        /** @description clock_reconciliation_required, credential_not_revoked, idempotency_mismatch, idempotency_result_expired */
        Problem_409_clock_reconciliation_required_credential_not_revoked_idempotency_mismatch_idempotency_result_expired: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "clock_reconciliation_required" | "credential_not_revoked" | "idempotency_mismatch" | "idempotency_result_expired";
                };
            };
        };
        /** @description clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired */
        Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired";
                };
            };
        };
        /** @description clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, invalid_state */
        Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "invalid_state";
                };
            };
        };
        /** @description clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, invalid_state, lease_conflict, project_archived, session_closed */
        Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_lease_conflict_project_archived_session_closed: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "invalid_state" | "lease_conflict" | "project_archived" | "session_closed";
                };
            };
        };
        /** @description clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, invalid_state, requirements_unmet */
        Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_requirements_unmet: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "invalid_state" | "requirements_unmet";
                };
            };
        };
        /** @description clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, invalid_state, stale_revision */
        Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_stale_revision: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "invalid_state" | "stale_revision";
                };
            };
        };
        /** @description clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, last_active_admin, stale_revision */
        Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_last_active_admin_stale_revision: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "last_active_admin" | "stale_revision";
                };
            };
        };
        /** @description clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, lease_held */
        Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_lease_held: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "lease_held";
                };
            };
        };
        /** @description clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, project_active, project_archived */
        Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_active_project_archived: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "project_active" | "project_archived";
                };
            };
        };
        /** @description clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, project_archived */
        Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "project_archived";
                };
            };
        };
        /** @description clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, project_archived, project_not_archived */
        Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived_project_not_archived: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "project_archived" | "project_not_archived";
                };
            };
        };
        /** @description clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, project_archived, stale_revision */
        Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived_stale_revision: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "project_archived" | "stale_revision";
                };
            };
        };
        /** @description clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, requirements_unmet, stale_revision */
        Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_requirements_unmet_stale_revision: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "requirements_unmet" | "stale_revision";
                };
            };
        };
        /** @description clock_reconciliation_required, idempotency_mismatch, idempotency_result_expired, stale_revision */
        Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_stale_revision: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "clock_reconciliation_required" | "idempotency_mismatch" | "idempotency_result_expired" | "stale_revision";
                };
            };
        };
        /** @description requirements_unmet */
        Problem_409_requirements_unmet: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "requirements_unmet";
                };
            };
        };
        /** @description too_large */
        Problem_413_too_large: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "too_large";
                };
            };
        };
        /** @description unsupported_media_type */
        Problem_415_unsupported_media_type: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "unsupported_media_type";
                };
            };
        };
        /** @description credential_in_text */
        Problem_422_credential_in_text: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "credential_in_text";
                };
            };
        };
        /** @description credential_in_text, invalid_plan */
        Problem_422_credential_in_text_invalid_plan: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "credential_in_text" | "invalid_plan";
                };
            };
        };
        /** @description concurrency_exceeded, rate_limited */
        Problem_429_concurrency_exceeded_rate_limited: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "concurrency_exceeded" | "rate_limited";
                };
            };
        };
        /** @description rate_limited */
        Problem_429_rate_limited: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "rate_limited";
                };
            };
        };
        /** @description integrity_mismatch, internal */
        Problem_500_integrity_mismatch_internal: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "integrity_mismatch" | "internal";
                };
            };
        };
        /** @description integrity_mismatch, internal, master_key_missing */
        Problem_500_integrity_mismatch_internal_master_key_missing: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "integrity_mismatch" | "internal" | "master_key_missing";
                };
            };
        };
        /** @description integrity_mismatch, internal, master_key_missing, secret_undecryptable */
        Problem_500_integrity_mismatch_internal_master_key_missing_secret_undecryptable: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "integrity_mismatch" | "internal" | "master_key_missing" | "secret_undecryptable";
                };
            };
        };
        /** @description integrity_mismatch, internal, secret_undecryptable */
        Problem_500_integrity_mismatch_internal_secret_undecryptable: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "integrity_mismatch" | "internal" | "secret_undecryptable";
                };
            };
        };
        /** @description upstream_failed */
        Problem_502_upstream_failed: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "upstream_failed";
                };
            };
        };
        /** @description database_busy, overloaded */
        Problem_503_database_busy_overloaded: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "database_busy" | "overloaded";
                };
            };
        };
        /** @description timed_out */
        Problem_504_timed_out: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "timed_out";
                };
            };
        };
        /** @description storage_full */
        Problem_507_storage_full: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Server-Time": components["headers"]["Server-Time"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "storage_full";
                };
            };
        };
    };
    parameters: {
        /** @description Random, and the same again when the call is repeated because its answer was lost */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description Names this request in the log */
        "Request-Id": string;
        /** @description For correlation alone: no lease is judged by it */
        "Server-Time": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    account_email: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        email?: string;
                        verified_at?: number;
                        /** @enum {string} */
                        status: "missing" | "unverified" | "verified";
                        sent_at?: number;
                        /** @enum {string} */
                        send_error?: "mail_not_configured" | "send_failed";
                        link_expires_at?: number;
                        resend_available_at?: number;
                        mail_configured: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    account_set_email: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expected_revision: number;
                    /** Format: email */
                    email: string;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        email?: string;
                        verified_at?: number;
                        /** @enum {string} */
                        status: "missing" | "unverified" | "verified";
                        sent_at?: number;
                        /** @enum {string} */
                        send_error?: "mail_not_configured" | "send_failed";
                        link_expires_at?: number;
                        resend_available_at?: number;
                        mail_configured: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_reauthentication_required"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_stale_revision"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    account_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        /** @enum {string} */
                        kind: "human" | "agent" | "service";
                        /** @enum {string} */
                        role?: "admin" | "operator";
                        enabled: boolean;
                        disabled_at?: number;
                        revision: number;
                        created_at: number;
                        email?: string;
                        email_verified?: boolean;
                        email_verified_at?: number;
                        email_verification?: {
                            /** @enum {string} */
                            status: "missing" | "unverified" | "verified";
                            sent_at?: number;
                            /** @enum {string} */
                            send_error?: "mail_not_configured" | "send_failed";
                            link_expires_at?: number;
                            resend_available_at?: number;
                        };
                        mail_configured?: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    account_password: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    current_password: string;
                    new_password: string;
                    expected_revision: number;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        revision: number;
                        /** @constant */
                        signed_out: true;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_stale_revision"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    account_resend_email: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        email?: string;
                        verified_at?: number;
                        /** @enum {string} */
                        status: "missing" | "unverified" | "verified";
                        sent_at?: number;
                        /** @enum {string} */
                        send_error?: "mail_not_configured" | "send_failed";
                        link_expires_at?: number;
                        resend_available_at?: number;
                        mail_configured: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    agents_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        row: {
                            name: string;
                            revision: number;
                            hash: unknown;
                            registered_at: number;
                        } | null;
                        revisions: {
                            name: string;
                            revision: number;
                            hash: unknown;
                            registered_at: number;
                        }[];
                        agent: {
                            harness: string;
                            command?: string | string[];
                            model_endpoint?: string;
                            model?: string;
                            capabilities: {
                                name: string;
                                hash: unknown;
                            }[];
                            verify?: {
                                command: string;
                                timeout_ms?: number;
                            };
                            context_requires?: ({
                                /** @constant */
                                kind: "paths";
                                glob: string;
                                min_count?: number;
                            } | {
                                /** @constant */
                                kind: "exec";
                                bin: string;
                            } | {
                                /** @constant */
                                kind: "git";
                                /** @enum {string} */
                                needs: "worktree" | "history";
                            })[];
                            pipeline?: ({
                                /** @constant */
                                kind: "agent";
                            } | {
                                /** @constant */
                                kind: "script";
                                command: string;
                                timeout_ms?: number;
                                /** @enum {string} */
                                lens?: "gate" | "verify";
                            } | {
                                /** @constant */
                                kind: "capture";
                                /** @enum {string} */
                                what: "patch" | "outputs";
                            })[];
                            system_prompt_bytes?: number;
                            prompt_template_bytes?: number;
                        } | null;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    agents_remove: {
        parameters: {
            query?: {
                /** @description Answers what would be done, and does nothing */
                dry_run?: boolean;
            };
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        removed: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    agents_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            name: string;
                            revision: number;
                            hash: unknown;
                            registered_at: number;
                        }[];
                        has_more: boolean;
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_cursor_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    agents_register: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    system_prompt?: string;
                    prompt_template?: string;
                    model?: string;
                    run: {
                        /** @constant */
                        harness: "command";
                        command: string | string[];
                    } | {
                        /** @constant */
                        harness: "scripted";
                        steps: ({
                            /** @constant */
                            do: "write";
                            path: string;
                            text: string;
                            executable?: boolean;
                        } | {
                            /** @constant */
                            do: "append";
                            path: string;
                            text: string;
                        } | {
                            /** @constant */
                            do: "replace";
                            path: string;
                            find: string;
                            with: string;
                        } | {
                            /** @constant */
                            do: "delete";
                            path: string;
                        } | {
                            /** @constant */
                            do: "say";
                            text: string;
                        } | {
                            /** @constant */
                            do: "run";
                            command: string;
                            timeout_ms?: number;
                        } | {
                            /** @constant */
                            do: "sleep";
                            ms: number;
                        } | {
                            /** @constant */
                            do: "usage";
                            input_tokens?: number;
                            output_tokens?: number;
                            cost_usd?: number;
                            model?: string;
                        } | {
                            /** @constant */
                            do: "ask";
                            question: string;
                            options?: string[];
                            context?: string;
                            partial_state?: components["schemas"]["agents_register_input__schema0"];
                        } | {
                            /** @constant */
                            do: "exit";
                            code: number;
                        })[];
                    } | {
                        /** @constant */
                        harness: "claude-code";
                        model_endpoint?: string;
                        /** Format: starts_with */
                        program?: string;
                        resume?: boolean;
                        may_ask?: boolean;
                        trust_repository?: boolean;
                        result_schema?: {
                            /** @constant */
                            type: "object";
                        } & {
                            [key: string]: unknown;
                        };
                        /** @enum {string} */
                        permission?: "bypass" | "accept-edits" | "strict" | "plan";
                        allowed_tools?: string[];
                        max_turns?: number;
                        max_cost_usd?: number;
                        /** @enum {string} */
                        auth?: "subscription" | "api-key";
                    } | {
                        /** @constant */
                        harness: "codex";
                        model_endpoint?: string;
                        /** Format: starts_with */
                        program?: string;
                        resume?: boolean;
                        may_ask?: boolean;
                        trust_repository?: boolean;
                        result_schema?: {
                            /** @constant */
                            type: "object";
                        } & {
                            [key: string]: unknown;
                        };
                        /** @enum {string} */
                        permission?: "bypass" | "accept-edits" | "strict";
                    } | {
                        /** @constant */
                        harness: "acp";
                        /** Format: starts_with */
                        program: string;
                        args?: string[];
                        model_endpoint?: string;
                        model_env?: {
                            [key: string]: string;
                        };
                        /** @enum {string} */
                        permission?: "bypass" | "accept-edits" | "strict";
                        mode?: string;
                    };
                    capabilities?: string[];
                    verify?: {
                        command: string;
                        timeout_ms?: number;
                    };
                    context_requires?: ({
                        /** @constant */
                        kind: "paths";
                        glob: string;
                        min_count?: number;
                    } | {
                        /** @constant */
                        kind: "exec";
                        bin: string;
                    } | {
                        /** @constant */
                        kind: "git";
                        /** @enum {string} */
                        needs: "worktree" | "history";
                    })[];
                    pipeline?: ({
                        /** @constant */
                        kind: "agent";
                    } | {
                        /** @constant */
                        kind: "script";
                        command: string;
                        timeout_ms?: number;
                        /** @enum {string} */
                        lens?: "gate" | "verify";
                    } | {
                        /** @constant */
                        kind: "capture";
                        /** @enum {string} */
                        what: "patch" | "outputs";
                    })[];
                    allow_credential_patterns?: string[];
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        revision: number;
                        hash: unknown;
                        created: boolean;
                        warnings?: {
                            path: string;
                            message: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    agents_rebind: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        revision: number;
                        hash: unknown;
                        created: boolean;
                        warnings?: {
                            path: string;
                            message: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    agents_stale: {
        parameters: {
            query?: {
                /** @description Name of what is asked about */
                name?: string;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            agent: string;
                            agent_hash: unknown;
                            capability: string;
                            bound: unknown;
                            latest: unknown;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    artifacts_get: {
        parameters: {
            query?: {
                /** @description Id of a run, or the beginning of one that no other run shares */
                run?: string;
                /** @description Where the part asked for starts, bytes */
                offset?: number;
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Address of content, `sha256:…` */
                ref: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ref: unknown;
                        size: number;
                        offset: number;
                        base64: string;
                        next_offset?: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    audit_list: {
        parameters: {
            query?: {
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            actor: string;
                            principal: string | null;
                            credential: string | null;
                            class: (("interactive" | "supervised" | "integrator") | "browser") | null;
                            target: string;
                            /** @enum {string} */
                            outcome: "done" | "refused";
                            code?: string;
                            request?: string;
                            replaces?: string;
                            seq: number;
                            at: number;
                            /** @enum {string} */
                            action: "principal.created" | "principal.access_set" | "credential.issued" | "credential.rotated" | "credential.revoked" | "credential.hidden" | "operator.created" | "operator.access_set" | "operator.password_changed" | "operator.password_reset" | "operator.email_set" | "operator.email_verified" | "operator.password_recovered" | "browser.signed_in" | "browser.signed_out" | "browser.session_revoked" | "harness_session.registered" | "harness_session.closed" | "harness_session.idle_closed" | "job.registered" | "job.state_changed" | "passkey.registered" | "passkey.deleted" | "clock.reconciled" | "installation.restored" | "project.created" | "project.archived" | "project.restored" | "project.policy_set";
                            method?: string;
                            initiator_kind?: string;
                            reason?: string;
                            snapshot_at?: number;
                        }[];
                        has_more: boolean;
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_cursor_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    auth_login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    username: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        actor: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "human" | "agent" | "service";
                            /** @enum {string} */
                            role?: "admin" | "operator";
                            enabled: boolean;
                            disabled_at?: number;
                            revision: number;
                            created_at: number;
                        };
                        csrf_token: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    auth_logout: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        signed_out: true;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    auth_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        actor: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "human" | "agent" | "service";
                            /** @enum {string} */
                            role?: "admin" | "operator";
                            enabled: boolean;
                            disabled_at?: number;
                            revision: number;
                            created_at: number;
                        };
                        csrf_token: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    auth_passkey_login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    challenge_id: string;
                    credential: {
                        id: string;
                        response: {
                            clientDataJSON: string;
                            authenticatorData: string;
                            signature: string;
                            userHandle?: string | null;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        actor: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "human" | "agent" | "service";
                            /** @enum {string} */
                            role?: "admin" | "operator";
                            enabled: boolean;
                            disabled_at?: number;
                            revision: number;
                            created_at: number;
                        };
                        csrf_token: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    auth_passkey_login_options: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        challenge_id: string;
                        options: components["schemas"]["auth_passkey_login_options_output__schema0"];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    auth_password_forgot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email: string;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        requested: true;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    browser_sessions_list: {
        parameters: {
            query?: {
                /** @description Id of a principal, `prn_…` */
                principal?: string;
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            id: string;
                            principal: string;
                            created_at: number;
                            expires_at: number;
                            revoked_at?: number;
                            current: boolean;
                        }[];
                        has_more: boolean;
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_cursor_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    browser_sessions_revoke: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a session: `bses_…` of a browser, `hses_…` of an agent */
                session: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        principal: string;
                        created_at: number;
                        expires_at: number;
                        revoked_at?: number;
                        current: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    capabilities_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        row: {
                            name: string;
                            revision: number;
                            hash: unknown;
                            registered_at: number;
                        } | null;
                        revisions: {
                            name: string;
                            revision: number;
                            hash: unknown;
                            registered_at: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    capabilities_remove: {
        parameters: {
            query?: {
                /** @description Answers what would be done, and does nothing */
                dry_run?: boolean;
            };
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        removed: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    capabilities_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            name: string;
                            revision: number;
                            hash: unknown;
                            registered_at: number;
                        }[];
                        has_more: boolean;
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_cursor_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    capabilities_register: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    files: {
                        path: string;
                        base64: string;
                        executable?: boolean;
                    }[];
                    allow_credential_patterns?: string[];
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        revision: number;
                        hash: unknown;
                        created: boolean;
                        warnings?: {
                            path: string;
                            message: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input_unsafe_path"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    clock_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "trusted" | "clock_reconciliation";
                        rollback_threshold_ms: number;
                        ahead_ms?: number;
                        incident?: {
                            id: string;
                            observed_wall_time: number;
                            high_water_time: number;
                            recovered_at?: number;
                            recovered_by?: string;
                            recovery_reason?: string;
                        };
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    clock_reconcile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    incident_id: string;
                    reason: string;
                    keep_ahead?: boolean;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "trusted" | "clock_reconciliation";
                        rollback_threshold_ms: number;
                        ahead_ms?: number;
                        incident?: {
                            id: string;
                            observed_wall_time: number;
                            high_water_time: number;
                            recovered_at?: number;
                            recovered_by?: string;
                            recovery_reason?: string;
                        };
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_incident_changed_clock_not_paused_clock_reconciliation_required_clock_still_untrusted_idempotency_mismatch_idempotency_result_expired"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    credentials_hide: {
        parameters: {
            query?: {
                /** @description Answers what would be done, and does nothing */
                dry_run?: boolean;
            };
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a credential, `crd_…` */
                credential: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        principal: string;
                        principal_name: string;
                        name: string;
                        /** @enum {string} */
                        class: "interactive" | "supervised" | "integrator";
                        scopes: ("read" | "write" | "approve" | "provision" | "system")[];
                        only_project: string | null;
                        created_at: number;
                        expires_at?: number;
                        revoked_at?: number;
                        hidden: boolean;
                        last_used_at?: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_credential_not_revoked_idempotency_mismatch_idempotency_result_expired"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    credentials_issue: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a principal, `prn_…` */
                principal: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @enum {string} */
                    class?: "interactive" | "supervised" | "integrator";
                    scopes?: ("read" | "write" | "approve" | "provision" | "system")[];
                    only_project?: string | null;
                    expires_in_ms?: number | null;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        principal: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "human" | "agent" | "service";
                            /** @enum {string} */
                            role?: "admin" | "operator";
                            enabled: boolean;
                            disabled_at?: number;
                            revision: number;
                            created_at: number;
                        };
                        credential: {
                            id: string;
                            principal: string;
                            principal_name: string;
                            name: string;
                            /** @enum {string} */
                            class: "interactive" | "supervised" | "integrator";
                            scopes: ("read" | "write" | "approve" | "provision" | "system")[];
                            only_project: string | null;
                            created_at: number;
                            expires_at?: number;
                            revoked_at?: number;
                            hidden: boolean;
                            last_used_at?: number;
                        };
                        token?: string;
                        /** @constant */
                        secret_unavailable?: true;
                        next?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    credentials_list: {
        parameters: {
            query?: {
                /** @description Id of a principal, `prn_…` */
                principal?: string;
                /** @description Also those that were hidden */
                hidden?: boolean;
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            id: string;
                            principal: string;
                            principal_name: string;
                            name: string;
                            /** @enum {string} */
                            class: "interactive" | "supervised" | "integrator";
                            scopes: ("read" | "write" | "approve" | "provision" | "system")[];
                            only_project: string | null;
                            created_at: number;
                            expires_at?: number;
                            revoked_at?: number;
                            hidden: boolean;
                            last_used_at?: number;
                        }[];
                        has_more: boolean;
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_cursor_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    credentials_revoke: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a credential, `crd_…` */
                credential: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        principal: string;
                        principal_name: string;
                        name: string;
                        /** @enum {string} */
                        class: "interactive" | "supervised" | "integrator";
                        scopes: ("read" | "write" | "approve" | "provision" | "system")[];
                        only_project: string | null;
                        created_at: number;
                        expires_at?: number;
                        revoked_at?: number;
                        hidden: boolean;
                        last_used_at?: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    credentials_rotate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a credential, `crd_…` */
                credential: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    revoke_old?: boolean;
                    expires_in_ms?: number | null;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        principal: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "human" | "agent" | "service";
                            /** @enum {string} */
                            role?: "admin" | "operator";
                            enabled: boolean;
                            disabled_at?: number;
                            revision: number;
                            created_at: number;
                        };
                        credential: {
                            id: string;
                            principal: string;
                            principal_name: string;
                            name: string;
                            /** @enum {string} */
                            class: "interactive" | "supervised" | "integrator";
                            scopes: ("read" | "write" | "approve" | "provision" | "system")[];
                            only_project: string | null;
                            created_at: number;
                            expires_at?: number;
                            revoked_at?: number;
                            hidden: boolean;
                            last_used_at?: number;
                        };
                        token?: string;
                        /** @constant */
                        secret_unavailable?: true;
                        next?: string;
                        replaced_credential_id: string;
                        replaced_credential_revoked: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    deployments_apply: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    entries: ({
                        /** @constant */
                        kind: "capability";
                        input: {
                            name: string;
                            files: {
                                path: string;
                                base64: string;
                                executable?: boolean;
                            }[];
                            allow_credential_patterns?: string[];
                        };
                    } | {
                        /** @constant */
                        kind: "model-endpoint";
                        input: {
                            name: string;
                            /** @enum {string} */
                            kind: "anthropic" | "openai";
                            url: string;
                            secret: string;
                            /** @enum {string} */
                            credential?: "api-key" | "subscription";
                            private?: boolean;
                            default_model?: string | ("fast" | "standard" | "max");
                            models?: {
                                [key: string]: string;
                            };
                        };
                    } | {
                        /** @constant */
                        kind: "env";
                        input: {
                            name: string;
                            values?: {
                                [key: string]: string;
                            };
                            secrets?: {
                                [key: string]: {
                                    ref: string;
                                } | {
                                    inline: string;
                                    ttl_ms?: number;
                                };
                            };
                            allow_credential_patterns?: string[];
                        };
                    } | {
                        /** @constant */
                        kind: "pipeline";
                        input: {
                            name: string;
                            blocks: ({
                                /** @constant */
                                kind: "agent";
                            } | {
                                /** @constant */
                                kind: "script";
                                command: string;
                                timeout_ms?: number;
                                /** @enum {string} */
                                lens?: "gate" | "verify";
                            } | {
                                /** @constant */
                                kind: "capture";
                                /** @enum {string} */
                                what: "patch" | "outputs";
                            })[];
                            allow_credential_patterns?: string[];
                        };
                    } | {
                        /** @constant */
                        kind: "agent";
                        input: {
                            name: string;
                            system_prompt?: string;
                            prompt_template?: string;
                            model?: string;
                            run: {
                                /** @constant */
                                harness: "command";
                                command: string | string[];
                            } | {
                                /** @constant */
                                harness: "scripted";
                                steps: ({
                                    /** @constant */
                                    do: "write";
                                    path: string;
                                    text: string;
                                    executable?: boolean;
                                } | {
                                    /** @constant */
                                    do: "append";
                                    path: string;
                                    text: string;
                                } | {
                                    /** @constant */
                                    do: "replace";
                                    path: string;
                                    find: string;
                                    with: string;
                                } | {
                                    /** @constant */
                                    do: "delete";
                                    path: string;
                                } | {
                                    /** @constant */
                                    do: "say";
                                    text: string;
                                } | {
                                    /** @constant */
                                    do: "run";
                                    command: string;
                                    timeout_ms?: number;
                                } | {
                                    /** @constant */
                                    do: "sleep";
                                    ms: number;
                                } | {
                                    /** @constant */
                                    do: "usage";
                                    input_tokens?: number;
                                    output_tokens?: number;
                                    cost_usd?: number;
                                    model?: string;
                                } | {
                                    /** @constant */
                                    do: "ask";
                                    question: string;
                                    options?: string[];
                                    context?: string;
                                    partial_state?: components["schemas"]["deployments_apply_input__schema0"];
                                } | {
                                    /** @constant */
                                    do: "exit";
                                    code: number;
                                })[];
                            } | {
                                /** @constant */
                                harness: "claude-code";
                                model_endpoint?: string;
                                /** Format: starts_with */
                                program?: string;
                                resume?: boolean;
                                may_ask?: boolean;
                                trust_repository?: boolean;
                                result_schema?: {
                                    /** @constant */
                                    type: "object";
                                } & {
                                    [key: string]: unknown;
                                };
                                /** @enum {string} */
                                permission?: "bypass" | "accept-edits" | "strict" | "plan";
                                allowed_tools?: string[];
                                max_turns?: number;
                                max_cost_usd?: number;
                                /** @enum {string} */
                                auth?: "subscription" | "api-key";
                            } | {
                                /** @constant */
                                harness: "codex";
                                model_endpoint?: string;
                                /** Format: starts_with */
                                program?: string;
                                resume?: boolean;
                                may_ask?: boolean;
                                trust_repository?: boolean;
                                result_schema?: {
                                    /** @constant */
                                    type: "object";
                                } & {
                                    [key: string]: unknown;
                                };
                                /** @enum {string} */
                                permission?: "bypass" | "accept-edits" | "strict";
                            } | {
                                /** @constant */
                                harness: "acp";
                                /** Format: starts_with */
                                program: string;
                                args?: string[];
                                model_endpoint?: string;
                                model_env?: {
                                    [key: string]: string;
                                };
                                /** @enum {string} */
                                permission?: "bypass" | "accept-edits" | "strict";
                                mode?: string;
                            };
                            capabilities?: string[];
                            verify?: {
                                command: string;
                                timeout_ms?: number;
                            };
                            context_requires?: ({
                                /** @constant */
                                kind: "paths";
                                glob: string;
                                min_count?: number;
                            } | {
                                /** @constant */
                                kind: "exec";
                                bin: string;
                            } | {
                                /** @constant */
                                kind: "git";
                                /** @enum {string} */
                                needs: "worktree" | "history";
                            })[];
                            pipeline?: ({
                                /** @constant */
                                kind: "agent";
                            } | {
                                /** @constant */
                                kind: "script";
                                command: string;
                                timeout_ms?: number;
                                /** @enum {string} */
                                lens?: "gate" | "verify";
                            } | {
                                /** @constant */
                                kind: "capture";
                                /** @enum {string} */
                                what: "patch" | "outputs";
                            })[];
                            allow_credential_patterns?: string[];
                        };
                    } | {
                        /** @constant */
                        kind: "queue";
                        input: {
                            name: string;
                            concurrency: number;
                        };
                    })[];
                    prune?: true | {
                        /** @enum {string} */
                        kind: "capability" | "model-endpoint" | "env" | "pipeline" | "agent" | "queue";
                        name: string;
                    }[];
                    adopt?: boolean;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name?: string;
                        dry_run: boolean;
                        complete: boolean;
                        data: {
                            /** @enum {string} */
                            kind: "capability" | "model-endpoint" | "env" | "pipeline" | "agent" | "queue";
                            name: string;
                            /** @enum {string} */
                            action: "create" | "update" | "unchanged" | "remove" | "keep";
                            before?: unknown;
                            after?: unknown;
                            changed?: string[];
                            /** @enum {string} */
                            outcome: "planned" | "done" | "failed" | "not_reached";
                            error?: {
                                /** @enum {string} */
                                code: "invalid_input" | "invalid_cursor" | "invalid_plan" | "not_canonical" | "unsafe_path" | "credential_in_text" | "too_large" | "invalid_model_output" | "not_found" | "ambiguous_id" | "invalid_state" | "already_exists" | "stale_revision" | "idempotency_mismatch" | "idempotency_secret_mismatch" | "idempotency_result_expired" | "last_active_admin" | "project_archived" | "project_not_archived" | "project_active" | "session_closed" | "credential_not_revoked" | "lease_conflict" | "lease_held" | "ledger_sealed" | "patch_conflict" | "target_dirty" | "requirements_unmet" | "unpinned_image" | "authentication_required" | "reauthentication_required" | "operation_not_permitted" | "unsupported_media_type" | "rate_limited" | "overloaded" | "policy_denied" | "approval_denied" | "concurrency_exceeded" | "setup_failed" | "start_failed" | "capture_failed" | "shape_violated" | "budget_exceeded" | "timed_out" | "canceled" | "worker_lost" | "provider_failed" | "upstream_failed" | "integrity_mismatch" | "secret_missing" | "secret_expired" | "secret_undecryptable" | "master_key_missing" | "evidence_invalid" | "clock_reconciliation_required" | "clock_incident_changed" | "clock_still_untrusted" | "clock_not_paused" | "database_newer" | "migration_changed" | "database_busy" | "storage_full" | "not_initialized" | "unsupported_runtime" | "internal";
                                message: string;
                                next?: string;
                            };
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input_unsafe_path"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found_secret_missing"];
            409: components["responses"]["Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal_master_key_missing"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    envs_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        row: {
                            name: string;
                            revision: number;
                            hash: unknown;
                            registered_at: number;
                        } | null;
                        revisions: {
                            name: string;
                            revision: number;
                            hash: unknown;
                            registered_at: number;
                        }[];
                        keys: {
                            key: string;
                            /** @enum {string} */
                            kind: "value" | "secret";
                            version?: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    envs_remove: {
        parameters: {
            query?: {
                /** @description Answers what would be done, and does nothing */
                dry_run?: boolean;
            };
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        removed: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    envs_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            name: string;
                            revision: number;
                            hash: unknown;
                            registered_at: number;
                        }[];
                        has_more: boolean;
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_cursor_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    envs_register: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    values?: {
                        [key: string]: string;
                    };
                    secrets?: {
                        [key: string]: {
                            ref: string;
                        } | {
                            inline: string;
                            ttl_ms?: number;
                        };
                    };
                    allow_credential_patterns?: string[];
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        revision: number;
                        hash: unknown;
                        created: boolean;
                        warnings?: {
                            path: string;
                            message: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found_secret_missing"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal_master_key_missing"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    events_subscribe: {
        parameters: {
            query: {
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string[];
                /** @description Id of the last frame that arrived; the subscription goes on behind it */
                after?: string;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        seq: number;
                        type: string;
                        at: number;
                        data: {
                            [key: string]: components["schemas"]["events_subscribe_output__schema0"];
                        };
                        hash: string;
                        id: string;
                        run_id: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_ambiguous_id"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    evidence_export: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        entries: {
                            at: number;
                            data: unknown;
                            hash: string;
                            seq: number;
                            type: string;
                        }[];
                        /** @constant */
                        format: "palisade.evidence/1";
                        items: {
                            attempts: number;
                            id: string;
                            result_ref?: unknown;
                            status: string;
                        }[];
                        log: {
                            checkpoint: string;
                            leaf_index: number;
                            proof: string[];
                            timestamp?: string;
                            tree_size: number;
                        };
                        manifests: unknown[];
                        run_id: string;
                        seal: {
                            payload: string;
                            payloadType: string;
                            signatures: {
                                keyid: string;
                                sig: string;
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_ambiguous_id_invalid_state"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    evidence_revoke_key: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a key that signs evidence */
                keyid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    since: number;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keyid: string;
                        revoked_at: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    evidence_rotate_key: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    keyid?: string;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        retired: string;
                        keyid?: string;
                        at?: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_requirements_unmet_stale_revision"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    evidence_status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        log_origin: string;
                        leaves: number;
                        attesters: {
                            name: string;
                            /** @enum {string} */
                            kind: "timestamp" | "witness";
                            leaves: number;
                            attested_at?: number;
                            /** @constant */
                            unverified?: true;
                            failures: number;
                            error?: string;
                            next_try_at?: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    evidence_trust_root: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        trust_root: components["schemas"]["evidence_trust_root_output__schema0"];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    harness_sessions_close: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a session: `bses_…` of a browser, `hses_…` of an agent */
                session: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        session_id: string;
                        workstation_id: string;
                        harness: string;
                        capabilities: string[];
                        principal: string;
                        credential: string;
                        subagent?: {
                            project: string;
                            name: string;
                            parent_session: string;
                            identity: string;
                        };
                        launch: string | null;
                        created_at: number;
                        last_activity_at: number;
                        closed_at?: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    harness_sessions_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a session: `bses_…` of a browser, `hses_…` of an agent */
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        session_id: string;
                        workstation_id: string;
                        harness: string;
                        capabilities: string[];
                        principal: string;
                        credential: string;
                        subagent?: {
                            project: string;
                            name: string;
                            parent_session: string;
                            identity: string;
                        };
                        launch: string | null;
                        created_at: number;
                        last_activity_at: number;
                        closed_at?: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    harness_sessions_list: {
        parameters: {
            query?: {
                /** @description Only those in which something was changed within so many hours; 24 when absent, 0 for all */
                active_within_hours?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        active_within_hours: number;
                        generated_at: number;
                        truncated: boolean;
                        data: {
                            session_id: string;
                            workstation_id: string;
                            harness: string;
                            capabilities: string[];
                            principal: string;
                            credential: string;
                            subagent?: {
                                project: string;
                                name: string;
                                parent_session: string;
                                identity: string;
                            };
                            launch: string | null;
                            created_at: number;
                            last_activity_at: number;
                            closed_at?: number;
                            principal_name: string;
                            /** @enum {string} */
                            principal_kind: "human" | "agent" | "service";
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    harness_sessions_register: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    session_id: string;
                    workstation_id: string;
                    harness: string;
                    capabilities: string[];
                    subagent?: {
                        project: string;
                        name: string;
                        parent_session: string;
                    };
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        session_id: string;
                        workstation_id: string;
                        harness: string;
                        capabilities: string[];
                        principal: string;
                        credential: string;
                        subagent?: {
                            project: string;
                            name: string;
                            parent_session: string;
                            identity: string;
                        };
                        launch: string | null;
                        created_at: number;
                        last_activity_at: number;
                        closed_at?: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived_session_closed"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    help_authentication: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        summary: string;
                        steps: string[];
                        examples: {
                            title: string;
                            request: string;
                        }[];
                        remedies: {
                            code: string;
                            remedy: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    info_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        product: "palisade";
                        product_version: string;
                        /** @constant */
                        api_version: "v1";
                        instruction_version: number;
                        openapi: string;
                        authentication_help: string;
                        agent_startup: {
                            /** @constant */
                            schema: 2;
                            guide: string;
                            mcp: {
                                instructions: string;
                            };
                        };
                        mcp: {
                            path: string;
                        };
                        client_compatibility: {
                            api_versions: string[];
                            mcp_protocol_versions: string[];
                            capabilities: string[];
                            compatible_client: {
                                name: string;
                                version: string;
                                source_commit?: string;
                            };
                            verified_packages: {
                                target: string;
                                release: string;
                                /** Format: uri */
                                download: string;
                                sha256: string;
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    jobs_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a job, `pjob_…` */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        producer_id: string;
                        principal: string;
                        session: string;
                        workstation_id: string;
                        label: string;
                        source_revision?: string;
                        source_tree?: string;
                        /** @enum {string} */
                        state: "registered" | "running" | "unknown" | "succeeded" | "failed" | "not_started";
                        /** @enum {string} */
                        freshness: "unobserved" | "fresh" | "stale" | "final";
                        last_observation?: {
                            sequence: number;
                            /** @enum {string} */
                            state: "running" | "unknown" | "succeeded" | "failed" | "not_started";
                            pid?: number;
                            process_started_at?: string;
                            exit_code?: number;
                            inputs_unchanged?: boolean;
                            summary?: string;
                            observed_at: number;
                        };
                        registered_at: number;
                        reporter: {
                            id: string;
                            expires_at: number;
                            lease_until?: number;
                            renew_until: number;
                        };
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    jobs_list: {
        parameters: {
            query?: {
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description Only those in one of these states */
                state?: ("registered" | "running" | "unknown" | "succeeded" | "failed" | "not_started")[];
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            id: string;
                            producer_id: string;
                            principal: string;
                            session: string;
                            workstation_id: string;
                            label: string;
                            source_revision?: string;
                            source_tree?: string;
                            /** @enum {string} */
                            state: "registered" | "running" | "unknown" | "succeeded" | "failed" | "not_started";
                            /** @enum {string} */
                            freshness: "unobserved" | "fresh" | "stale" | "final";
                            last_observation?: {
                                sequence: number;
                                /** @enum {string} */
                                state: "running" | "unknown" | "succeeded" | "failed" | "not_started";
                                pid?: number;
                                process_started_at?: string;
                                exit_code?: number;
                                inputs_unchanged?: boolean;
                                summary?: string;
                                observed_at: number;
                            };
                            registered_at: number;
                            reporter: {
                                id: string;
                                expires_at: number;
                                lease_until?: number;
                                renew_until: number;
                            };
                        }[];
                        has_more: boolean;
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_cursor_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    jobs_register: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    job_id: string;
                    producer_id: string;
                    reporter_id: string;
                    reporter_verifier: string;
                    workstation_id: string;
                    label: string;
                    source_revision?: string;
                    source_tree?: string;
                    renew_for_seconds: number;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        job: {
                            id: string;
                            producer_id: string;
                            principal: string;
                            session: string;
                            workstation_id: string;
                            label: string;
                            source_revision?: string;
                            source_tree?: string;
                            /** @enum {string} */
                            state: "registered" | "running" | "unknown" | "succeeded" | "failed" | "not_started";
                            /** @enum {string} */
                            freshness: "unobserved" | "fresh" | "stale" | "final";
                            last_observation?: {
                                sequence: number;
                                /** @enum {string} */
                                state: "running" | "unknown" | "succeeded" | "failed" | "not_started";
                                pid?: number;
                                process_started_at?: string;
                                exit_code?: number;
                                inputs_unchanged?: boolean;
                                summary?: string;
                                observed_at: number;
                            };
                            registered_at: number;
                            reporter: {
                                id: string;
                                expires_at: number;
                                lease_until?: number;
                                renew_until: number;
                            };
                        };
                        renew_after_seconds?: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    messages_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string;
                /** @description Id of an item of the run */
                item: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            id: string;
                            run_id: string;
                            item: string;
                            seq: number;
                            bytes: number;
                            hash: unknown;
                            sent_by: string;
                            sent_at: number;
                            body: string;
                            delivered: {
                                attempt: number;
                                at: number;
                            }[];
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_ambiguous_id"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    messages_send: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string;
                /** @description Id of an item of the run */
                item: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    body: string;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: {
                            id: string;
                            run_id: string;
                            item: string;
                            seq: number;
                            bytes: number;
                            hash: unknown;
                            sent_by: string;
                            sent_at: number;
                        };
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_ambiguous_id_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    metrics_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            name: string;
                            /** @enum {string} */
                            type: "counter" | "gauge" | "histogram";
                            help: string;
                            samples: {
                                name: string;
                                labels: {
                                    [key: string]: string;
                                };
                                value: number;
                            }[];
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    model_endpoints_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        row: {
                            name: string;
                            revision: number;
                            hash: unknown;
                            registered_at: number;
                        } | null;
                        revisions: {
                            name: string;
                            revision: number;
                            hash: unknown;
                            registered_at: number;
                        }[];
                        endpoint: {
                            name: string;
                            /** @enum {string} */
                            kind: "anthropic" | "openai";
                            url: string;
                            /** @enum {string} */
                            credential: "api-key" | "subscription";
                            private?: boolean;
                            default_model?: string | ("fast" | "standard" | "max");
                            models?: {
                                [key: string]: string;
                            };
                        } | null;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    model_endpoints_remove: {
        parameters: {
            query?: {
                /** @description Answers what would be done, and does nothing */
                dry_run?: boolean;
            };
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        removed: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    model_endpoints_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            name: string;
                            revision: number;
                            hash: unknown;
                            registered_at: number;
                        }[];
                        has_more: boolean;
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_cursor_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    model_endpoints_register: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @enum {string} */
                    kind: "anthropic" | "openai";
                    url: string;
                    secret: string;
                    /** @enum {string} */
                    credential?: "api-key" | "subscription";
                    private?: boolean;
                    default_model?: string | ("fast" | "standard" | "max");
                    models?: {
                        [key: string]: string;
                    };
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        revision: number;
                        hash: unknown;
                        created: boolean;
                        warnings?: {
                            path: string;
                            message: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found_secret_missing"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal_master_key_missing"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    operators_access: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the account of a person */
                operator: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expected_revision: number;
                    /** @enum {string} */
                    role: "admin" | "operator";
                    enabled: boolean;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        /** @enum {string} */
                        kind: "human" | "agent" | "service";
                        /** @enum {string} */
                        role?: "admin" | "operator";
                        enabled: boolean;
                        disabled_at?: number;
                        revision: number;
                        created_at: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_last_active_admin_stale_revision"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    operators_list: {
        parameters: {
            query?: {
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "human" | "agent" | "service";
                            /** @enum {string} */
                            role?: "admin" | "operator";
                            enabled: boolean;
                            disabled_at?: number;
                            revision: number;
                            created_at: number;
                        }[];
                        has_more: boolean;
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_cursor_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    operators_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @enum {string} */
                    role: "admin" | "operator";
                    password: string;
                    /** Format: email */
                    email?: string;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        /** @enum {string} */
                        kind: "human" | "agent" | "service";
                        /** @enum {string} */
                        role?: "admin" | "operator";
                        enabled: boolean;
                        disabled_at?: number;
                        revision: number;
                        created_at: number;
                        email?: string;
                        email_verified?: boolean;
                        email_verified_at?: number;
                        email_verification?: {
                            /** @enum {string} */
                            status: "missing" | "unverified" | "verified";
                            sent_at?: number;
                            /** @enum {string} */
                            send_error?: "mail_not_configured" | "send_failed";
                            link_expires_at?: number;
                            resend_available_at?: number;
                        };
                        mail_configured?: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_idempotency_secret_mismatch"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    operators_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the account of a person */
                operator: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        /** @enum {string} */
                        kind: "human" | "agent" | "service";
                        /** @enum {string} */
                        role?: "admin" | "operator";
                        enabled: boolean;
                        disabled_at?: number;
                        revision: number;
                        created_at: number;
                        email?: string;
                        email_verified?: boolean;
                        email_verified_at?: number;
                        email_verification?: {
                            /** @enum {string} */
                            status: "missing" | "unverified" | "verified";
                            sent_at?: number;
                            /** @enum {string} */
                            send_error?: "mail_not_configured" | "send_failed";
                            link_expires_at?: number;
                            resend_available_at?: number;
                        };
                        mail_configured?: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    passkeys_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            id: string;
                            name: string;
                            created_at: number;
                            last_used_at?: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    passkeys_register: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    challenge_id: string;
                    name?: string;
                    credential: {
                        id: string;
                        response: {
                            clientDataJSON: string;
                            attestationObject: string;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        created_at: number;
                        last_used_at?: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_reauthentication_required"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    passkeys_options: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        challenge_id: string;
                        options: components["schemas"]["passkeys_options_output__schema0"];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_reauthentication_required"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    passkeys_remove: {
        parameters: {
            query?: {
                /** @description Answers what would be done, and does nothing */
                dry_run?: boolean;
            };
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a passkey */
                passkey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        created_at: number;
                        last_used_at?: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_reauthentication_required"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    pipelines_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        row: {
                            name: string;
                            revision: number;
                            hash: unknown;
                            registered_at: number;
                        } | null;
                        revisions: {
                            name: string;
                            revision: number;
                            hash: unknown;
                            registered_at: number;
                        }[];
                        blocks: ({
                            /** @constant */
                            kind: "agent";
                        } | {
                            /** @constant */
                            kind: "script";
                            command: string;
                            timeout_ms?: number;
                            /** @enum {string} */
                            lens?: "gate" | "verify";
                        } | {
                            /** @constant */
                            kind: "capture";
                            /** @enum {string} */
                            what: "patch" | "outputs";
                        })[] | null;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    pipelines_remove: {
        parameters: {
            query?: {
                /** @description Answers what would be done, and does nothing */
                dry_run?: boolean;
            };
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        removed: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    pipelines_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            name: string;
                            revision: number;
                            hash: unknown;
                            registered_at: number;
                        }[];
                        has_more: boolean;
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_cursor_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    pipelines_register: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    blocks: ({
                        /** @constant */
                        kind: "agent";
                    } | {
                        /** @constant */
                        kind: "script";
                        command: string;
                        timeout_ms?: number;
                        /** @enum {string} */
                        lens?: "gate" | "verify";
                    } | {
                        /** @constant */
                        kind: "capture";
                        /** @enum {string} */
                        what: "patch" | "outputs";
                    })[];
                    allow_credential_patterns?: string[];
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        revision: number;
                        hash: unknown;
                        created: boolean;
                        warnings?: {
                            path: string;
                            message: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    runs_list: {
        parameters: {
            query?: {
                /** @description Only those in one of these states */
                state?: ("queued" | "provisioning" | "running" | "waiting" | "completed" | "failed" | "canceled" | "timed_out" | "budget_exceeded")[];
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            id: string;
                            /** @enum {string} */
                            kind: "plan" | "command" | "agent";
                            title: string;
                            queue: string;
                            priority?: number;
                            /** @enum {string} */
                            state: "queued" | "provisioning" | "running" | "waiting" | "completed" | "failed" | "canceled" | "timed_out" | "budget_exceeded";
                            actor: string;
                            submitted_at: number;
                            started_at?: number;
                            finished_at?: number;
                            reason?: string;
                            cancel_requested: boolean;
                            paused?: {
                                at: number;
                                by: string;
                                reason?: string;
                                /** @constant */
                                queue?: true;
                            };
                            owned: boolean;
                            sealed: boolean;
                            trouble?: {
                                since: number;
                                at: number;
                                code: string;
                                message: string;
                                item?: string;
                            };
                            counts: {
                                [key: string]: number;
                            };
                            open?: boolean;
                            open_requests?: number;
                            wakes_at?: number;
                            workspace: {
                                /** @enum {string} */
                                kind: "git" | "empty";
                                repository?: string;
                                commit?: string;
                                branch?: string;
                            };
                            cost_usd?: number;
                            budget?: {
                                cost_usd?: number;
                                tokens?: number;
                                seconds?: number;
                                attempts?: number;
                                /** @enum {string} */
                                on_exceed?: "drain" | "stop";
                                /** @enum {string} */
                                unknown?: "allow" | "refuse";
                            };
                            spent?: {
                                cost_usd: number;
                                tokens: number;
                                seconds: number;
                                attempts: number;
                                unknown_cost: number;
                                unknown_tokens: number;
                            };
                            warnings?: string[];
                            rerun_of?: string;
                        }[];
                        has_more: boolean;
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_cursor_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    plans_submit: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description a plan, an object such as {"items": [{"id": "build", "command": "make", "depends_on": []}]}; an item has a command, or an agent and a prompt */
                    plan: unknown;
                    /** @description Absolute path, on the machine of the server, of the repository that the work is done in. Without it agents see an empty workspace */
                    repository?: string;
                    /** @description Any revision of that repository; HEAD when absent */
                    base?: string;
                    run_id?: string;
                    title?: string;
                    /** @description In place of the plan's */
                    priority?: number;
                    /** @description Sandbox provider by name; the strongest of the machine when absent */
                    sandbox?: string;
                    /** @description Model, by level or name, of items for which neither they nor their agent ask for one */
                    default_model?: string;
                    /** @description Refuse a sandbox that is no boundary */
                    require_isolation?: boolean;
                    /** @description The caller's half of the permission of a network; the item's is the other */
                    allow_network?: boolean;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        run_id: string;
                        created: boolean;
                        items: number;
                        sandbox: string;
                        /** @enum {string} */
                        isolation: "sandboxed" | "unsandboxed-host";
                        warnings: string[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text_invalid_plan"];
            429: components["responses"]["Problem_429_concurrency_exceeded_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            502: components["responses"]["Problem_502_upstream_failed"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    plans_validate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description a plan, an object such as {"items": [{"id": "build", "command": "make", "depends_on": []}]}; an item has a command, or an agent and a prompt */
                    plan: unknown;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ok: boolean;
                        items: number;
                        issues: {
                            path: string;
                            message: string;
                        }[];
                        warnings?: {
                            path: string;
                            message: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    principals_access: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a principal, `prn_…` */
                principal: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expected_revision: number;
                    enabled: boolean;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        /** @enum {string} */
                        kind: "human" | "agent" | "service";
                        /** @enum {string} */
                        role?: "admin" | "operator";
                        enabled: boolean;
                        disabled_at?: number;
                        revision: number;
                        created_at: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_stale_revision"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    principals_list: {
        parameters: {
            query?: {
                /** @description What kind to list */
                kind?: "human" | "agent" | "service";
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "human" | "agent" | "service";
                            /** @enum {string} */
                            role?: "admin" | "operator";
                            enabled: boolean;
                            disabled_at?: number;
                            revision: number;
                            created_at: number;
                        }[];
                        has_more: boolean;
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_cursor_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    principals_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @enum {string} */
                    kind: "agent" | "service";
                    credential?: string;
                    /** @enum {string} */
                    class?: "interactive" | "supervised" | "integrator";
                    scopes?: ("read" | "write" | "approve" | "provision" | "system")[];
                    only_project?: string | null;
                    expires_in_ms?: number | null;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        principal: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "human" | "agent" | "service";
                            /** @enum {string} */
                            role?: "admin" | "operator";
                            enabled: boolean;
                            disabled_at?: number;
                            revision: number;
                            created_at: number;
                        };
                        credential: {
                            id: string;
                            principal: string;
                            principal_name: string;
                            name: string;
                            /** @enum {string} */
                            class: "interactive" | "supervised" | "integrator";
                            scopes: ("read" | "write" | "approve" | "provision" | "system")[];
                            only_project: string | null;
                            created_at: number;
                            expires_at?: number;
                            revoked_at?: number;
                            hidden: boolean;
                            last_used_at?: number;
                        };
                        token?: string;
                        /** @constant */
                        secret_unavailable?: true;
                        next?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    projects_archive: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason: string;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        key: string;
                        title: string;
                        repository_url?: string;
                        target_branch?: string;
                        policy_revision: number;
                        created_at: number;
                        archived_at?: number;
                        archived_by?: string;
                        archive_reason?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_active_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    projects_list: {
        parameters: {
            query?: {
                /** @description Those that are archived, and no others */
                archived?: boolean;
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            key: string;
                            title: string;
                            repository_url?: string;
                            target_branch?: string;
                            policy_revision: number;
                            created_at: number;
                            archived_at?: number;
                            archived_by?: string;
                            archive_reason?: string;
                        }[];
                        only_project: string | null;
                        has_more: boolean;
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_cursor_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    projects_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    key: string;
                    title?: string;
                    repository_url?: string;
                    target_branch?: string;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        key: string;
                        title: string;
                        repository_url?: string;
                        target_branch?: string;
                        policy_revision: number;
                        created_at: number;
                        archived_at?: number;
                        archived_by?: string;
                        archive_reason?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    projects_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        key: string;
                        title: string;
                        repository_url?: string;
                        target_branch?: string;
                        policy_revision: number;
                        created_at: number;
                        archived_at?: number;
                        archived_by?: string;
                        archive_reason?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    projects_policy_get: {
        parameters: {
            query?: {
                /** @description Number of a revision; the one that holds when absent */
                revision?: number;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        revision: number;
                        policy: {
                            /** @enum {string} */
                            review_mode: "agent" | "human" | "both" | "either" | "none";
                            /** @enum {string} */
                            recovery_mode: "agent" | "manual";
                            lease_seconds: number;
                            rules: string;
                            agent_rule_editing: boolean;
                            automatic_integration: boolean;
                            allow_subagent_reviews: boolean;
                            allow_relayed_human_answers: boolean;
                            /** @enum {string} */
                            integration_owner: "agent" | "integrator";
                            max_attempt_seconds: 0 | number;
                        };
                        actor?: string;
                        set_at: number;
                        provenance?: {
                            kind: string;
                            source?: string;
                            reason?: string;
                        };
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    projects_policy_set: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    review_mode: "agent" | "human" | "both" | "either" | "none";
                    /** @enum {string} */
                    recovery_mode: "agent" | "manual";
                    lease_seconds: number;
                    rules: string;
                    agent_rule_editing: boolean;
                    automatic_integration: boolean;
                    allow_subagent_reviews?: boolean;
                    allow_relayed_human_answers?: boolean;
                    /** @enum {string} */
                    integration_owner?: "agent" | "integrator";
                    max_attempt_seconds?: 0 | number;
                    expected_revision: number;
                    provenance?: {
                        kind: string;
                        source?: string;
                        reason?: string;
                    };
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        revision: number;
                        policy: {
                            /** @enum {string} */
                            review_mode: "agent" | "human" | "both" | "either" | "none";
                            /** @enum {string} */
                            recovery_mode: "agent" | "manual";
                            lease_seconds: number;
                            rules: string;
                            agent_rule_editing: boolean;
                            automatic_integration: boolean;
                            allow_subagent_reviews: boolean;
                            allow_relayed_human_answers: boolean;
                            /** @enum {string} */
                            integration_owner: "agent" | "integrator";
                            max_attempt_seconds: 0 | number;
                        };
                        actor?: string;
                        set_at: number;
                        provenance?: {
                            kind: string;
                            source?: string;
                            reason?: string;
                        };
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived_stale_revision"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    projects_policy_history: {
        parameters: {
            query?: {
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            revision: number;
                            policy: {
                                /** @enum {string} */
                                review_mode: "agent" | "human" | "both" | "either" | "none";
                                /** @enum {string} */
                                recovery_mode: "agent" | "manual";
                                lease_seconds: number;
                                rules: string;
                                agent_rule_editing: boolean;
                                automatic_integration: boolean;
                                allow_subagent_reviews: boolean;
                                allow_relayed_human_answers: boolean;
                                /** @enum {string} */
                                integration_owner: "agent" | "integrator";
                                max_attempt_seconds: 0 | number;
                            };
                            actor?: string;
                            set_at: number;
                            provenance?: {
                                kind: string;
                                source?: string;
                                reason?: string;
                            };
                        }[];
                        has_more: boolean;
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_cursor_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    projects_restore: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason: string;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        key: string;
                        title: string;
                        repository_url?: string;
                        target_branch?: string;
                        policy_revision: number;
                        created_at: number;
                        archived_at?: number;
                        archived_by?: string;
                        archive_reason?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived_project_not_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    queues_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        queue: {
                            name: string;
                            concurrency: number;
                            used: number;
                            wants?: number;
                            paused?: {
                                at: number;
                                by: string;
                                reason?: string;
                            };
                            rate?: {
                                starts: number;
                                window_seconds: number;
                                left: number;
                                next_at?: number;
                            };
                            open_runs?: {
                                count: number;
                                limit: number;
                            };
                            max_priority?: number;
                        };
                        runs: {
                            run_id: string;
                            used: number;
                            wants?: number;
                            since?: number;
                            priority?: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    queues_set: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    concurrency?: number;
                    rate?: {
                        starts: number;
                        window_seconds: number;
                    } | null;
                    max_open_runs?: number | null;
                    max_priority?: number;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        concurrency: number;
                        previous?: number;
                        rate?: {
                            starts: number;
                            window_seconds: number;
                        };
                        max_open_runs?: number;
                        max_priority?: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    queues_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            name: string;
                            concurrency: number;
                            used: number;
                            wants?: number;
                            paused?: {
                                at: number;
                                by: string;
                                reason?: string;
                            };
                            rate?: {
                                starts: number;
                                window_seconds: number;
                                left: number;
                                next_at?: number;
                            };
                            open_runs?: {
                                count: number;
                                limit: number;
                            };
                            max_priority?: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    queues_pause: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    reason?: string;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        accepted: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    queues_resume: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        accepted: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    repo_changed: {
        parameters: {
            query?: {
                /** @description Absolute path, on the machine of the server, of the repository that is asked about; default: the one that is served */
                repository?: string;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        summary: string;
                        /** @enum {string} */
                        index_status: "missing" | "indexed" | "stale";
                        recommended_next_command: string;
                        freshness: {
                            /** @enum {string} */
                            index_status: "missing" | "indexed" | "stale";
                            indexed_at: number | null;
                            indexed_branch: string | null;
                            last_indexed_commit: string | null;
                            current_branch: string | null;
                            current_commit: string | null;
                            working_tree_dirty: boolean;
                            working_tree_file_count: number;
                            is_stale: boolean;
                            readonly reasons: string[];
                        };
                        evidence: {
                            readonly sources: string[];
                            readonly notes: string[];
                        };
                        readonly files: {
                            path: string;
                            working_tree_status: string;
                            /** @enum {string} */
                            risk_level: "low" | "medium" | "high" | "unknown";
                            readonly suggested_tests: string[];
                            readonly blast_radius: string[];
                        }[];
                        task: {
                            goal: string;
                            readonly scope_paths: string[];
                            started_at: number;
                            readonly in_scope_changed: string[];
                            readonly out_of_scope_changed: string[];
                            has_scope_drift: boolean;
                        } | null;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input_unsafe_path"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            504: components["responses"]["Problem_504_timed_out"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    repo_decisions: {
        parameters: {
            query: {
                /** @description A text that the message holds */
                query: string;
                /** @description Most entries of the answer */
                limit?: number;
                /** @description Absolute path, on the machine of the server, of the repository that is asked about; default: the one that is served */
                repository?: string;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        freshness: {
                            /** @enum {string} */
                            index_status: "missing" | "indexed" | "stale";
                            indexed_at: number | null;
                            indexed_branch: string | null;
                            last_indexed_commit: string | null;
                            current_branch: string | null;
                            current_commit: string | null;
                            working_tree_dirty: boolean;
                            working_tree_file_count: number;
                            is_stale: boolean;
                            readonly reasons: string[];
                        };
                        evidence: {
                            readonly sources: string[];
                            readonly notes: string[];
                        };
                        readonly data: {
                            /** @enum {string} */
                            source_type: "git" | "review";
                            source_ref: string;
                            title: string;
                            body: string;
                            committed_at: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input_unsafe_path"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            504: components["responses"]["Problem_504_timed_out"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    repo_explain: {
        parameters: {
            query: {
                /** @description A file of the repository, from its root */
                file: string;
                /** @description Absolute path, on the machine of the server, of the repository that is asked about; default: the one that is served */
                repository?: string;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        path: string;
                        freshness: {
                            /** @enum {string} */
                            index_status: "missing" | "indexed" | "stale";
                            indexed_at: number | null;
                            indexed_branch: string | null;
                            last_indexed_commit: string | null;
                            current_branch: string | null;
                            current_commit: string | null;
                            working_tree_dirty: boolean;
                            working_tree_file_count: number;
                            is_stale: boolean;
                            readonly reasons: string[];
                        };
                        evidence: {
                            readonly sources: string[];
                            readonly notes: string[];
                        };
                        readonly test_commands: string[];
                        verification: {
                            readonly fast: string[];
                            readonly safe: string[];
                            readonly full: string[];
                        };
                        confidence: {
                            /** @enum {string} */
                            level: "low" | "medium" | "high";
                            score: number;
                            readonly reasons: string[];
                        };
                        action_guidance: {
                            readonly inspect_first: string[];
                            readonly run_next: string[];
                            recommended_next_command: string;
                            safe_to_edit_alone: boolean;
                            must_review: boolean;
                            must_verify: boolean;
                            readonly ask_for_review_if: string[];
                            readonly stop_signals: string[];
                            readonly confidence_gaps: string[];
                            readonly boundary_warnings: string[];
                        };
                        risk: {
                            path: string;
                            score: number;
                            /** @enum {string} */
                            level: "low" | "medium" | "high" | "unknown";
                            churn_score: number;
                            recent_touch_count: number;
                            neighbor_count: number;
                            author_count: number;
                            fix_count: number;
                            last_touched_at: number | null;
                            readonly parts: {
                                [key: string]: number;
                            };
                            readonly reasons: string[];
                            readonly top_neighbors: {
                                path: string;
                                cochange_count: number;
                                recency_weight: number;
                                strength: number;
                                confidence: number;
                                lift: number;
                            }[];
                        };
                        summary: string;
                        readonly edit_checklist: string[];
                        readonly suggested_tests: string[];
                        readonly blast_radius: string[];
                        readonly structural_links: {
                            path: string;
                            kind: string;
                            reason: string;
                        }[];
                        readonly recent_commits: {
                            sha: string;
                            subject: string;
                            committed_at: number;
                        }[];
                        readonly decisions: {
                            /** @enum {string} */
                            source_type: "git" | "review";
                            source_ref: string;
                            title: string;
                            body: string;
                            committed_at: number;
                        }[];
                        readonly neighbors: {
                            path: string;
                            cochange_count: number;
                            recency_weight: number;
                            strength: number;
                            confidence: number;
                            lift: number;
                        }[];
                        readonly plumbing: {
                            path: string;
                            cochange_count: number;
                            recency_weight: number;
                            strength: number;
                            confidence: number;
                            lift: number;
                        }[];
                        readonly related_sessions?: {
                            id: string;
                            key: string;
                            /** @enum {string} */
                            harness: "claude-code" | "codex" | "gemini-cli" | "copilot" | "opencode";
                            git_branch: string | null;
                            updated_at: number;
                            untrusted_title: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input_unsafe_path"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            504: components["responses"]["Problem_504_timed_out"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    repo_handoff: {
        parameters: {
            query?: {
                /** @description What to compare with; default: the commit before this one */
                base?: string;
                /** @description Absolute path, on the machine of the server, of the repository that is asked about; default: the one that is served */
                repository?: string;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        summary: string;
                        freshness: {
                            /** @enum {string} */
                            index_status: "missing" | "indexed" | "stale";
                            indexed_at: number | null;
                            indexed_branch: string | null;
                            last_indexed_commit: string | null;
                            current_branch: string | null;
                            current_commit: string | null;
                            working_tree_dirty: boolean;
                            working_tree_file_count: number;
                            is_stale: boolean;
                            readonly reasons: string[];
                        };
                        evidence: {
                            readonly sources: string[];
                            readonly notes: string[];
                        };
                        review: {
                            base_ref: string;
                            head_ref: string | null;
                            summary: string;
                            freshness: {
                                /** @enum {string} */
                                index_status: "missing" | "indexed" | "stale";
                                indexed_at: number | null;
                                indexed_branch: string | null;
                                last_indexed_commit: string | null;
                                current_branch: string | null;
                                current_commit: string | null;
                                working_tree_dirty: boolean;
                                working_tree_file_count: number;
                                is_stale: boolean;
                                readonly reasons: string[];
                            };
                            evidence: {
                                readonly sources: string[];
                                readonly notes: string[];
                            };
                            readonly changed_files: {
                                path: string;
                                /** @enum {string} */
                                change_source: "committed" | "working_tree" | "untracked" | "committed+working_tree";
                                /** @enum {string} */
                                risk_level: "low" | "medium" | "high" | "unknown";
                                readonly top_reasons: string[];
                                readonly suggested_tests: string[];
                                readonly blast_radius: string[];
                                readonly boundary_labels: string[];
                                needs_review: boolean;
                                needs_tests: boolean;
                            }[];
                            readonly required_tests: string[];
                            readonly test_commands: string[];
                            verification: {
                                readonly fast: string[];
                                readonly safe: string[];
                                readonly full: string[];
                            };
                            confidence: {
                                /** @enum {string} */
                                level: "low" | "medium" | "high";
                                score: number;
                                readonly reasons: string[];
                            };
                            action_guidance: {
                                readonly inspect_first: string[];
                                readonly run_next: string[];
                                recommended_next_command: string;
                                safe_to_edit_alone: boolean;
                                must_review: boolean;
                                must_verify: boolean;
                                readonly ask_for_review_if: string[];
                                readonly stop_signals: string[];
                                readonly confidence_gaps: string[];
                                readonly boundary_warnings: string[];
                            };
                            task: {
                                goal: string;
                                readonly scope_paths: string[];
                                started_at: number;
                                readonly in_scope_changed: string[];
                                readonly out_of_scope_changed: string[];
                                has_scope_drift: boolean;
                            } | null;
                            readonly boundary_warnings: string[];
                            readonly verification_history: {
                                /** @enum {string} */
                                tier: "fast" | "safe" | "full";
                                command: string;
                                exit_code: number | null;
                                /** @enum {string} */
                                outcome: "passed" | "failed" | "timed_out" | "not_started";
                                duration_ms: number;
                                readonly changed_files: string[];
                                cwd: string;
                                commit: string | null;
                                branch: string | null;
                                ran_at: number;
                            }[];
                            readonly related_sessions?: {
                                id: string;
                                key: string;
                                /** @enum {string} */
                                harness: "claude-code" | "codex" | "gemini-cli" | "copilot" | "opencode";
                                git_branch: string | null;
                                updated_at: number;
                                untrusted_title: string;
                            }[];
                            readonly notes: string[];
                        };
                        changed_now: {
                            summary: string;
                            /** @enum {string} */
                            index_status: "missing" | "indexed" | "stale";
                            recommended_next_command: string;
                            freshness: {
                                /** @enum {string} */
                                index_status: "missing" | "indexed" | "stale";
                                indexed_at: number | null;
                                indexed_branch: string | null;
                                last_indexed_commit: string | null;
                                current_branch: string | null;
                                current_commit: string | null;
                                working_tree_dirty: boolean;
                                working_tree_file_count: number;
                                is_stale: boolean;
                                readonly reasons: string[];
                            };
                            evidence: {
                                readonly sources: string[];
                                readonly notes: string[];
                            };
                            readonly files: {
                                path: string;
                                working_tree_status: string;
                                /** @enum {string} */
                                risk_level: "low" | "medium" | "high" | "unknown";
                                readonly suggested_tests: string[];
                                readonly blast_radius: string[];
                            }[];
                            task: {
                                goal: string;
                                readonly scope_paths: string[];
                                started_at: number;
                                readonly in_scope_changed: string[];
                                readonly out_of_scope_changed: string[];
                                has_scope_drift: boolean;
                            } | null;
                        };
                        readonly next_actions: string[];
                        task: {
                            goal: string;
                            readonly scope_paths: string[];
                            started_at: number;
                            readonly in_scope_changed: string[];
                            readonly out_of_scope_changed: string[];
                            has_scope_drift: boolean;
                        } | null;
                        readonly verification_history: {
                            /** @enum {string} */
                            tier: "fast" | "safe" | "full";
                            command: string;
                            exit_code: number | null;
                            /** @enum {string} */
                            outcome: "passed" | "failed" | "timed_out" | "not_started";
                            duration_ms: number;
                            readonly changed_files: string[];
                            cwd: string;
                            commit: string | null;
                            branch: string | null;
                            ran_at: number;
                        }[];
                        readonly related_sessions?: {
                            id: string;
                            key: string;
                            /** @enum {string} */
                            harness: "claude-code" | "codex" | "gemini-cli" | "copilot" | "opencode";
                            git_branch: string | null;
                            updated_at: number;
                            untrusted_title: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input_unsafe_path"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            504: components["responses"]["Problem_504_timed_out"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    repo_map: {
        parameters: {
            query?: {
                /** @description About how long the text may be */
                tokens?: number;
                /** @description Files that matter now */
                around?: string[];
                /** @description Absolute path, on the machine of the server, of the repository that is asked about; default: the one that is served */
                repository?: string;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        freshness: {
                            /** @enum {string} */
                            index_status: "missing" | "indexed" | "stale";
                            indexed_at: number | null;
                            indexed_branch: string | null;
                            last_indexed_commit: string | null;
                            current_branch: string | null;
                            current_commit: string | null;
                            working_tree_dirty: boolean;
                            working_tree_file_count: number;
                            is_stale: boolean;
                            readonly reasons: string[];
                        };
                        evidence: {
                            readonly sources: string[];
                            readonly notes: string[];
                        };
                        tokens: number;
                        budget: number;
                        shown: number;
                        files: number;
                        text: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input_unsafe_path"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            504: components["responses"]["Problem_504_timed_out"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    repo_neighbors: {
        parameters: {
            query: {
                /** @description A file of the repository, from its root */
                file: string;
                /** @description Most entries of the answer */
                limit?: number;
                /** @description Absolute path, on the machine of the server, of the repository that is asked about; default: the one that is served */
                repository?: string;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        path: string;
                        freshness: {
                            /** @enum {string} */
                            index_status: "missing" | "indexed" | "stale";
                            indexed_at: number | null;
                            indexed_branch: string | null;
                            last_indexed_commit: string | null;
                            current_branch: string | null;
                            current_commit: string | null;
                            working_tree_dirty: boolean;
                            working_tree_file_count: number;
                            is_stale: boolean;
                            readonly reasons: string[];
                        };
                        evidence: {
                            readonly sources: string[];
                            readonly notes: string[];
                        };
                        readonly neighbors: {
                            path: string;
                            cochange_count: number;
                            recency_weight: number;
                            strength: number;
                            confidence: number;
                            lift: number;
                        }[];
                        readonly plumbing: {
                            path: string;
                            cochange_count: number;
                            recency_weight: number;
                            strength: number;
                            confidence: number;
                            lift: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input_unsafe_path"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            504: components["responses"]["Problem_504_timed_out"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    repo_plan: {
        parameters: {
            query: {
                /** @description A file of the repository, from its root */
                file: string;
                /** @description What the edit is for */
                goal?: string;
                /** @description Absolute path, on the machine of the server, of the repository that is asked about; default: the one that is served */
                repository?: string;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        path: string;
                        freshness: {
                            /** @enum {string} */
                            index_status: "missing" | "indexed" | "stale";
                            indexed_at: number | null;
                            indexed_branch: string | null;
                            last_indexed_commit: string | null;
                            current_branch: string | null;
                            current_commit: string | null;
                            working_tree_dirty: boolean;
                            working_tree_file_count: number;
                            is_stale: boolean;
                            readonly reasons: string[];
                        };
                        evidence: {
                            readonly sources: string[];
                            readonly notes: string[];
                        };
                        readonly test_commands: string[];
                        verification: {
                            readonly fast: string[];
                            readonly safe: string[];
                            readonly full: string[];
                        };
                        confidence: {
                            /** @enum {string} */
                            level: "low" | "medium" | "high";
                            score: number;
                            readonly reasons: string[];
                        };
                        action_guidance: {
                            readonly inspect_first: string[];
                            readonly run_next: string[];
                            recommended_next_command: string;
                            safe_to_edit_alone: boolean;
                            must_review: boolean;
                            must_verify: boolean;
                            readonly ask_for_review_if: string[];
                            readonly stop_signals: string[];
                            readonly confidence_gaps: string[];
                            readonly boundary_warnings: string[];
                        };
                        risk: {
                            path: string;
                            score: number;
                            /** @enum {string} */
                            level: "low" | "medium" | "high" | "unknown";
                            churn_score: number;
                            recent_touch_count: number;
                            neighbor_count: number;
                            author_count: number;
                            fix_count: number;
                            last_touched_at: number | null;
                            readonly parts: {
                                [key: string]: number;
                            };
                            readonly reasons: string[];
                            readonly top_neighbors: {
                                path: string;
                                cochange_count: number;
                                recency_weight: number;
                                strength: number;
                                confidence: number;
                                lift: number;
                            }[];
                        };
                        goal: string;
                        readonly steps: string[];
                        readonly files_to_inspect: string[];
                        readonly tests_to_run: string[];
                        readonly related_sessions?: {
                            id: string;
                            key: string;
                            /** @enum {string} */
                            harness: "claude-code" | "codex" | "gemini-cli" | "copilot" | "opencode";
                            git_branch: string | null;
                            updated_at: number;
                            untrusted_title: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input_unsafe_path"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            504: components["responses"]["Problem_504_timed_out"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    repo_preflight: {
        parameters: {
            query: {
                /** @description What is to be done */
                task: string;
                /** @description Files and folders that it is about; default: what is changed */
                scope?: string[];
                /** @description Absolute path, on the machine of the server, of the repository that is asked about; default: the one that is served */
                repository?: string;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        task: string;
                        summary: string;
                        readonly scope_paths: string[];
                        readonly unreadable: {
                            path: string;
                            reason: string;
                        }[];
                        changed_now: {
                            summary: string;
                            /** @enum {string} */
                            index_status: "missing" | "indexed" | "stale";
                            recommended_next_command: string;
                            freshness: {
                                /** @enum {string} */
                                index_status: "missing" | "indexed" | "stale";
                                indexed_at: number | null;
                                indexed_branch: string | null;
                                last_indexed_commit: string | null;
                                current_branch: string | null;
                                current_commit: string | null;
                                working_tree_dirty: boolean;
                                working_tree_file_count: number;
                                is_stale: boolean;
                                readonly reasons: string[];
                            };
                            evidence: {
                                readonly sources: string[];
                                readonly notes: string[];
                            };
                            readonly files: {
                                path: string;
                                working_tree_status: string;
                                /** @enum {string} */
                                risk_level: "low" | "medium" | "high" | "unknown";
                                readonly suggested_tests: string[];
                                readonly blast_radius: string[];
                            }[];
                            task: {
                                goal: string;
                                readonly scope_paths: string[];
                                started_at: number;
                                readonly in_scope_changed: string[];
                                readonly out_of_scope_changed: string[];
                                has_scope_drift: boolean;
                            } | null;
                        };
                        readonly safe: {
                            path: string;
                            freshness: {
                                /** @enum {string} */
                                index_status: "missing" | "indexed" | "stale";
                                indexed_at: number | null;
                                indexed_branch: string | null;
                                last_indexed_commit: string | null;
                                current_branch: string | null;
                                current_commit: string | null;
                                working_tree_dirty: boolean;
                                working_tree_file_count: number;
                                is_stale: boolean;
                                readonly reasons: string[];
                            };
                            evidence: {
                                readonly sources: string[];
                                readonly notes: string[];
                            };
                            readonly test_commands: string[];
                            verification: {
                                readonly fast: string[];
                                readonly safe: string[];
                                readonly full: string[];
                            };
                            confidence: {
                                /** @enum {string} */
                                level: "low" | "medium" | "high";
                                score: number;
                                readonly reasons: string[];
                            };
                            action_guidance: {
                                readonly inspect_first: string[];
                                readonly run_next: string[];
                                recommended_next_command: string;
                                safe_to_edit_alone: boolean;
                                must_review: boolean;
                                must_verify: boolean;
                                readonly ask_for_review_if: string[];
                                readonly stop_signals: string[];
                                readonly confidence_gaps: string[];
                                readonly boundary_warnings: string[];
                            };
                            risk: {
                                path: string;
                                score: number;
                                /** @enum {string} */
                                level: "low" | "medium" | "high" | "unknown";
                                churn_score: number;
                                recent_touch_count: number;
                                neighbor_count: number;
                                author_count: number;
                                fix_count: number;
                                last_touched_at: number | null;
                                readonly parts: {
                                    [key: string]: number;
                                };
                                readonly reasons: string[];
                                readonly top_neighbors: {
                                    path: string;
                                    cochange_count: number;
                                    recency_weight: number;
                                    strength: number;
                                    confidence: number;
                                    lift: number;
                                }[];
                            };
                            /** @enum {string} */
                            verdict: "safe_with_normal_review" | "review_neighbors_first" | "inspect_context_first";
                            summary: string;
                            readonly required_checks: string[];
                            readonly suggested_tests: string[];
                            readonly blast_radius: string[];
                        }[];
                        readonly risk_summary: {
                            path: string;
                            /** @enum {string} */
                            level: "low" | "medium" | "high" | "unknown";
                            score: number;
                            /** @enum {string} */
                            verdict: "safe_with_normal_review" | "review_neighbors_first" | "inspect_context_first";
                        }[];
                        readonly files_to_inspect: string[];
                        readonly test_commands: string[];
                        verification: {
                            readonly fast: string[];
                            readonly safe: string[];
                            readonly full: string[];
                        };
                        readonly agent_instructions: string[];
                        readonly next_actions: string[];
                        freshness: {
                            /** @enum {string} */
                            index_status: "missing" | "indexed" | "stale";
                            indexed_at: number | null;
                            indexed_branch: string | null;
                            last_indexed_commit: string | null;
                            current_branch: string | null;
                            current_commit: string | null;
                            working_tree_dirty: boolean;
                            working_tree_file_count: number;
                            is_stale: boolean;
                            readonly reasons: string[];
                        };
                        evidence: {
                            readonly sources: string[];
                            readonly notes: string[];
                        };
                        task_scope: {
                            goal: string;
                            readonly scope_paths: string[];
                            started_at: number;
                            readonly in_scope_changed: string[];
                            readonly out_of_scope_changed: string[];
                            has_scope_drift: boolean;
                        } | null;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input_unsafe_path"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            504: components["responses"]["Problem_504_timed_out"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    repo_review: {
        parameters: {
            query?: {
                /** @description What to compare with; default: the commit before this one */
                base?: string;
                /** @description Absolute path, on the machine of the server, of the repository that is asked about; default: the one that is served */
                repository?: string;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        base_ref: string;
                        head_ref: string | null;
                        summary: string;
                        freshness: {
                            /** @enum {string} */
                            index_status: "missing" | "indexed" | "stale";
                            indexed_at: number | null;
                            indexed_branch: string | null;
                            last_indexed_commit: string | null;
                            current_branch: string | null;
                            current_commit: string | null;
                            working_tree_dirty: boolean;
                            working_tree_file_count: number;
                            is_stale: boolean;
                            readonly reasons: string[];
                        };
                        evidence: {
                            readonly sources: string[];
                            readonly notes: string[];
                        };
                        readonly changed_files: {
                            path: string;
                            /** @enum {string} */
                            change_source: "committed" | "working_tree" | "untracked" | "committed+working_tree";
                            /** @enum {string} */
                            risk_level: "low" | "medium" | "high" | "unknown";
                            readonly top_reasons: string[];
                            readonly suggested_tests: string[];
                            readonly blast_radius: string[];
                            readonly boundary_labels: string[];
                            needs_review: boolean;
                            needs_tests: boolean;
                        }[];
                        readonly required_tests: string[];
                        readonly test_commands: string[];
                        verification: {
                            readonly fast: string[];
                            readonly safe: string[];
                            readonly full: string[];
                        };
                        confidence: {
                            /** @enum {string} */
                            level: "low" | "medium" | "high";
                            score: number;
                            readonly reasons: string[];
                        };
                        action_guidance: {
                            readonly inspect_first: string[];
                            readonly run_next: string[];
                            recommended_next_command: string;
                            safe_to_edit_alone: boolean;
                            must_review: boolean;
                            must_verify: boolean;
                            readonly ask_for_review_if: string[];
                            readonly stop_signals: string[];
                            readonly confidence_gaps: string[];
                            readonly boundary_warnings: string[];
                        };
                        task: {
                            goal: string;
                            readonly scope_paths: string[];
                            started_at: number;
                            readonly in_scope_changed: string[];
                            readonly out_of_scope_changed: string[];
                            has_scope_drift: boolean;
                        } | null;
                        readonly boundary_warnings: string[];
                        readonly verification_history: {
                            /** @enum {string} */
                            tier: "fast" | "safe" | "full";
                            command: string;
                            exit_code: number | null;
                            /** @enum {string} */
                            outcome: "passed" | "failed" | "timed_out" | "not_started";
                            duration_ms: number;
                            readonly changed_files: string[];
                            cwd: string;
                            commit: string | null;
                            branch: string | null;
                            ran_at: number;
                        }[];
                        readonly related_sessions?: {
                            id: string;
                            key: string;
                            /** @enum {string} */
                            harness: "claude-code" | "codex" | "gemini-cli" | "copilot" | "opencode";
                            git_branch: string | null;
                            updated_at: number;
                            untrusted_title: string;
                        }[];
                        readonly notes: string[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input_unsafe_path"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            504: components["responses"]["Problem_504_timed_out"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    repo_risk: {
        parameters: {
            query?: {
                /** @description Most entries of the answer */
                limit?: number;
                /** @description Absolute path, on the machine of the server, of the repository that is asked about; default: the one that is served */
                repository?: string;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        freshness: {
                            /** @enum {string} */
                            index_status: "missing" | "indexed" | "stale";
                            indexed_at: number | null;
                            indexed_branch: string | null;
                            last_indexed_commit: string | null;
                            current_branch: string | null;
                            current_commit: string | null;
                            working_tree_dirty: boolean;
                            working_tree_file_count: number;
                            is_stale: boolean;
                            readonly reasons: string[];
                        };
                        evidence: {
                            readonly sources: string[];
                            readonly notes: string[];
                        };
                        readonly files: {
                            path: string;
                            score: number;
                            /** @enum {string} */
                            level: "low" | "medium" | "high" | "unknown";
                            churn_score: number;
                            recent_touch_count: number;
                            neighbor_count: number;
                            author_count: number;
                            fix_count: number;
                            last_touched_at: number | null;
                            hotspot: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input_unsafe_path"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            504: components["responses"]["Problem_504_timed_out"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    repo_safe: {
        parameters: {
            query: {
                /** @description A file of the repository, from its root */
                file: string;
                /** @description Absolute path, on the machine of the server, of the repository that is asked about; default: the one that is served */
                repository?: string;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        path: string;
                        freshness: {
                            /** @enum {string} */
                            index_status: "missing" | "indexed" | "stale";
                            indexed_at: number | null;
                            indexed_branch: string | null;
                            last_indexed_commit: string | null;
                            current_branch: string | null;
                            current_commit: string | null;
                            working_tree_dirty: boolean;
                            working_tree_file_count: number;
                            is_stale: boolean;
                            readonly reasons: string[];
                        };
                        evidence: {
                            readonly sources: string[];
                            readonly notes: string[];
                        };
                        readonly test_commands: string[];
                        verification: {
                            readonly fast: string[];
                            readonly safe: string[];
                            readonly full: string[];
                        };
                        confidence: {
                            /** @enum {string} */
                            level: "low" | "medium" | "high";
                            score: number;
                            readonly reasons: string[];
                        };
                        action_guidance: {
                            readonly inspect_first: string[];
                            readonly run_next: string[];
                            recommended_next_command: string;
                            safe_to_edit_alone: boolean;
                            must_review: boolean;
                            must_verify: boolean;
                            readonly ask_for_review_if: string[];
                            readonly stop_signals: string[];
                            readonly confidence_gaps: string[];
                            readonly boundary_warnings: string[];
                        };
                        risk: {
                            path: string;
                            score: number;
                            /** @enum {string} */
                            level: "low" | "medium" | "high" | "unknown";
                            churn_score: number;
                            recent_touch_count: number;
                            neighbor_count: number;
                            author_count: number;
                            fix_count: number;
                            last_touched_at: number | null;
                            readonly parts: {
                                [key: string]: number;
                            };
                            readonly reasons: string[];
                            readonly top_neighbors: {
                                path: string;
                                cochange_count: number;
                                recency_weight: number;
                                strength: number;
                                confidence: number;
                                lift: number;
                            }[];
                        };
                        /** @enum {string} */
                        verdict: "safe_with_normal_review" | "review_neighbors_first" | "inspect_context_first";
                        summary: string;
                        readonly required_checks: string[];
                        readonly suggested_tests: string[];
                        readonly blast_radius: string[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input_unsafe_path"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            504: components["responses"]["Problem_504_timed_out"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    reporters_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a reporter, `rep_…` */
                reporter: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        job: {
                            id: string;
                            producer_id: string;
                            principal: string;
                            session: string;
                            workstation_id: string;
                            label: string;
                            source_revision?: string;
                            source_tree?: string;
                            /** @enum {string} */
                            state: "registered" | "running" | "unknown" | "succeeded" | "failed" | "not_started";
                            /** @enum {string} */
                            freshness: "unobserved" | "fresh" | "stale" | "final";
                            last_observation?: {
                                sequence: number;
                                /** @enum {string} */
                                state: "running" | "unknown" | "succeeded" | "failed" | "not_started";
                                pid?: number;
                                process_started_at?: string;
                                exit_code?: number;
                                inputs_unchanged?: boolean;
                                summary?: string;
                                observed_at: number;
                            };
                            registered_at: number;
                            reporter: {
                                id: string;
                                expires_at: number;
                                lease_until?: number;
                                renew_until: number;
                            };
                        };
                        launch_allowed: boolean;
                        lease_remaining_ms: number;
                        may_observe: boolean;
                        may_renew: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    reporters_observe: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a reporter, `rep_…` */
                reporter: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    sequence: number;
                    producer_id: string;
                    /** @enum {string} */
                    state: "running" | "unknown" | "succeeded" | "failed" | "not_started";
                    pid?: number;
                    process_started_at?: string;
                    exit_code?: number;
                    inputs_unchanged?: boolean;
                    summary?: string;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        job: {
                            id: string;
                            producer_id: string;
                            principal: string;
                            session: string;
                            workstation_id: string;
                            label: string;
                            source_revision?: string;
                            source_tree?: string;
                            /** @enum {string} */
                            state: "registered" | "running" | "unknown" | "succeeded" | "failed" | "not_started";
                            /** @enum {string} */
                            freshness: "unobserved" | "fresh" | "stale" | "final";
                            last_observation?: {
                                sequence: number;
                                /** @enum {string} */
                                state: "running" | "unknown" | "succeeded" | "failed" | "not_started";
                                pid?: number;
                                process_started_at?: string;
                                exit_code?: number;
                                inputs_unchanged?: boolean;
                                summary?: string;
                                observed_at: number;
                            };
                            registered_at: number;
                            reporter: {
                                id: string;
                                expires_at: number;
                                lease_until?: number;
                                renew_until: number;
                            };
                        };
                        launch_allowed: boolean;
                        lease_remaining_ms: number;
                        may_observe: boolean;
                        may_renew: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    reporters_renew: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of a reporter, `rep_…` */
                reporter: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        job: {
                            id: string;
                            producer_id: string;
                            principal: string;
                            session: string;
                            workstation_id: string;
                            label: string;
                            source_revision?: string;
                            source_tree?: string;
                            /** @enum {string} */
                            state: "registered" | "running" | "unknown" | "succeeded" | "failed" | "not_started";
                            /** @enum {string} */
                            freshness: "unobserved" | "fresh" | "stale" | "final";
                            last_observation?: {
                                sequence: number;
                                /** @enum {string} */
                                state: "running" | "unknown" | "succeeded" | "failed" | "not_started";
                                pid?: number;
                                process_started_at?: string;
                                exit_code?: number;
                                inputs_unchanged?: boolean;
                                summary?: string;
                                observed_at: number;
                            };
                            registered_at: number;
                            reporter: {
                                id: string;
                                expires_at: number;
                                lease_until?: number;
                                renew_until: number;
                            };
                        };
                        launch_allowed: boolean;
                        lease_remaining_ms: number;
                        may_observe: boolean;
                        may_renew: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_lease_conflict_project_archived_session_closed"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    requests_answer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string;
                /** @description Id of an item of the run */
                item: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    answer?: string;
                    option?: number;
                    hash?: string;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        request: {
                            id: string;
                            /** @enum {string} */
                            kind: "question" | "approval";
                            run_id: string;
                            run_title: string;
                            item: string;
                            attempt: number;
                            hash: unknown;
                            /** @enum {string} */
                            state: "open" | "expired" | "answered" | "approved" | "denied" | "withdrawn";
                            text: string;
                            options?: string[];
                            context?: string;
                            partial_state?: {
                                ref: unknown;
                                size: number;
                            };
                            patch?: unknown;
                            inputs?: ({
                                key: string;
                                from: string;
                                select: {
                                    /** @constant */
                                    kind: "patch";
                                } | {
                                    /** @constant */
                                    kind: "output";
                                    path: string;
                                };
                                ref: unknown;
                                applied: boolean;
                            } | {
                                key: string;
                                ref: unknown;
                                /** @constant */
                                applied: false;
                            })[];
                            role?: string;
                            four_eyes?: boolean;
                            distinct_from?: string[];
                            asked_at: number;
                            expires_at?: number;
                            /** @enum {string} */
                            on_expiry?: "deny" | "approve";
                            answered_at?: number;
                            answered_by?: string;
                            answer?: string;
                            option?: number;
                            /** @enum {string} */
                            decision?: "approve" | "deny" | "expire";
                            reason?: string;
                        };
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_ambiguous_id_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived_stale_revision"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    requests_decide: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string;
                /** @description Id of an item of the run */
                item: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    decision: "approve" | "deny";
                    hash?: string;
                    reason?: string;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        request: {
                            id: string;
                            /** @enum {string} */
                            kind: "question" | "approval";
                            run_id: string;
                            run_title: string;
                            item: string;
                            attempt: number;
                            hash: unknown;
                            /** @enum {string} */
                            state: "open" | "expired" | "answered" | "approved" | "denied" | "withdrawn";
                            text: string;
                            options?: string[];
                            context?: string;
                            partial_state?: {
                                ref: unknown;
                                size: number;
                            };
                            patch?: unknown;
                            inputs?: ({
                                key: string;
                                from: string;
                                select: {
                                    /** @constant */
                                    kind: "patch";
                                } | {
                                    /** @constant */
                                    kind: "output";
                                    path: string;
                                };
                                ref: unknown;
                                applied: boolean;
                            } | {
                                key: string;
                                ref: unknown;
                                /** @constant */
                                applied: false;
                            })[];
                            role?: string;
                            four_eyes?: boolean;
                            distinct_from?: string[];
                            asked_at: number;
                            expires_at?: number;
                            /** @enum {string} */
                            on_expiry?: "deny" | "approve";
                            answered_at?: number;
                            answered_by?: string;
                            answer?: string;
                            option?: number;
                            /** @enum {string} */
                            decision?: "approve" | "deny" | "expire";
                            reason?: string;
                        };
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_ambiguous_id_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived_stale_revision"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    requests_list: {
        parameters: {
            query?: {
                /** @description Id of a run, or the beginning of one that no other run shares */
                run?: string;
                /** @description Those too that are answered, decided or withdrawn */
                all?: boolean;
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            id: string;
                            /** @enum {string} */
                            kind: "question" | "approval";
                            run_id: string;
                            run_title: string;
                            item: string;
                            attempt: number;
                            hash: unknown;
                            /** @enum {string} */
                            state: "open" | "expired" | "answered" | "approved" | "denied" | "withdrawn";
                            text: string;
                            options?: string[];
                            context?: string;
                            partial_state?: {
                                ref: unknown;
                                size: number;
                            };
                            patch?: unknown;
                            inputs?: ({
                                key: string;
                                from: string;
                                select: {
                                    /** @constant */
                                    kind: "patch";
                                } | {
                                    /** @constant */
                                    kind: "output";
                                    path: string;
                                };
                                ref: unknown;
                                applied: boolean;
                            } | {
                                key: string;
                                ref: unknown;
                                /** @constant */
                                applied: false;
                            })[];
                            role?: string;
                            four_eyes?: boolean;
                            distinct_from?: string[];
                            asked_at: number;
                            expires_at?: number;
                            /** @enum {string} */
                            on_expiry?: "deny" | "approve";
                            answered_at?: number;
                            answered_by?: string;
                            answer?: string;
                            option?: number;
                            /** @enum {string} */
                            decision?: "approve" | "deny" | "expire";
                            reason?: string;
                        }[];
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_ambiguous_id"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    runs_budget: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    cost_usd?: number;
                    tokens?: number;
                    seconds?: number;
                    attempts?: number;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        run_id: string;
                        budget: {
                            cost_micro_usd?: number;
                            tokens?: number;
                            run_ms?: number;
                            attempts?: number;
                            /** @constant */
                            refuses_unknown?: true;
                            /** @constant */
                            stops?: true;
                        };
                        /** @enum {string} */
                        state: "queued" | "provisioning" | "running" | "waiting" | "completed" | "failed" | "canceled" | "timed_out" | "budget_exceeded";
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_ambiguous_id_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    runs_cancel: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    item?: string;
                    reason?: string;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        run_id: string;
                        accepted: boolean;
                        /** @enum {string} */
                        state: "queued" | "provisioning" | "running" | "waiting" | "completed" | "failed" | "canceled" | "timed_out" | "budget_exceeded";
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_ambiguous_id_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    runs_events: {
        parameters: {
            query?: {
                /** @description Events after this sequence number */
                after_seq?: number;
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
                /** @description How long to wait for news before an empty answer, milliseconds */
                wait_ms?: number;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            seq: number;
                            type: string;
                            at: number;
                            data: {
                                [key: string]: components["schemas"]["runs_events_output__schema0"];
                            };
                            hash: string;
                        }[];
                        has_more: boolean;
                        sealed: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_ambiguous_id"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    runs_extend: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    items?: unknown[];
                    close?: boolean;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        run_id: string;
                        added: string[];
                        already: string[];
                        items: number;
                        closed: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_already_exists_ambiguous_id_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text_invalid_plan"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            502: components["responses"]["Problem_502_upstream_failed"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    runs_get: {
        parameters: {
            query?: {
                /** @description Which items to tell of */
                items?: "all" | "none";
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        run: {
                            id: string;
                            /** @enum {string} */
                            kind: "plan" | "command" | "agent";
                            title: string;
                            queue: string;
                            priority?: number;
                            /** @enum {string} */
                            state: "queued" | "provisioning" | "running" | "waiting" | "completed" | "failed" | "canceled" | "timed_out" | "budget_exceeded";
                            actor: string;
                            submitted_at: number;
                            started_at?: number;
                            finished_at?: number;
                            reason?: string;
                            cancel_requested: boolean;
                            paused?: {
                                at: number;
                                by: string;
                                reason?: string;
                                /** @constant */
                                queue?: true;
                            };
                            owned: boolean;
                            sealed: boolean;
                            trouble?: {
                                since: number;
                                at: number;
                                code: string;
                                message: string;
                                item?: string;
                            };
                            counts: {
                                [key: string]: number;
                            };
                            open?: boolean;
                            open_requests?: number;
                            wakes_at?: number;
                            workspace: {
                                /** @enum {string} */
                                kind: "git" | "empty";
                                repository?: string;
                                commit?: string;
                                branch?: string;
                            };
                            cost_usd?: number;
                            budget?: {
                                cost_usd?: number;
                                tokens?: number;
                                seconds?: number;
                                attempts?: number;
                                /** @enum {string} */
                                on_exceed?: "drain" | "stop";
                                /** @enum {string} */
                                unknown?: "allow" | "refuse";
                            };
                            spent?: {
                                cost_usd: number;
                                tokens: number;
                                seconds: number;
                                attempts: number;
                                unknown_cost: number;
                                unknown_tokens: number;
                            };
                            warnings?: string[];
                            rerun_of?: string;
                        };
                        items: {
                            id: string;
                            title: string;
                            /** @enum {string} */
                            state: "pending" | "ready" | "running" | "needs_input" | "done" | "failed" | "skipped" | "canceled" | "denied";
                            attempt: number;
                            max_attempts: number;
                            depends_on: string[];
                            blocked_by: string[];
                            locks: {
                                key: string;
                                held_by?: string;
                            }[];
                            reason?: string;
                            settled_by?: string;
                            grown_by?: string;
                            run?: string;
                            /** @enum {string} */
                            outcome?: "succeeded" | "failed" | "timed_out" | "canceled" | "lost" | "needs_input";
                            exit_code?: number;
                            code?: string;
                            worker?: string;
                            trouble?: {
                                since: number;
                                at: number;
                                code: string;
                                message: string;
                            };
                            started_at?: number;
                            finished_at?: number;
                            next_attempt_at?: number;
                            sandbox?: string;
                            /** @enum {string} */
                            isolation?: "sandboxed" | "unsandboxed-host";
                            manifest_ref?: unknown;
                            product?: {
                                result_ref?: unknown;
                                conflicts_ref?: unknown;
                                patch?: {
                                    files: number;
                                    added: number;
                                    deleted: number;
                                    bytes: number;
                                };
                                outputs?: {
                                    path: string;
                                    ref: unknown;
                                    size: number;
                                }[];
                                log_ref?: unknown;
                                image?: unknown;
                                summary?: string;
                                verify?: {
                                    passed: boolean;
                                    report?: string;
                                    duration_ms?: number;
                                    about?: {
                                        command: unknown;
                                        patch?: unknown;
                                        tests?: {
                                            count: number;
                                            gone: number;
                                            hash: unknown;
                                        };
                                    };
                                };
                                usage?: {
                                    models?: string[];
                                    input_tokens?: number;
                                    output_tokens?: number;
                                    cost_usd?: number;
                                    turns?: number;
                                    duration_ms?: number;
                                };
                                agent_session?: {
                                    harness: string;
                                    id: string;
                                    version?: string;
                                    state_ref?: unknown;
                                    spent?: {
                                        input_tokens?: number;
                                        output_tokens?: number;
                                        cost_usd?: number;
                                    };
                                };
                                model_traffic?: {
                                    endpoint: string;
                                    requests: number;
                                    failed: number;
                                    refused: number;
                                    sent_bytes: number;
                                    received_bytes: number;
                                };
                                deps?: {
                                    at_setup: unknown;
                                    at_finish: unknown;
                                    /** @constant */
                                    tier: "recorded";
                                };
                                question?: {
                                    question: string;
                                    options?: string[];
                                    context?: string;
                                    partial_state?: {
                                        ref: unknown;
                                        size: number;
                                    };
                                };
                                warnings?: string[];
                                blocks?: {
                                    /** @enum {string} */
                                    kind: "setup" | "agent" | "script" | "capture" | "verify";
                                    ordinal: number;
                                    /** @enum {string} */
                                    status: "ok" | "failed" | "skipped" | "timed_out" | "canceled";
                                    exit_code?: number;
                                    duration_ms: number;
                                }[];
                            };
                            request?: {
                                id: string;
                                /** @enum {string} */
                                kind: "question" | "approval";
                                run_id: string;
                                run_title: string;
                                item: string;
                                attempt: number;
                                hash: unknown;
                                /** @enum {string} */
                                state: "open" | "expired" | "answered" | "approved" | "denied" | "withdrawn";
                                text: string;
                                options?: string[];
                                context?: string;
                                partial_state?: {
                                    ref: unknown;
                                    size: number;
                                };
                                patch?: unknown;
                                inputs?: ({
                                    key: string;
                                    from: string;
                                    select: {
                                        /** @constant */
                                        kind: "patch";
                                    } | {
                                        /** @constant */
                                        kind: "output";
                                        path: string;
                                    };
                                    ref: unknown;
                                    applied: boolean;
                                } | {
                                    key: string;
                                    ref: unknown;
                                    /** @constant */
                                    applied: false;
                                })[];
                                role?: string;
                                four_eyes?: boolean;
                                distinct_from?: string[];
                                asked_at: number;
                                expires_at?: number;
                                /** @enum {string} */
                                on_expiry?: "deny" | "approve";
                                answered_at?: number;
                                answered_by?: string;
                                answer?: string;
                                option?: number;
                                /** @enum {string} */
                                decision?: "approve" | "deny" | "expire";
                                reason?: string;
                            };
                        }[];
                        last_seq: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_ambiguous_id"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    runs_logs: {
        parameters: {
            query?: {
                /** @description Number of the attempt; the last one when absent */
                attempt?: number;
                /** @description Where the part asked for starts, bytes */
                offset?: number;
                /** @description Most bytes of one answer */
                max_bytes?: number;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string;
                /** @description Id of an item of the run */
                item: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempt: number;
                        lines: components["schemas"]["runs_logs_output__schema0"][];
                        next_offset: number;
                        complete: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_ambiguous_id"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    runs_pause: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    reason?: string;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        run_id: string;
                        accepted: boolean;
                        /** @enum {string} */
                        state: "queued" | "provisioning" | "running" | "waiting" | "completed" | "failed" | "canceled" | "timed_out" | "budget_exceeded";
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_ambiguous_id_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    runs_products: {
        parameters: {
            query?: {
                /** @description Which items to tell of */
                items?: string[];
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        run_id: string;
                        workspace: {
                            /** @enum {string} */
                            kind: "git" | "empty";
                            repository?: string;
                            commit?: string;
                            branch?: string;
                        };
                        data: {
                            item: string;
                            /** @enum {string} */
                            state: "pending" | "ready" | "running" | "needs_input" | "done" | "failed" | "skipped" | "canceled" | "denied";
                            result_ref?: unknown;
                            outputs: {
                                path: string;
                                ref: unknown;
                                size: number;
                            }[];
                            base_patches: string[];
                            settled_by?: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_ambiguous_id"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    runs_rerun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    only_failed?: boolean;
                    run_id?: string;
                    dry_run?: boolean;
                    require_isolation?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        run_id: string;
                        items: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_already_exists_ambiguous_id_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_concurrency_exceeded_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            502: components["responses"]["Problem_502_upstream_failed"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    runs_resume: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Id of a run, or the beginning of one that no other run shares */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        run_id: string;
                        accepted: boolean;
                        /** @enum {string} */
                        state: "queued" | "provisioning" | "running" | "waiting" | "completed" | "failed" | "canceled" | "timed_out" | "budget_exceeded";
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_ambiguous_id_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_invalid_state_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    schedules_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            name: string;
                            cron: string;
                            zone: string;
                            /** @enum {string} */
                            catch_up: "latest" | "skip" | "all";
                            catch_up_limit: number;
                            /** @enum {string} */
                            overlap: "allow" | "skip";
                            /** @enum {string} */
                            state: "enabled" | "paused" | "suspended";
                            reason?: string;
                            actor: string;
                            created_at: number;
                            title: string;
                            repository?: string;
                            base?: string;
                            next_slot?: number;
                            next_try_at?: number;
                            overdue: boolean;
                            last?: {
                                slot?: number;
                                at: number;
                                /** @enum {string} */
                                outcome: "submitted" | "skipped";
                                run_id?: string;
                                covers: number;
                                reason?: string;
                            };
                            failures: number;
                            last_error?: {
                                code: string;
                                message: string;
                                at: number;
                            };
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    schedules_add: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    cron: string;
                    zone?: string;
                    /** @enum {string} */
                    catch_up?: "latest" | "skip" | "all";
                    catch_up_limit?: number;
                    /** @enum {string} */
                    overlap?: "allow" | "skip";
                    submission: {
                        /** @description a plan, an object such as {"items": [{"id": "build", "command": "make", "depends_on": []}]}; an item has a command, or an agent and a prompt */
                        plan: unknown;
                        /** @description Absolute path, on the machine of the server, of the repository that the work is done in. Without it agents see an empty workspace */
                        repository?: string;
                        /** @description Any revision of that repository; HEAD when absent */
                        base?: string;
                        title?: string;
                        /** @description In place of the plan's */
                        priority?: number;
                        /** @description Sandbox provider by name; the strongest of the machine when absent */
                        sandbox?: string;
                        /** @description Model, by level or name, of items for which neither they nor their agent ask for one */
                        default_model?: string;
                        /** @description Refuse a sandbox that is no boundary */
                        require_isolation?: boolean;
                        /** @description The caller's half of the permission of a network; the item's is the other */
                        allow_network?: boolean;
                    };
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        schedule: {
                            name: string;
                            cron: string;
                            zone: string;
                            /** @enum {string} */
                            catch_up: "latest" | "skip" | "all";
                            catch_up_limit: number;
                            /** @enum {string} */
                            overlap: "allow" | "skip";
                            /** @enum {string} */
                            state: "enabled" | "paused" | "suspended";
                            reason?: string;
                            actor: string;
                            created_at: number;
                            title: string;
                            repository?: string;
                            base?: string;
                            next_slot?: number;
                            next_try_at?: number;
                            overdue: boolean;
                            last?: {
                                slot?: number;
                                at: number;
                                /** @enum {string} */
                                outcome: "submitted" | "skipped";
                                run_id?: string;
                                covers: number;
                                reason?: string;
                            };
                            failures: number;
                            last_error?: {
                                code: string;
                                message: string;
                                at: number;
                            };
                        };
                        next: number[];
                        warnings: string[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived_requirements_unmet"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text_invalid_plan"];
            429: components["responses"]["Problem_429_concurrency_exceeded_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            502: components["responses"]["Problem_502_upstream_failed"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    schedules_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        schedule: {
                            name: string;
                            cron: string;
                            zone: string;
                            /** @enum {string} */
                            catch_up: "latest" | "skip" | "all";
                            catch_up_limit: number;
                            /** @enum {string} */
                            overlap: "allow" | "skip";
                            /** @enum {string} */
                            state: "enabled" | "paused" | "suspended";
                            reason?: string;
                            actor: string;
                            created_at: number;
                            title: string;
                            repository?: string;
                            base?: string;
                            next_slot?: number;
                            next_try_at?: number;
                            overdue: boolean;
                            last?: {
                                slot?: number;
                                at: number;
                                /** @enum {string} */
                                outcome: "submitted" | "skipped";
                                run_id?: string;
                                covers: number;
                                reason?: string;
                            };
                            failures: number;
                            last_error?: {
                                code: string;
                                message: string;
                                at: number;
                            };
                        };
                        next: number[];
                        slots: {
                            slot?: number;
                            at: number;
                            /** @enum {string} */
                            outcome: "submitted" | "skipped";
                            run_id?: string;
                            covers: number;
                            reason?: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    schedules_remove: {
        parameters: {
            query?: {
                /** @description Answers what would be done, and does nothing */
                dry_run?: boolean;
            };
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        removed: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    schedules_pause: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        schedule: {
                            name: string;
                            cron: string;
                            zone: string;
                            /** @enum {string} */
                            catch_up: "latest" | "skip" | "all";
                            catch_up_limit: number;
                            /** @enum {string} */
                            overlap: "allow" | "skip";
                            /** @enum {string} */
                            state: "enabled" | "paused" | "suspended";
                            reason?: string;
                            actor: string;
                            created_at: number;
                            title: string;
                            repository?: string;
                            base?: string;
                            next_slot?: number;
                            next_try_at?: number;
                            overdue: boolean;
                            last?: {
                                slot?: number;
                                at: number;
                                /** @enum {string} */
                                outcome: "submitted" | "skipped";
                                run_id?: string;
                                covers: number;
                                reason?: string;
                            };
                            failures: number;
                            last_error?: {
                                code: string;
                                message: string;
                                at: number;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    schedules_resume: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        schedule: {
                            name: string;
                            cron: string;
                            zone: string;
                            /** @enum {string} */
                            catch_up: "latest" | "skip" | "all";
                            catch_up_limit: number;
                            /** @enum {string} */
                            overlap: "allow" | "skip";
                            /** @enum {string} */
                            state: "enabled" | "paused" | "suspended";
                            reason?: string;
                            actor: string;
                            created_at: number;
                            title: string;
                            repository?: string;
                            base?: string;
                            next_slot?: number;
                            next_try_at?: number;
                            overdue: boolean;
                            last?: {
                                slot?: number;
                                at: number;
                                /** @enum {string} */
                                outcome: "submitted" | "skipped";
                                run_id?: string;
                                covers: number;
                                reason?: string;
                            };
                            failures: number;
                            last_error?: {
                                code: string;
                                message: string;
                                at: number;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived_stale_revision"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    schedules_run_now: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        run_id: string;
                        created: boolean;
                        items: number;
                        sandbox: string;
                        /** @enum {string} */
                        isolation: "sandboxed" | "unsandboxed-host";
                        warnings: string[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_already_exists_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived_requirements_unmet_stale_revision"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            422: components["responses"]["Problem_422_credential_in_text_invalid_plan"];
            429: components["responses"]["Problem_429_concurrency_exceeded_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            502: components["responses"]["Problem_502_upstream_failed"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    secrets_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            name: string;
                            ref: string;
                            version: number;
                            created_at: number;
                            expires_at?: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    secrets_put: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    value: string;
                    ttl_ms?: number;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        ref: string;
                        version: number;
                        created_at: number;
                        expires_at?: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal_master_key_missing_secret_undecryptable"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    sinks_forget: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        removed: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    storage_collect: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        dry_run: boolean;
                        runs_before?: number;
                        runs: number;
                        receipts: number;
                        secrets: number;
                        idle_sessions: number;
                        attempts: number;
                        blobs: {
                            kept: number;
                            removed: number;
                            bytes: number;
                        };
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_lease_held"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    usage_get: {
        parameters: {
            query?: {
                /** @description What is counted by */
                by?: "agent" | "model" | "queue" | "actor";
                /** @description From this moment on, milliseconds since the epoch */
                since?: number;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        by: "agent" | "model" | "queue" | "actor";
                        since?: number;
                        data: {
                            cost_usd: number;
                            tokens: number;
                            seconds: number;
                            attempts: number;
                            unknown_cost: number;
                            unknown_tokens: number;
                            key?: string;
                        }[];
                        total: {
                            cost_usd: number;
                            tokens: number;
                            seconds: number;
                            attempts: number;
                            unknown_cost: number;
                            unknown_tokens: number;
                        };
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    webhooks_deliveries: {
        parameters: {
            query?: {
                /** @description Name of a webhook endpoint */
                endpoint?: string;
                /** @description Only those in one of these states */
                state?: ("pending" | "delivered" | "undelivered")[];
                /** @description Most entries, or bytes of content, of one answer */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            id: string;
                            endpoint: string;
                            /** @enum {string} */
                            kind: "run.completed" | "run.failed" | "run.canceled" | "item.failed" | "item.needs_input" | "item.approval_requested" | "webhook.test";
                            run_id: string;
                            created_at: number;
                            /** @enum {string} */
                            state: "pending" | "delivered" | "undelivered";
                            attempts: number;
                            /** @enum {string} */
                            reason?: "http-status" | "network" | "timeout" | "aborted" | "refused";
                            status?: number;
                            next_try_at?: number;
                            delivered_at?: number;
                        }[];
                        has_more: boolean;
                        next_cursor?: string;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_cursor_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    webhooks_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: {
                            name: string;
                            origin: string;
                            allow_private: boolean;
                            bearer: boolean;
                            /** @enum {string} */
                            state: "enabled" | "disabled";
                            reason?: string;
                            key_version: number;
                            former_key_until?: number;
                            created_at: number;
                            pending: number;
                            undelivered: number;
                        };
                        deliveries: {
                            id: string;
                            endpoint: string;
                            /** @enum {string} */
                            kind: "run.completed" | "run.failed" | "run.canceled" | "item.failed" | "item.needs_input" | "item.approval_requested" | "webhook.test";
                            run_id: string;
                            created_at: number;
                            /** @enum {string} */
                            state: "pending" | "delivered" | "undelivered";
                            attempts: number;
                            /** @enum {string} */
                            reason?: "http-status" | "network" | "timeout" | "aborted" | "refused";
                            status?: number;
                            next_try_at?: number;
                            delivered_at?: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    webhooks_set: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** Format: uri */
                    url?: string;
                    secret?: string;
                    overlap_ms?: number;
                    bearer?: string | null;
                    allow_private?: boolean;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: {
                            name: string;
                            origin: string;
                            allow_private: boolean;
                            bearer: boolean;
                            /** @enum {string} */
                            state: "enabled" | "disabled";
                            reason?: string;
                            key_version: number;
                            former_key_until?: number;
                            created_at: number;
                            pending: number;
                            undelivered: number;
                        };
                        created: boolean;
                        dropped?: ("allow_private" | "bearer")[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted_policy_denied"];
            404: components["responses"]["Problem_404_not_found_secret_missing"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived_stale_revision"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal_master_key_missing_secret_undecryptable"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    webhooks_remove: {
        parameters: {
            query?: {
                /** @description Answers what would be done, and does nothing */
                dry_run?: boolean;
            };
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        removed: boolean;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    webhooks_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            name: string;
                            origin: string;
                            allow_private: boolean;
                            bearer: boolean;
                            /** @enum {string} */
                            state: "enabled" | "disabled";
                            reason?: string;
                            key_version: number;
                            former_key_until?: number;
                            created_at: number;
                            pending: number;
                            undelivered: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    webhooks_replay: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    ids?: string[];
                    endpoint?: string;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ids: string[];
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
    webhooks_test: {
        parameters: {
            query?: never;
            header?: {
                /** @description Random, and the same again when the call is repeated because its answer was lost */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Key of the project */
                project: string;
                /** @description Name of what is asked about */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Server-Time": components["headers"]["Server-Time"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        delivered: boolean;
                        /** @enum {string} */
                        reason?: "http-status" | "network" | "timeout" | "aborted" | "refused";
                        status?: number;
                    };
                };
            };
            400: components["responses"]["Problem_400_invalid_input"];
            401: components["responses"]["Problem_401_authentication_required"];
            403: components["responses"]["Problem_403_operation_not_permitted"];
            404: components["responses"]["Problem_404_not_found"];
            409: components["responses"]["Problem_409_clock_reconciliation_required_idempotency_mismatch_idempotency_result_expired_project_archived"];
            413: components["responses"]["Problem_413_too_large"];
            415: components["responses"]["Problem_415_unsupported_media_type"];
            429: components["responses"]["Problem_429_rate_limited"];
            500: components["responses"]["Problem_500_integrity_mismatch_internal_secret_undecryptable"];
            503: components["responses"]["Problem_503_database_busy_overloaded"];
            507: components["responses"]["Problem_507_storage_full"];
        };
    };
}
