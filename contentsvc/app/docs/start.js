"use strict";

// A proxy may serve the API below a path of its own. Then it is beside this page, not at the root.
const base = new URL(".", location.href).pathname;

const besideThisPage = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (original) => (document) => {
          const known = document.servers[0].url.replace(/\/$/, "").length + 1;
          for (const { flows = {} } of Object.values(document.components.securitySchemes)) {
            for (const flow of Object.values(flows)) flow.tokenUrl = base + flow.tokenUrl.slice(known);
          }
          return original({ ...document, servers: [{ url: base }] });
        },
      },
    },
  },
});

// From 150 operations and groups on, Swagger UI (since 5.33, without a setting) has only those in the
// page that are in view, and the browser's search finds no other. It counts what one list has. Here
// each group is a list.
const showAll = () => ({
  wrapComponents: {
    operations:
      (List, { React }) =>
      (given) => {
        const groups = given.specSelectors.taggedOperations();
        if (groups.size === 0) return React.createElement(List, given);
        return groups
          .keySeq()
          .toArray()
          .map((name) => {
            const taggedOperations = () => groups.filter((_, other) => other === name);
            const specSelectors = { ...given.specSelectors, taggedOperations };
            return React.createElement(List, { ...given, key: name, specSelectors });
          });
      },
  },
});

// The filter looks at operations, not only at the names of their groups: all its words must be in
// the group's name, the method, the path, the summary or the operationId.
const filterOperations = () => ({
  fn: {
    opsFilter: (groups, phrase) => {
      const words = phrase.toLowerCase().split(/\s+/);
      const fits = (name) => (entry) => {
        const operation = entry.get("operation");
        const text = [
          name,
          entry.get("method"),
          entry.get("path"),
          operation.get("summary"),
          operation.get("operationId"),
        ]
          .join(" ")
          .toLowerCase();
        return words.every((word) => text.includes(word));
      };
      return groups
        .map((group, name) => group.update("operations", (all) => all.filter(fits(name))))
        .filter((group) => group.get("operations").size > 0);
    },
  },
});

// Swagger UI would fill the fields of a form with random text. They show the form's example, and
// what that does not have is empty and not sent: Swagger UI sends it where its box says so.
const FORM = "application/x-www-form-urlencoded";
const fillForms = () => ({
  components: { ParameterIncludeEmpty: () => null },
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (original) => (document) => {
          const { schemas } = document.components;
          for (const operation of Object.values(document.paths).flatMap(Object.values)) {
            const form = operation.requestBody?.content[FORM];
            if (form === undefined) continue;
            const { properties } = schemas[form.schema.$ref.split("/").pop()];
            for (const [name, schema] of Object.entries(properties)) {
              delete schema.const;
              delete schema.examples;
              schema.example = schema.default = form.example[name] ?? "";
            }
          }
          return original(document);
        },
      },
    },
  },
});

// Swagger UI would send what a parameter is without it, and for a map made-up members. What may be
// left out is empty here, and says what its absence means.
const emptyOptional = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (original) => (document) => {
          for (const operation of Object.values(document.paths).flatMap(Object.values)) {
            for (const parameter of operation.parameters ?? []) {
              if (parameter.required) continue;
              const { schema, description = "" } = parameter;
              const { default: usual } = schema;
              if (usual)
                parameter.description = `${description}${description && "; "}${usual} if it is left out`;
              delete schema.default;
              delete schema.examples;
              if (schema.type === "object") parameter.example = "";
            }
          }
          return original(document);
        },
      },
    },
  },
});

// Swagger UI has a dark look, and leaves it to the page when to show it.
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

// Who is logged in on the portal is logged in here, also after a reload. The refresh token is in a
// cookie that no script can read; what the portal's client keeps of a log-in says whose it is.
const KEPT = "contentsvc.client.";
const storage = {
  get: (key) => localStorage.getItem(KEPT + key),
  set: (key, value) => localStorage.setItem(KEPT + key, value),
  remove: (key) => localStorage.removeItem(KEPT + key),
};
let client = null;
let shown = null;

const logIn = async () => {
  if (localStorage.getItem("contentsvc.user") === null) return;
  const { Client } = await import(`${base}client.js`);
  const options = { client: "portal", session: "/portal/session", storage };
  client = new Client(location.origin + base, options);
  client.addEventListener("signedout", () => {
    shown = null;
    ui.authActions.logout(["bearer"]);
  });
  shown = await client.token();
  if (shown) ui.preauthorizeApiKey("bearer", shown);
};

// The token that Swagger UI has got from there is renewed in time, and no other.
const renew = async (request) => {
  if (shown && request.headers?.Authorization === `Bearer ${shown}`) {
    request.headers.Authorization = `Bearer ${(await client.token()) ?? shown}`;
  }
  return request;
};

const ui = SwaggerUIBundle({
  url: "openapi.json",
  requestInterceptor: renew,
  dom_id: "#page",
  deepLinking: true,
  docExpansion: "list",
  filter: true,
  onComplete: () => {
    const field = document.querySelector(".operation-filter-input");
    field.placeholder = "Filter operations";
    field.setAttribute("aria-label", "Filter operations");
    // Without a portal, or a log-in, one logs in here.
    logIn().catch(() => {});
  },
  plugins: [besideThisPage, fillForms, emptyOptional, showAll, filterOperations],
});
