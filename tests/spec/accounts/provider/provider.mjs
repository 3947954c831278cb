// An OpenID provider on 127.0.0.1, at the port that is given or a free one. It prints its issuer.
// Anybody who gives a name is logged in as that.
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const KINDS = {
  RS256: ["rsa", { modulusLength: 2048 }],
  ES256: ["ec", { namedCurve: "P-256" }],
  EdDSA: ["ed25519", {}],
};
const algorithms = Object.keys(KINDS);

function key(alg) {
  const { privateKey } = generateKeyPairSync(...KINDS[alg]);
  return { ...privateKey.export({ format: "jwk" }), alg, use: "sig" };
}

function client(alg) {
  return {
    client_id: `game-${alg}`,
    application_type: "native",
    token_endpoint_auth_method: "none",
    redirect_uris: ["http://127.0.0.1/back"],
    id_token_signed_response_alg: alg,
  };
}

const server = createServer();
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      ...algorithms.map(client),
      {
        client_id: "server",
        client_secret: "a secret",
        redirect_uris: [],
        response_types: [],
        grant_types: ["client_credentials"],
      },
    ],
    jwks: { keys: algorithms.map(key) },
    cookies: { keys: ["of a test"] },
    enabledJWA: { idTokenSigningAlgValues: algorithms },
    claims: { profile: ["preferred_username"] },
    conformIdTokenClaims: false,
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, preferred_username: `n-${id.slice(0, 16)}` }),
    }),
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({
          scope: "play",
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  });
  server.on("request", provider.callback());
  console.log(issuer);
});
